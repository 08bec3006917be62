"""Parts of `BatchEnv.step` on one thread."""

from __future__ import annotations

import numpy as np

import boardenvs
from agents.bench.ceilings import copying
from agents.bench.row import Row
from agents.bench.rows.batch import stepping
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from boardenvs.core.chance import make_streams, next_bits
from boardenvs.game import Game

__all__ = ["parts_of_a_step"]

_STEP = "BatchEnv.step, one thread"
_PLAY = "of a step: play and legal moves"
_LEGAL = "of a step: legal moves"
_OBSERVE = "of a step: observation"
_BYTES = "of a step: np.copyto of the bytes"
_PLIES = 32  # first plies, in which all boards are alike


def _parts(game: Game, num: int, seconds: float) -> dict[str, Side]:
    """Return a side for each part that measures its boards per second."""
    kernels, constants = game.kernels, game.constants
    env = boardenvs.BatchEnv(game, num, 0, threads=1)
    streams = make_streams(np.uint64(1), num)
    actions = np.zeros(num, np.int64)
    for _ in range(_PLIES):
        kernels.random_actions(env.action_mask, next_bits(streams), actions)
        env.step(actions)
    kernels.random_actions(env.action_mask, next_bits(streams), actions)
    before, masks = env.states.copy(), env.action_mask.copy()
    seats = game.to_move(before).astype(np.int64)
    seen = np.empty((num, game.observation_size), np.int8)
    states, mask = before.copy(), masks.copy()

    def restore() -> None:
        np.copyto(states, before)
        np.copyto(mask, masks)

    def advance() -> int:
        kernels.play_games(states, constants, actions, mask)
        return num

    def show_legal() -> int:
        kernels.legal_games(before, constants, mask)
        return num

    def observe() -> int:
        kernels.observe_games(before, constants, seats, seen)
        return num

    return {
        _PLAY: lambda: rate(advance, seconds, restore),
        _LEGAL: lambda: rate(show_legal, seconds),
        _OBSERVE: lambda: rate(observe, seconds),
    }


def parts_of_a_step(bench: Bench) -> list[Row]:
    """Return rows that compare the time per board of each part with the whole step.

    The report of outcomes and the restart of finished games belong to no part.
    """
    effort = bench.effort
    sides: dict[Key, Side] = {}
    for name in effort.games:
        game = boardenvs.make(name)
        sides[name, _STEP] = stepping(game, effort.num_envs, effort.seconds, threads=1)
        for part, side in _parts(game, effort.num_envs, effort.seconds).items():
            sides[name, part] = side
        sides[name, _BYTES] = copying(game, effort.num_envs, effort.seconds)
    found = bench.compare(sides)
    return [
        Row(part, name, 1e9 / value, "ns/board", _STEP, 1e9 / found[name, _STEP])
        for (name, part), value in found.items()
        if part != _STEP
    ]
