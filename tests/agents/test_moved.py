"""Modules that have moved: found by their old names, the same ones, with a warning."""

import importlib
import importlib.util
import subprocess
import sys

import pytest

import agents
import boardenvs
from agents.moved import MOVED, MOVED_SPECS, new_name
from agents.training.settings import settings_for, settings_of_run
from agents.users_own import is_users_code


def run(*arguments, **more):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **more
    )


@pytest.mark.parametrize("old", MOVED)
def test_every_old_name_leads_to_a_module_that_there_is(old, monkeypatch):
    monkeypatch.delitem(sys.modules, f"agents.{old}", raising=False)
    assert importlib.util.find_spec(f"agents.{MOVED[old]}") is not None
    with pytest.warns(FutureWarning, match=rf"agents\.{old} has moved.*use agents\.{MOVED[old]}$"):
        spec = importlib.util.find_spec(f"agents.{old}")
    assert spec.origin == f"agents.{MOVED[old]}"


def test_a_moved_module_is_loaded_once():
    from agents.search import mcts

    sys.modules.pop("agents.mcts", None)
    with pytest.warns(FutureWarning, match="agents.mcts has moved"):
        old = importlib.import_module("agents.mcts")
    assert old is mcts
    assert old.__spec__.name == old.__name__ == "agents.search.mcts"


def test_what_lies_in_a_moved_package_is_loaded_once():
    pytest.importorskip("starlette")
    from agents.play.web.session import Session

    for name in ("agents.web", "agents.web.session"):
        sys.modules.pop(name, None)
    with pytest.warns(FutureWarning, match="has moved"):
        old = importlib.import_module("agents.web.session")
    assert old.Session is Session


def test_names_that_have_not_moved():
    assert new_name("agents.agent") == "agents.agent"
    assert new_name("agents.mctsx") == "agents.mctsx"
    assert new_name("mine.mcts") == "mine.mcts"
    assert new_name("agents.web.session") == "agents.play.web.session"


def test_an_old_program_by_its_name():
    ran = run("-m", "agents.gekitai_proof", "--help")
    assert ran.returncode == 0
    assert ran.stdout.startswith("usage: python -m agents.games.gekitai.proof")
    assert "use agents.games.gekitai.proof" in ran.stderr


def test_the_door_of_an_older_installation():
    ran = run("-c", "from agents.cli import main; raise SystemExit(main(['info', 'gekitai']))")
    assert ran.returncode == 0
    assert ran.stdout.startswith("Gekitai(")
    assert "use agents.command" in ran.stderr


@pytest.mark.parametrize("old", MOVED_SPECS)
def test_an_old_spec(old):
    now = agents.make(MOVED_SPECS[old], "dominoes175", seed=0)
    with pytest.warns(FutureWarning, match=f"^{old} has moved.*: use perfect$"):
        agent = agents.make(old, "dominoes175", seed=0)
    assert type(agent) is type(now)
    assert agent.spec == old
    assert not is_users_code(old)  # so that a run of before can be resumed


def test_settings_of_before():
    game = boardenvs.make("dominoes175")
    values = settings_for(game).to_dict()
    (old, _) = MOVED_SPECS
    values["clone"]["agent"] = old
    assert settings_of_run(values, game, "settings.json").clone.agent == old
