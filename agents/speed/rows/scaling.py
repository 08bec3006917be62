"""Gain of a second thread, memory, and cost by number of games and by board size.

The gain of threads is also measured while another program uses a core.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import boardenvs
from agents.speed.ceilings import copying
from agents.speed.row import Row
from agents.speed.rows.batches import COPYING, label, stepping
from agents.speed.run import Bench, Key
from agents.speed.timing import Side, interleaved

__all__ = [
    "busy_core",
    "core_gains",
    "curves_over_n",
    "curves_over_size",
    "memory",
    "steps_beside_another_program",
]

_ONE = "one thread"
_TWO = "two threads"
_SETTLE = 0.5
"""Time (s) in which `BatchEnv` adapts its number of threads before the measurement."""
_BOTH = "observation and mask alone"
_SIZE_ENVS = 1024
_SIZES: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "gekitai": [(n * n, {"board_size": n}) for n in (6, 7, 8)],
    "gomoku": [(n * n, {"board_size": n}) for n in (5, 8, 9, 12, 15, 19, 26)],
    "game112": [(n, {"board_size": n}) for n in (3, 5, 7, 9)],
    "goat_race": [(9 * n, {"width": 9, "height": n}) for n in (4, 6, 12, 18, 26)],
}
"""Number of cells and parameters of the boards measured."""

_Point = tuple[int, int, dict[str, Any]]
"""Horizontal position on the curve, number of games, and parameters."""


def core_gains(bench: Bench) -> list[Row]:
    """Return rows that compare `BatchEnv.step` on two threads with one thread."""
    effort = bench.effort
    sides: dict[Key, Side] = {}
    for name in effort.games:
        game = boardenvs.make(name)
        for num in effort.thread_envs:
            for what, threads in ((_TWO, 2), (_ONE, 1)):
                sides[name, f"{num:,}", what] = stepping(game, num, effort.seconds, threads)
    found = bench.compare(sides)
    return [
        Row(f"{_TWO}, N = {num}", name, value, "plies/s", _ONE, found[name, num, _ONE])
        for (name, num, what), value in found.items()
        if what == _TWO
    ]


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
        return bench.rows(f"BatchEnv.step, N = {num:,}, a core taken", "plies/s", _ONE, sides)


def memory(bench: Bench) -> list[Row]:
    """Return rows with the bytes per game of a large `BatchEnv` after some steps."""
    num = bench.effort.memory_envs
    rows = []
    for name in bench.effort.games:
        env = boardenvs.BatchEnv(name, num, 0)
        for _ in range(3):
            returned = env.step(env.action_mask.argmax(1))
        shown = env.observation.nbytes + env.action_mask.nbytes
        whole = shown + env.states.nbytes + env.to_move.nbytes + sum(a.nbytes for a in returned)
        rows.append(
            Row(f"memory, N = {num:,}", name, whole / num, "bytes/board", _BOTH, shown / num)
        )
    return rows


def _curves(bench: Bench, axis: str, points: dict[str, list[_Point]]) -> list[Row]:
    """Return rows that compare `BatchEnv.step` with a copy of its bytes at each point.

    The points of a game take turns.

    Args:
        bench: sizes of the run.
        axis: name of the horizontal axis.
        points: points of each game, by name of the game.
    """
    effort = bench.effort
    seconds = effort.curve_seconds
    rows = []
    for name, its in points.items():
        sides: dict[tuple[int, bool], Side] = {}
        for where, num, params in its:
            game = boardenvs.make(name, **params)
            sides[where, True] = stepping(game, num, seconds)
            sides[where, False] = copying(game, num, seconds)
        found = interleaved(sides, effort.curve_rounds)
        rows += [
            Row(
                f"curve over {axis}, N = {num:,}",
                label(name, params),
                found[where, True],
                "plies/s",
                COPYING,
                found[where, False],
                point=(axis, where),
            )
            for where, num, params in its
        ]
    return rows


def curves_over_n(bench: Bench) -> list[Row]:
    """Return rows for growing numbers of games, with the threads that `BatchEnv` chooses."""
    effort = bench.effort
    points: list[_Point] = [(num, num, {}) for num in effort.batch_sizes]
    return _curves(bench, "N", dict.fromkeys(effort.games, points))


def curves_over_size(bench: Bench) -> list[Row]:
    """Return rows for growing board sizes."""
    effort = bench.effort
    points: dict[str, list[_Point]] = {}
    for name, chosen in _SIZES.items():
        if name in effort.games:
            few = np.linspace(0, len(chosen) - 1, min(len(chosen), effort.board_sizes))
            its = [chosen[k] for k in few.round().astype(int)]
            points[name] = [(cells, _SIZE_ENVS, params) for cells, params in its]
    return _curves(bench, "cells", points)
