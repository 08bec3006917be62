"""User-defined agents, given as `MODULE:CLASS`."""

import sys

import gymnasium
import pytest
from keyboards import CELLS
from sb3_contrib import MaskablePPO

from boardenvs.registration import env_id

OWN = """
class First:
    deterministic = True

    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmax(1)

class Raises(First):
    def act(self, states):
        raise KeyError("lost")

class Leaves(First):
    def act(self, states):
        raise SystemExit("gone")

class Illegal(First):
    def act(self, states):
        return states["last_action"].clip(0)

class Notes(First):
    # Writes down its seed and the random words it is given.

    notes = []

    def __init__(self, game, seed):
        super().__init__(game, seed)
        self.notes.append(seed)

    def choose(self, states, words):
        self.notes.append(int(words[0]))
        return self.act(states)

class Outside(First):
    def act(self, states):
        return [1000] * len(states)
"""


def test_an_agent_in_the_current_folder_is_found(tmp_path, installed):
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    ran = installed("arena", "gekitai", "mine:First", "random", "--games", "10", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[2].startswith("mine:First  random     10 ")
    ran = installed("watch", "gekitai", "mine:First", "random", "--seed", "1", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1. mine:First: A1\n" in ran.stdout


@pytest.mark.slow
def test_an_agent_is_found_beside_another_package_named_agents(tmp_path, installed):
    """Worker processes import the package `agents`, even if the current folder has another one."""
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "agents.py").write_text("raise SystemExit('run')", encoding="utf-8")
    asked = ("arena", "gekitai", "mine:First", "random", "--games", "10", "--workers", "2")
    ran = installed(*asked, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[2].startswith("mine:First  random     10 ")


@pytest.mark.parametrize(
    ("agent", "said"),
    [("Raises", "KeyError: 'lost'"), ("Leaves", "SystemExit: gone"), ("Outside", "action .*1000")],
)
def test_a_failing_agent_is_one_line(fails, own_module, agent, said):
    own_module("mine", OWN)
    spec = f"mine:{agent}"
    fails(said, "watch", "gekitai", spec, "random")
    fails(said, "play", "gekitai", "--opponent", spec, "--seat", "1")
    fails(f"{agent} failed: .*{said}", "arena", "gekitai", "random", spec, "--games", "2")


def test_an_agent_that_moves_illegally_loses(command, own_module):
    own_module("mine", OWN)
    status, out, _ = command("watch", "gekitai", "random", "mine:Illegal", "--seed", "1")
    assert status == 0
    assert out.endswith("\nResult: mine:Illegal loses by an illegal action\n")
    status, out, _ = command("arena", "gekitai", "random", "mine:Illegal", "--games", "20")
    assert out.splitlines()[2].split()[2:6] == ["20", "20", "0", "0"]


def test_two_agents_of_one_game_have_different_seeds(command, own_module):
    own_module("mine", OWN)
    command("watch", "game112", "mine:Notes", "mine:Notes", "--seed", "6")
    one, other = sys.modules["mine"].Notes.notes[:2]
    assert len({one, other, 6}) == 3


def test_every_turn_of_the_opponent_has_its_own_random_bits(command, own_module, typed):
    own_module("mine", OWN)
    typed(*CELLS * 30)
    command("play", "gekitai", "--opponent", "mine:Notes", "--seed", "6")
    seed, *words = sys.modules["mine"].Notes.notes
    assert seed != 6
    assert len(set(words)) == len(words) > 2


def test_commands_accept_a_saved_model_of_stable_baselines3(command, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = gymnasium.make(env_id("game112"))
    MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, device="cpu").save("model.zip")
    spec = "sb3:model.zip"
    short = ["--minutes", "0.1", "--workers", "2"]
    status, out, _ = command("benchmark", spec, "--tasks", "game112", *short)
    assert status == 0
    assert out.splitlines()[-1].startswith(f"| {spec} | ")
    status, out, _ = command("arena", "game112", "random", spec, "--games", "4", "--workers", "1")
    assert status == 0
    assert spec in out
    status, out, _ = command("watch", "game112", spec, "random", "--seed", "0")
    assert status == 0
    fails(r"sb3:model\.zip must observe", "benchmark", spec, "--tasks", "gekitai", *short)
