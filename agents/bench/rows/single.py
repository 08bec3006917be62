"""The PettingZoo and Gymnasium environments, which play one game at a time."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

import boardenvs
from agents.bench.ceilings import ZeroEnv
from agents.bench.peers import pettingzoo_connect_four
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from boardenvs.registration import env_id

__all__ = ["aec_loops", "looping", "seat_steps", "seating"]

_CHUNK = 100  # steps between two readings of the clock
_CONNECT_FOUR = "PettingZoo connect_four"
_ZERO = "zero cost, the same wrappers"


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
    effort = bench.effort
    sides: dict[Key, Side] = {
        (name,): looping(getattr(boardenvs, f"{name}_v0").env(), effort.seconds)
        for name in effort.games
    }
    rival = bench.peer(_CONNECT_FOUR, "bench", pettingzoo_connect_four)
    if rival is not None:
        sides[_CONNECT_FOUR,] = looping(rival, effort.seconds)
    found = bench.compare(sides)
    peers_own = found.get((_CONNECT_FOUR,))
    return [
        Row("AEC env() loop", name, found[name,], "plies/s", _CONNECT_FOUR, peers_own)
        for name in effort.games
    ]


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
    found = bench.compare(sides)
    return [
        Row("gym.make, step", name, found[name,], "steps/s", _ZERO, found[name, _ZERO])
        for name in effort.games
    ]
