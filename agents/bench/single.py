"""One game at a time: the PettingZoo and the Gymnasium environments."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

import boardenvs
from agents.bench.ceilings import ZeroAECEnv, ZeroEnv
from agents.bench.peers import connect_four
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate
from boardenvs.registration import env_id

__all__ = ["aec_loops", "looping", "seat_steps", "seating"]

_CHUNK = 100  # steps between two looks at the clock
_CONNECT_FOUR = "PettingZoo connect_four"
_CUSTOMARY = "zero cost, PettingZoo's checks"
_OWN = "zero cost, bounds checked"
_ZERO = "zero cost, the same wrappers"


def _picker() -> Callable[[Any], int]:
    """A function that picks a uniformly random legal action, at little cost."""
    draw = random.Random(0).random

    def pick(mask: Any) -> int:
        legal = mask.nonzero()[0]
        return int(legal[int(draw() * len(legal))])

    return pick


def looping(env: Any, seconds: float) -> Side:
    """Plies a second of `last`, picking a legal action, `step`, and `reset` after a game."""
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
    """`env()` and `raw_env()` beside PettingZoo's connect_four and beside doing nothing."""
    effort = bench.effort
    sides: dict[Key, Side] = {}
    for name in effort.games:
        module = getattr(boardenvs, f"{name}_v0")
        game = boardenvs.make(name)
        customary = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(ZeroAECEnv(game)))
        sides["env()", name] = looping(module.env(), effort.seconds)
        sides["raw_env()", name] = looping(module.raw_env(), effort.seconds)
        sides[_CUSTOMARY, name] = looping(customary, effort.seconds)
        # env() wraps its environment in nothing, since that makes the checks itself.
        sides[_OWN, name] = looping(ZeroAECEnv(game, checked=True), effort.seconds)
    rival = bench.peer(_CONNECT_FOUR, "bench", connect_four)
    if rival is not None:
        sides[_CONNECT_FOUR,] = looping(rival, effort.seconds)
    found = bench.compare(sides)
    rows = []
    for against, which in (
        (_CONNECT_FOUR, "env()"),
        (_CONNECT_FOUR, "raw_env()"),
        (_CUSTOMARY, "env()"),
        (_OWN, "env()"),
    ):
        for name in effort.games:
            key = (against,) if against == _CONNECT_FOUR else (against, name)
            rows.append(
                Row(
                    f"AEC {which} loop", name, found[which, name], "plies/s", against,
                    found.get(key),
                )
            )  # fmt: skip
    return rows


def seating(env: Any, seconds: float) -> Side:
    """Steps a second of a Gymnasium environment, with `reset` after a game."""
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
    """`gym.make` with random opponents beside an environment that does nothing."""
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
