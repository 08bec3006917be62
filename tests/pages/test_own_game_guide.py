"""The guide to a game of one's own: its files are a game that keeps the contract of the six."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boardenvs

PAGE = Path(boardenvs.__file__).with_name("OWN_GAME.md")
ROOT = PAGE.parents[2]


@pytest.fixture
def ran(tmp_path):
    """The function that runs Python where the guide's game lies."""
    rules, game, use = re.findall(
        r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    (tmp_path / "nim").mkdir()
    (tmp_path / "nim" / "rules.py").write_text(rules, encoding="utf-8")
    (tmp_path / "nim" / "__init__.py").write_text(game, encoding="utf-8")
    (tmp_path / "use.py").write_text(use, encoding="utf-8")
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


def test_the_game_is_played(ran):
    done = ran("use.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mcts:200: ")


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "tests").is_dir(), reason="only in a checkout")
def test_the_game_keeps_the_contract(ran):
    contract = ("tests/contract", "--game", "nim:Nim", "-p", "no:cacheprovider")
    done = ran("-m", "pytest", "-q", "-n", "2", *contract, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-2000:]
