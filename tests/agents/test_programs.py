"""Programs that are run by `python -m`: each is there, and starts without a warning."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    for path in ROOT.glob("agents/**/*.py")
    if '\nif __name__ == "__main__":\n' in path.read_text(encoding="utf-8")
)


def test_the_programs():
    assert {"agents.command", "agents.grading", "agents.games.gekitai.proof"} <= set(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_starts(program):
    ran = subprocess.run(  # noqa: PLW1510 the status is looked at
        [sys.executable, "-W", "error::RuntimeWarning", "-m", program, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("usage: ")
