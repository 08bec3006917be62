"""`boardenvs train` with user-defined games and settings."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agents.naming import user_code

GAME = """
import numpy as np

import boardenvs
from boardenvs.gekitai import Gekitai
from boardenvs.core.symmetries import Symmetries


@boardenvs.register
class Handed(Gekitai):
    '''Gekitai under another name, told to know left from right no more than that.'''

    name = "handed_gekitai"

    def symmetries(self):
        cells = np.arange(36).reshape(6, 6)
        entries = np.arange(108).reshape(3, 6, 6)
        return Symmetries(
            np.stack([cells.ravel(), cells[:, ::-1].ravel()]),
            np.stack([entries.ravel(), entries[..., ::-1].ravel()]),
        )
"""
PLAYERS = 'AGENTS = {"first:OFFSET": "first:First"}\n'
FIRST = """
from agents.agent import Agent

class First(Agent):
    def __init__(self, game, seed=None, spec="", offset: int = 0):
        super().__init__(game, seed, spec)
        self.offset = offset

    def choose(self, states, words):
        return self.game.legal(states).argmax(1)
"""
SETTINGS = """
network = "convolutional"
hidden = [16]
channels = 8
blocks = 1
ppo_steps = 256
num_envs = 16
rollout = 16
evaluate_every = 100_000
evaluation_games = 4
final_games = 10
opponents = { random = 1, "first:2" = 1, latest = 1 }
evaluate_against = ["random", "first"]
"""
MODULE_OF_THEIR_OWN = """
def factory(game, seed):
    import agents
    return agents.make("random", game, seed)
"""
PLAIN = """
class Plain:
    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmax(1)
"""


@pytest.fixture(autouse=True)
def no_allowed_code(monkeypatch):
    monkeypatch.setattr(user_code, "_allowed", set())


@pytest.fixture
def handed(own_package):
    """Import a user's package with a game, players and settings, from the current folder."""
    files = {
        "__init__.py": GAME,
        "players/__init__.py": PLAYERS,
        "players/first.py": FIRST,
        "players/training.toml": SETTINGS,
    }
    return own_package("handed", files)


def card_of(folder):
    return json.loads(Path(folder, "agent.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_users_game_has_its_own_settings_and_command(handed, command, own_module):
    status, out, _ = command("train", "handed:Handed", "--seed", "3")
    assert status == 0
    # A folder name that is valid on every file system.
    assert out.startswith(f"the agent: {Path('runs', 'handed_gekitai', 'agent.onnx')}\n")
    card = card_of("runs/handed_gekitai")
    assert card["settings"]["network"] == "convolutional"
    assert card["settings"]["opponents"] == {"random": 1, "first:2": 1, "latest": 1}
    assert [score["against"] for score in card["scores"]] == ["random", "first"]
    assert card["command"] == "boardenvs train handed:Handed --seed 3"

    Path("own settings.toml").write_text(SETTINGS.replace("16]", "8]"), encoding="utf-8")
    asked = ("train", "handed:Handed", "-p", "pieces=9", "--out", "run")
    asked += ("--settings", "own settings.toml")
    assert command(*asked, "--steps", "512")[0] == 0
    assert card_of("run")["settings"]["hidden"] == [8]
    status, out, _ = command(*asked, "--resume", "--steps", "1024")
    assert out.startswith("going on from step ")
    assert (status, card_of("run")["command"]) == (
        0,
        "boardenvs train handed:Handed -p pieces=9 --settings 'own settings.toml' "
        "--steps 1024 --seed 0",
    )

    # In a process that has not imported the game.
    words = shlex.split(card["command"])
    ran = subprocess.run(
        [sys.executable, "-m", "agents.command", *words[1:], "--out", "again"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert card_of("again")["sha256"] == card["sha256"]


def test_training_uses_the_symmetries_of_the_game(handed):
    from agents.training.ppo import make_ppo
    from agents.training.settings_files import settings_for

    game = handed.Handed()
    learner = make_ppo(game, settings_for(game), 0)
    assert len(learner.env._views) == 2


def test_settings_with_user_code_require_allow(handed, command, fails, own_module):
    own_module("their", MODULE_OF_THEIR_OWN)
    sys.modules.pop("their", None)
    text = SETTINGS.replace('"first"]', '"their:factory"]')
    Path("own.toml").write_text(text, encoding="utf-8")
    asked = ("train", "handed:Handed", "--settings", "own.toml", "--out", "run")
    said = "own.toml names 'their:factory', which runs code of your own .* --allow their:factory"
    fails(said, *asked)
    fails(said, *asked, "--allow", "their:other")
    assert "their" not in sys.modules
    assert not Path("run").exists()
    assert command(*asked, "--allow", "their:factory")[0] == 0
    user_code._allowed.clear()
    fails(said, *asked, "--resume")
    assert command(*asked, "--resume", "--allow", "their:factory")[0] == 0
    assert card_of("run")["command"] == (
        "boardenvs train handed:Handed --settings own.toml --allow their:factory "
        "--steps 256 --seed 0"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[clone]\nagent = "plain:Plain"', "clone.agent .*Agent.*'plain:Plain'"),
        (
            'evaluate_against = ["plain:Plain"]\n[guided]',
            "opponents .*Agent.*'plain:Plain'",
        ),
    ],
)
def test_an_agent_with_only_act_is_refused_before_training(text, said, fails, own_module):
    own_module("plain", PLAIN)
    Path("own.toml").write_text(text, encoding="utf-8")
    asked = ("--settings", "own.toml", "--out", "run", "--allow", "plain:Plain")
    fails(said, "train", "game112", *asked)
    assert not Path("run").exists()


def test_a_games_settings_with_other_code_require_allow(handed, command, fails, own_module):
    own_module("their", MODULE_OF_THEIR_OWN)
    beside = Path("handed", "players", "training.toml")
    beside.write_text(SETTINGS.replace('"first"]', '"their:factory"]'), encoding="utf-8")
    fails("training.toml names 'their:factory', which runs code", "train", "handed:Handed")
    assert "their" not in sys.modules
    assert command("train", "handed:Handed", "--allow", "their:factory")[0] == 0


def test_a_resumed_run_keeps_its_settings(handed, command, fails):
    Path("own.toml").write_text(SETTINGS, encoding="utf-8")
    asked = ("train", "handed:Handed", "--settings", "own.toml")
    assert command(*asked, "--steps", "16")[0] == 0
    Path("own.toml").write_text(SETTINGS + "epochs = 3\n", encoding="utf-8")
    fails("settings .*handed_gekitai.* epochs$", *asked, "--resume")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "own.toml .*No such file or directory"),
        ("steps =", "own.toml .*TOML"),
        ("ppo_step = 3", "own.toml: .*'ppo_step'.*; did you mean ppo_steps"),
        ('network = "convolutional"\nopponents = { first = 1 }', "there is no agent 'first'"),
        ('network = "plain"\n[guided]\nint8 = true', "guided.int8 .*convolutional"),
        ('evaluate_against = ["perfect"]', "agent 'perfect' .*game112"),
    ],
)
def test_bad_settings_are_refused_in_one_line(text, said, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("own.toml").write_text(text, encoding="utf-8")
    fails(said, "train", "game112", "--settings", "own.toml")
    assert not Path("runs").exists()
