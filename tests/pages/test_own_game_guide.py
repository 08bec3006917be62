"""The guide to user-defined games: its game satisfies the contract."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boardenvs

PAGE = Path(boardenvs.__file__).with_name("OWN_GAME.md")
ROOT = PAGE.parents[1]
NIM, USE, BETTER = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def ran(tmp_path):
    """Return the function that runs Python in the folder of the guide's game."""
    (tmp_path / "nim.py").write_text(f"{NIM}\n\n{BETTER}", encoding="utf-8")
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(ROOT)

    def run(*command):
        return subprocess.run(
            [sys.executable, *command],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_first_game_has_at_most_35_lines():
    assert len([line for line in NIM.splitlines() if line.strip()]) <= 35


@pytest.mark.slow
def test_the_game_of_the_page_can_be_played(ran):
    done = ran("use.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mcts:200: ")


@pytest.mark.slow
def test_the_command_accepts_the_game(ran):
    done = ran("-m", "agents.command", "watch", "nim:Nim", "mcts:20", "greedy")
    assert (done.returncode, done.stderr) == (0, "")
    done = ran("-m", "agents.command", "info", "nim:Nim")
    assert (done.returncode, done.stderr) == (0, "")
    assert "heaps: 1 3 5 7" in done.stdout
    done = ran("-m", "agents.command", "watch", "nim:TypedNim", "random", "greedy")
    assert (done.returncode, done.stderr) == (0, "")


CARDS = """
import numpy as np
import boardenvs
from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner

def deal(s, p):
    s.cards[0], s.cards[1] = 1 + draw(s, 6), 1 + draw(s, 6)

def legal(s, p, mask):
    mask[:] = True

def play(s, p, action):
    if action == 1:
        s.cards[s.to_move] = 1 + draw(s, 6)
    if s.to_move == 1:
        if s.cards[0] == s.cards[1]:
            end_in_draw(s)
        else:
            end_with_winner(s, 0 if s.cards[0] > s.cards[1] else 1)
    s.to_move = 1 - s.to_move
    end_ply(s, p, action)

def observe(s, p, seat, out):
    out[0] = s.cards[seat]

def redraw(s, p, seat, stream):
    s.rng = stream
    s.cards[1 - seat] = 1 + draw(s, 6)

class Cards(boardenvs.Game):
    name = "cards"
    has_chance = has_hidden = True
    observation_high = 6

    def __init__(self, max_plies: int = 2) -> None:
        super().__init__(
            params={"max_plies": max_plies},
            num_players=2,
            num_actions=2,
            fields=[("cards", np.int8, (2,))],
            observation_shape=(1,),
        )
"""


CONTRACT = (str(ROOT / "tests" / "contract"), "-q", "--game", "nim:Nim", "--game", "nim:TypedNim")
PYTEST = str(Path(sys.executable).with_name("pytest"))
needs_checkout = pytest.mark.skipif(not (ROOT / "tests").is_dir(), reason="needs a checkout")


@pytest.mark.slow
@needs_checkout
def test_the_game_keeps_the_contract(ran):
    done = ran("-m", "pytest", "-n", "2", *CONTRACT, "-k", "nim")
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.slow
@needs_checkout
def test_a_game_of_two_plies_keeps_the_contract(ran, tmp_path):
    (tmp_path / "cards.py").write_text(CARDS, encoding="utf-8")
    done = ran("-m", "pytest", "-n", "0", *CONTRACT[:2], "--game", "cards:Cards", "-k", "cards")
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("command", [(PYTEST, "-n", "1"), ("-m", "pytest", "-n", "0")])
@needs_checkout
def test_the_contract_finds_the_game_in_the_current_folder(ran, command):
    done = ran(*command, *CONTRACT, "-k", "nim and test_the_facts_have")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "2 passed" in done.stdout


@needs_checkout
def test_a_game_that_cannot_be_imported_is_refused_in_one_line(ran):
    done = ran(PYTEST, "-n", "0", *CONTRACT, "--game", "nim:Mim")
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("ERROR: game 'nim:Mim' cannot be imported: ")
