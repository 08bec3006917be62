"""`BatchEnv.step` beside the writing of its bytes, pgx, and itself on one thread."""

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
from boardenvs.chance import next_words, stream_words
from boardenvs.game import Game

__all__ = ["COPYING", "batch_steps", "label", "stepping"]

COPYING = "np.copyto of the bytes"
_AGAINST_PGX: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gekitai", {}),
    ("game112", {}),
    ("gomoku", {"board_size": 9}),
)


def label(name: str, params: dict[str, Any]) -> str:
    """A game as the table names it."""
    return " ".join([name, *(f"{key}={value}" for key, value in params.items())])


def stepping(game: Game, num: int, seconds: float, threads: int | None = None) -> Side:
    """Steps of `BatchEnv`, in plies a second.

    Actions are uniformly random legal ones; drawing them does not count.

    Args:
        game: what is played.
        num: games side by side.
        seconds: length of a turn.
        threads: of `BatchEnv`.
    """
    env = boardenvs.BatchEnv(game, num, 0, threads=threads)
    words = stream_words(np.uint64(1), num)
    actions = np.zeros(num, np.int64)

    def prepare() -> None:
        game.kernels.random_actions(env.action_mask, next_words(words), actions)

    def work() -> int:
        env.step(actions)
        return num

    for _ in range(32):  # away from the start, where all boards are alike
        prepare()
        work()
    return lambda: rate(work, seconds, prepare)


def batch_steps(bench: Bench) -> list[Row]:
    """Every game beside the writing of its bytes, three of them beside pgx."""
    effort = bench.effort
    num, seconds = effort.num_envs, effort.seconds
    rivals = [label(name, params) for name, params in _AGAINST_PGX if name in effort.games]
    games = {name: boardenvs.make(name) for name in effort.games}
    games |= {label(n, p): boardenvs.make(n, **p) for n, p in _AGAINST_PGX if n in effort.games}
    sides: dict[Key, Side] = {}
    for name, game in games.items():
        sides[name,] = stepping(game, num, seconds)
        sides[name, COPYING] = copying(game, num, seconds)
    peers = [f"pgx {name}" for name in effort.pgx]
    for peer, name in zip(peers, effort.pgx, strict=True):
        side = bench.peer("pgx", "bench", functools.partial(pgx_steps, name, num, seconds))
        if side is not None:
            sides[peer,] = side
    found = bench.compare(sides)
    measure, unit = f"BatchEnv.step, N = {num:,}", "plies/s"
    return [
        *(Row(measure, g, found[g,], unit, COPYING, found[g, COPYING]) for g in games),
        *(
            Row(measure, g, found[g,], unit, peer, found.get((peer,)))
            for g in rivals
            for peer in peers
        ),
    ]
