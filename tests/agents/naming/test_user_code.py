"""No file runs a user's code unless the command names the code again."""

import functools
import json
import sys
from dataclasses import replace

import gymnasium
import pytest

import agents
from agents.arena import round_robin
from agents.command import main
from agents.naming import user_code
from agents.naming.tables import NAMES, SPECS
from agents.naming.user_code import is_user_code, require_allowed
from agents.training.run import TrainingRun
from agents.training.settings import CloningSettings, GuidedSettings
from agents.training.settings_files import settings_for, settings_of_run
from agents.training.start_run import train
from boardenvs.episode import Episode

MINE = """
from agents.players.random import RandomAgent

def factory(game, seed):
    return RandomAgent(game, seed, "mine")
"""
SPEC = "mine:factory"


@pytest.fixture(autouse=True)
def no_allowed_code(monkeypatch):
    monkeypatch.setattr(user_code, "_allowed", set())


@pytest.fixture
def canary(own_module):
    """Return a function that reports whether the user's module was imported since its last call."""
    own_module("mine", MINE)
    sys.modules.pop("mine", None)
    return lambda: sys.modules.pop("mine", None) is not None


# -- Kinds of user code -----------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "mine:factory",
        "os:system",
        "engine:rm -rf /",
        "text:mine:f",
        "sb3:model.zip",
        "mixed:10:sb3:model.zip",
        ":x",
        "Random:x",
        " mcts:1",
        "mcts :1",
    ],
)
def test_specs_that_run_user_code_require_allow(spec):
    assert is_user_code(spec)
    with pytest.raises(ValueError, match=r"names .*--allow"):
        require_allowed(["random", spec], "a file")
    agents.allow(spec)
    require_allowed(["random", spec], "a file")


@pytest.mark.parametrize(
    "spec",
    [
        *NAMES,
        *(
            spec
            for spec in SPECS
            if spec not in ("MODULE:FACTORY", "engine:COMMAND", "sb3:PATH", "text:MODULE:FUNCTION")
        ),
        "trained:a:b",
        "nothing",
        "",
    ],
)
def test_specs_of_the_package_need_no_allow(spec):
    assert not is_user_code(spec)
    require_allowed([spec], "a file")


@pytest.mark.parametrize("spec", ["greedy", "mcts:100", "", None, 7])
def test_only_user_agents_can_be_allowed(spec, refused):
    with refused("spec must be .*MODULE:FACTORY"):
        agents.allow(spec)


# -- Run folders ------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["opponents", "evaluate_against", "clone", "guided"])
def test_a_run_with_user_code_requires_allow(
    gekitai, tiny_settings, tmp_path, canary, refused, place
):
    changes = {
        "opponents": {"random": 1, SPEC: 1},
        "evaluate_against": ("random", SPEC),
        "clone": CloningSettings(SPEC, steps=64),
        "guided": GuidedSettings(steps=64, games=8, opponents=(SPEC,)),
    }
    folder = tmp_path / "run"
    settings = replace(tiny_settings, ppo_steps=256, **{place: changes[place]})
    train(gekitai, folder, seed=0, settings=settings)  # allowed, because the Python code names it
    assert canary()

    with refused(
        r"settings.json .*'mine:factory'.* --allow mine:factory.* agents\.allow\('mine:factory'\)"
    ):
        TrainingRun.resume(folder)
    command = ["train", "gekitai", "--resume", "--out", str(folder)]
    assert main(command) == 2
    assert main([*command, "--allow", "mine:other"]) == 2
    assert not canary()

    assert main([*command, "--allow", SPEC]) == 0
    assert canary()


def test_settings_of_the_packages_games_need_no_allow(game):
    written = json.loads(json.dumps(settings_for(game).to_dict()))
    assert settings_of_run(written, game, "its settings") == settings_for(game)


def test_allow_is_refused_without_settings_that_need_it(capsys):
    assert main(["train", "gekitai", "--allow", SPEC]) == 2
    assert "--allow" in capsys.readouterr().err
    assert main(["train", "gekitai", "--resume", "--allow", "greedy"]) == 2
    assert "spec must be " in capsys.readouterr().err


# -- Other files ------------------------------------------------------------------------


def test_a_store_with_user_code_runs_none(gekitai, tmp_path, canary, capsys):
    path = tmp_path / "games.db"
    list(round_robin(gekitai, ["random", SPEC], 4, 0, store=path))
    assert canary()
    for more in ([], ["--game", "1.0"], ["--game", "1.0", "--html", "a.html"]):
        assert main(["watch", "--store", str(path), *more]) == 0
    assert main(["arena", "gekitai", "random", "random", "--games", "2", "--store", str(path)]) == 0
    assert SPEC in capsys.readouterr().out
    assert not canary()


def test_an_episode_with_user_code_runs_none(gekitai, tmp_path, canary):
    path = tmp_path / "game.json"
    Episode.play(gekitai, ["random", "random"], 0, names=[SPEC, "engine:rm"]).save(path)
    Episode.load(path).save_html(tmp_path / "game.html")
    text = path.read_text(encoding="utf-8").replace('"gekitai"', '"mine:factory"')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"game\.json"):
        Episode.load(path)
    assert not canary()


def test_a_card_with_user_code_runs_none(tiny_copy, gekitai, canary):
    card = tiny_copy.card
    card["scores"][0]["against"] = card["settings"]["clone"] = SPEC
    card["settings"]["opponents"] = {SPEC: 1}
    tiny_copy.network.with_suffix(".json").write_text(json.dumps(card), encoding="utf-8")
    agents.play_match(gekitai, [tiny_copy.spec, "random"], 2, seed=0)
    assert not canary()


@pytest.mark.parametrize("vectorized", [False, True])
def test_an_env_spec_from_json_runs_no_user_code(canary, vectorized):
    spec = gymnasium.spec("boardenvs/Gekitai-v0")
    written = json.loads(spec.to_json())
    written["kwargs"]["opponent"] = SPEC
    read = gymnasium.envs.registration.EnvSpec.from_json(json.dumps(written))
    make = gymnasium.make
    if vectorized:
        make = functools.partial(
            gymnasium.make_vec, num_envs=2, vectorization_mode="vector_entry_point"
        )
    with pytest.raises(ValueError, match="'mine:factory'"):
        make(read)
    assert not canary()
