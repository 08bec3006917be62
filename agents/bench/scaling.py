"""How cost grows: with threads, with memory, with the number of games, with the board."""

from __future__ import annotations

from typing import Any

import numpy as np

import boardenvs
from agents.bench.batch import COPYING, label, stepping
from agents.bench.ceilings import copying
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, interleaved

__all__ = ["core_gains", "curves_over_n", "curves_over_size", "memory"]

_ONE = "one thread"
_BOTH = "observation and mask alone"
_SIZES: dict[str, list[dict[str, Any]]] = {
    "gekitai": [{"board_size": n} for n in (6, 7, 8)],
    "gomoku": [{"board_size": n} for n in (5, 8, 9, 12, 15, 19, 26)],
    "game112": [{"board_size": n} for n in (3, 5, 7, 9)],
    "goat_race": [{"width": 9, "height": n} for n in (4, 6, 12, 18, 26)],
}


def core_gains(bench: Bench) -> list[Row]:
    """`BatchEnv.step` on two threads beside one."""
    effort = bench.effort
    sides: dict[Key, Side] = {}
    for name in effort.games:
        game = boardenvs.make(name)
        for num in effort.thread_envs:
            for threads in (2, 1):
                side = stepping(game, num, effort.seconds, threads)
                sides[name, f"{num:,}", str(threads)] = side
    found = bench.compare(sides)
    return [
        Row(f"two threads, N = {num}", name, value, "plies/s", _ONE, found[name, num, "1"])
        for (name, num, threads), value in found.items()
        if threads == "2"
    ]


def memory(bench: Bench) -> list[Row]:
    """Bytes that each game of a large `BatchEnv` holds, after steps that ended some games."""
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


def _curve(
    bench: Bench, games: list[tuple[str, dict[str, Any], int]], axis: str, points: list[int]
) -> list[Row]:
    """`BatchEnv.step` beside the writing of its bytes, along a curve.

    Args:
        bench: how much to do.
        games: name, parameters and batch size of each point.
        axis: of the curve.
        points: where on it each point is.
    """
    effort = bench.effort
    seconds = effort.curve_seconds
    rows = []
    for (name, params, num), point in zip(games, points, strict=True):
        game = boardenvs.make(name, **params)
        sides = {"": stepping(game, num, seconds), COPYING: copying(game, num, seconds)}
        found = interleaved(sides, effort.curve_rounds)
        measure = f"curve over {axis}, N = {num:,}"
        values = (found[""], "plies/s", COPYING, found[COPYING])
        rows.append(Row(measure, label(name, params), *values, point=(axis, point)))
    return rows


def curves_over_n(bench: Bench) -> list[Row]:
    """From one game to 65,536, on as many threads as `BatchEnv` chooses."""
    effort = bench.effort
    games: list[tuple[str, dict[str, Any], int]] = [
        (name, {}, num) for name in effort.games for num in effort.batch_sizes
    ]
    return _curve(bench, games, "N", [num for _, _, num in games])


def curves_over_size(bench: Bench) -> list[Row]:
    """The games with a board to choose, on boards of growing size."""
    effort = bench.effort
    games = []
    points = []
    for name in effort.games:
        chosen = _SIZES.get(name, [])
        few = np.linspace(0, len(chosen) - 1, min(len(chosen), effort.board_sizes)).round()
        for k in few.astype(int):
            params = chosen[k]
            games.append((name, params, 1024))
            side = params.get("board_size", 0)
            cells = side if name == "game112" else side**2
            points.append(params["width"] * params["height"] if "width" in params else cells)
    return _curve(bench, games, "cells", points)
