"""The PettingZoo and Gymnasium environments, of one game and of many."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

import boardenvs
from agents.speed.ceilings import ZeroEnv
from agents.speed.peers import pettingzoo_connect_four
from agents.speed.row import Row
from agents.speed.rows.batches import stepping
from agents.speed.run import Bench, Key
from agents.speed.timing import Side, rate
from boardenvs.core.chance import make_streams, next_bits
from boardenvs.registration import env_id

__all__ = ["aec_loops", "looping", "seat_steps", "seating", "vector_steps", "vectoring"]

_CHUNK = 100  # steps between two readings of the clock
_CONNECT_FOUR = "PettingZoo connect_four"
_ZERO = "zero cost, the same wrappers"
_BATCH = "BatchEnv.step, same N"


def _picker() -> Callable[[Any], int]:
    """Return a function that samples a legal action uniformly and fast."""
    draw = random.Random(0).random

    def pick(mask: Any) -> int:
        legal = mask.nonzero()[0]
        return int(legal[int(draw() * len(legal))])

    return pick


def looping(env: Any, seconds: float) -> Side:
    """Return a side that measures the plies per second of a PettingZoo loop with random actions."""
    pick = _picker()
    env.reset(seed=0)

    def work() -> int:
        for _ in range(_CHUNK):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            env.step(pick(observation["action_mask"]))
        return _CHUNK

    return lambda: rate(work, seconds)


def aec_loops(bench: Bench) -> list[Row]:
    """Return rows that compare every game with PettingZoo's connect_four."""
    sides: dict[Key, Side] = {
        (name,): looping(getattr(boardenvs, f"{name}_v0").env(), bench.effort.seconds)
        for name in bench.effort.games
    }
    rival = bench.peer(_CONNECT_FOUR, "bench", pettingzoo_connect_four)
    if rival is not None:
        sides[_CONNECT_FOUR,] = looping(rival, bench.effort.seconds)
    return bench.rows("AEC env() loop", "plies/s", _CONNECT_FOUR, sides)


def seating(env: Any, seconds: float) -> Side:
    """Return a side that measures the steps per second of a Gymnasium loop with random actions."""
    pick = _picker()
    mask = env.reset(seed=0)[1]["action_mask"]

    def work() -> int:
        nonlocal mask
        for _ in range(_CHUNK):
            _, _, terminated, truncated, info = env.step(pick(mask))
            if terminated or truncated:
                info = env.reset()[1]
            mask = info["action_mask"]
        return _CHUNK

    return lambda: rate(work, seconds)


def seat_steps(bench: Bench) -> list[Row]:
    """Return rows that compare `gym.make` with an environment that does nothing."""
    effort = bench.effort
    sides: dict[Key, Side] = {}
    for name in effort.games:
        make_zero = functools.partial(ZeroEnv, boardenvs.make(name))
        zero = EnvSpec("boardenvs/ZeroCost-v0", entry_point=make_zero)
        sides[name,] = seating(gymnasium.make(env_id(name)), effort.seconds)
        sides[name, _ZERO] = seating(gymnasium.make(zero), effort.seconds)
    return bench.rows("gym.make, step", "steps/s", _ZERO, sides)


def vectoring(name: str, num: int, seconds: float) -> Side:
    """Return a side that measures the steps per second of `gym.make_vec`, summed over all games.

    Actions are uniformly random legal ones. The time to sample them does not count.
    """
    envs = gymnasium.make_vec(env_id(name), num, vectorization_mode="vector_entry_point")
    random_actions = boardenvs.make(name).kernels.random_actions
    streams = make_streams(np.uint64(1), num)
    actions = np.zeros(num, np.int64)
    mask = envs.reset(seed=0)[1]["action_mask"]

    def prepare() -> None:
        random_actions(mask.view(np.bool_), next_bits(streams), actions)

    def work() -> int:
        nonlocal mask
        mask = envs.step(actions)[-1]["action_mask"]
        return num

    for _ in range(32):
        prepare()
        work()
    return lambda: rate(work, seconds, prepare)


def vector_steps(bench: Bench) -> list[Row]:
    """Return rows that compare each game with `BatchEnv`, which has no opponents."""
    effort = bench.effort
    num = effort.vector_envs
    sides: dict[Key, Side] = {}
    for name in effort.games:
        sides[name,] = vectoring(name, num, effort.seconds)
        sides[name, _BATCH] = stepping(boardenvs.make(name), num, effort.seconds)
    return bench.rows(f"gym.make_vec, N = {num:,}", "steps/s", _BATCH, sides)
