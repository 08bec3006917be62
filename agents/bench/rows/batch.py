"""`BatchEnv.step` compared with a copy of its observations and masks, and with pgx."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import boardenvs
from agents.bench.ceilings import copying
from agents.bench.peers import pgx_steps
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from boardenvs.core.chance import make_streams, next_bits
from boardenvs.game import Game

__all__ = ["COPYING", "batch_steps", "label", "stepping"]

COPYING = "np.copyto of the bytes"
_AGAINST_PGX: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("gekitai", {}, "connect_four"),
    ("game112", {}, "tic_tac_toe"),
    ("gomoku", {"board_size": 9}, "othello"),
)
"""Name and parameters of each game, and the game of pgx to compare it with."""


def label(name: str, params: dict[str, Any]) -> str:
    """Return the name of a game in the table."""
    return " ".join([name, *(f"{key}={value}" for key, value in params.items())])


def stepping(game: Game, num: int, seconds: float, threads: int | None = None) -> Side:
    """Return a side that measures the plies per second of `BatchEnv.step`.

    Actions are uniformly random legal ones. The time to sample them does not count.

    Args:
        game: the game.
        num: number of games.
        seconds: length of a turn.
        threads: argument `threads` of `BatchEnv`.
    """
    env = boardenvs.BatchEnv(game, num, 0, threads=threads)
    streams = make_streams(np.uint64(1), num)
    actions = np.zeros(num, np.int64)

    def prepare() -> None:
        game.kernels.random_actions(env.action_mask, next_bits(streams), actions)

    def work() -> int:
        env.step(actions)
        return num

    for _ in range(32):  # skip the first plies, in which all boards are alike
        prepare()
        work()
    return lambda: rate(work, seconds, prepare)


def batch_steps(bench: Bench) -> list[Row]:
    """Return rows that compare every game with a copy of its bytes or a game of pgx."""
    effort = bench.effort
    num, seconds = effort.num_envs, effort.seconds
    rivals = {label(n, p): (n, p, peer) for n, p, peer in _AGAINST_PGX if n in effort.games}
    games = {name: boardenvs.make(name) for name in effort.games}
    games |= {shown: boardenvs.make(n, **p) for shown, (n, p, _) in rivals.items()}
    sides: dict[Key, Side] = {}
    for name, game in games.items():
        sides[name,] = stepping(game, num, seconds)
        sides[name, COPYING] = copying(game, num, seconds)
    for _, _, peer in rivals.values():
        side = bench.peer("pgx", "bench", functools.partial(pgx_steps, peer, num, seconds))
        if side is not None:
            sides[f"pgx {peer}",] = side
    found = bench.compare(sides)
    measure, unit = f"BatchEnv.step, N = {num:,}", "plies/s"
    return [
        *(Row(measure, g, found[g,], unit, COPYING, found[g, COPYING]) for g in games),
        *(
            Row(measure, g, found[g,], unit, f"pgx {peer}", found.get((f"pgx {peer}",)))
            for g, (_, _, peer) in rivals.items()
        ),
    ]
