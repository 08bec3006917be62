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
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(ROOT)])

    def run(*command, cwd=tmp_path):
        return subprocess.run(
            [sys.executable, *command],
            env=environment,
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_first_game_is_short():
    assert len([line for line in NIM.splitlines() if line.strip()]) <= 35


@pytest.mark.slow
def test_the_game_is_played(ran):
    done = ran("use.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mcts:200: ")


@pytest.mark.slow
def test_the_command_takes_it(ran):
    done = ran("-m", "agents.command", "watch", "nim:Nim", "mcts:20", "greedy")
    assert (done.returncode, done.stderr) == (0, "")
    done = ran("-m", "agents.command", "info", "nim:Nim")
    assert (done.returncode, done.stderr) == (0, "")
    assert "heaps: 1 3 5 7" in done.stdout
    done = ran("-m", "agents.command", "watch", "nim:TypedNim", "random", "greedy")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "tests").is_dir(), reason="needs a checkout")
def test_the_game_keeps_the_contract(ran):
    games = ("--game", "nim:Nim", "--game", "nim:TypedNim", "-k", "nim")
    done = ran("-m", "pytest", "-q", "-n", "2", "tests/contract", *games, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-2000:]
