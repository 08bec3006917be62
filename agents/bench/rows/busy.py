"""Steps while another program uses a core."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

import boardenvs
from agents.bench.row import Row
from agents.bench.rows.batch import stepping
from agents.bench.run import Bench, Key
from agents.bench.timing import Side

__all__ = ["busy_core", "steps_beside_another_program"]

_ONE = "one thread"
_SETTLE = 0.5
"""Time (s) in which `BatchEnv` adapts its number of threads before the measurement."""


@contextlib.contextmanager
def busy_core() -> Iterator[None]:
    """Run another program that keeps one core busy."""
    command = [sys.executable, "-S", "-c", "while True: pass"]
    with subprocess.Popen(command) as program:
        try:
            yield
        finally:
            program.kill()


def steps_beside_another_program(bench: Bench) -> list[Row]:
    """Return rows that compare the number of threads `BatchEnv` chooses with one thread."""
    effort = bench.effort
    num = effort.num_envs
    sides: dict[Key, Side] = {}
    with busy_core():
        for name in effort.games:
            game = boardenvs.make(name)
            sides[name,] = stepping(game, num, effort.seconds)
            sides[name, _ONE] = stepping(game, num, effort.seconds, threads=1)
            stepping(game, num, min(_SETTLE, 8 * effort.seconds))()
        found = bench.compare(sides)
    measure = f"BatchEnv.step, N = {num:,}, a core taken"
    return [
        Row(measure, name, found[name,], "plies/s", _ONE, found[name, _ONE])
        for name in effort.games
    ]
