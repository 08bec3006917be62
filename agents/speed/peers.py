"""Environments of other packages, used as their documentation recommends."""

from __future__ import annotations

import functools
import os
import random
from typing import Any

from agents.speed.timing import Side, rate

__all__ = [
    "open_spiel_mcts",
    "open_spiel_random",
    "pettingzoo_connect_four",
    "pgx_scan",
    "pgx_steps",
]

_PLIES = 64


@functools.cache
def _pgx(name: str) -> tuple[Any, Any]:
    """Return the batched and compiled `init` and `step` of a game of pgx."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    return jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(auto_reset(env.step, env.init)))


def _random_actions(key: Any, mask: Any) -> tuple[Any, Any, Any]:
    """Return the next key, a random legal action for each game, and a key for each game."""
    import jax

    key, one, two = jax.random.split(key, 3)
    logits = jax.numpy.where(mask, 0.0, -jax.numpy.inf)
    return key, jax.random.categorical(one, logits), jax.random.split(two, len(mask))


def pgx_steps(name: str, num: int, seconds: float) -> Side:
    """Return a side that measures the plies per second of a game of pgx on the CPU.

    Steps are jitted, vectorised and reset automatically, as in pgx's documentation. Actions are
    uniformly random legal ones. As for `BatchEnv`, the time to sample them does not count.

    Args:
        name: name of the game.
        num: number of games.
        seconds: length of a turn.

    Raises:
        ImportError: pgx is not installed.
    """
    import jax

    processor = jax.devices("cpu")[0]
    init, step = _pgx(name)

    draw = jax.jit(_random_actions)
    with jax.default_device(processor):
        key = jax.random.PRNGKey(0)
        state = init(jax.random.split(key, num))
        actions = keys = None

    def prepare() -> None:
        nonlocal key, actions, keys
        key, actions, keys = jax.block_until_ready(draw(key, state.legal_action_mask))

    def work() -> int:
        nonlocal state
        state = jax.block_until_ready(step(state, actions, keys))
        return num

    def side() -> float:
        with jax.default_device(processor):
            return rate(work, seconds, prepare)

    return side


def pgx_scan(name: str, num: int, seconds: float, platform: str = "cpu") -> Side:
    """Return a side that measures the plies per second of pgx inside one `lax.scan`.

    The jitted loop includes the automatic resets and the sampling of random actions.

    Args:
        name: name of the game.
        num: number of games.
        seconds: length of a turn.
        platform: "cpu" or "gpu".

    Raises:
        ImportError: pgx is not installed, or JAX has no such platform.
    """
    import jax

    try:
        processor = jax.devices(platform)[0]
    except RuntimeError:
        raise ImportError(f"JAX finds no {platform.upper()}") from None
    init, step = _pgx(name)

    def ply(carry: Any, _: Any) -> tuple[Any, None]:
        key, state = carry
        key, actions, keys = _random_actions(key, state.legal_action_mask)
        return (key, step(state, actions, keys)), None

    play = jax.jit(lambda carry: jax.lax.scan(ply, carry, None, length=_PLIES)[0])
    with jax.default_device(processor):
        key = jax.random.PRNGKey(0)
        carry = key, init(jax.random.split(key, num))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(play(carry))
        return _PLIES * num

    def side() -> float:
        with jax.default_device(processor):
            return rate(work, seconds)

    return side


def pettingzoo_connect_four() -> Any:
    """Return PettingZoo's connect_four with its default wrappers.

    Raises:
        ImportError: pygame, which connect_four requires, is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import connect_four_v3

    return connect_four_v3.env()


def open_spiel_random(name: str, seconds: float) -> Side:
    """Return a side that measures the plies per second of random games of OpenSpiel in Python.

    Args:
        name: OpenSpiel's name of the game, with parameters.
        seconds: length of a turn.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    draw = random.Random(0).random

    def work() -> int:
        state = game.new_initial_state()
        plies = 0
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
            plies += 1
        return plies

    return lambda: rate(work, seconds)


def open_spiel_mcts(name: str, simulations: int, seconds: float) -> Side:
    """Return a side that measures the moves per second of OpenSpiel's C++ MCTSBot.

    The bot always moves in the start position. Each simulation has one random rollout.

    Args:
        name: OpenSpiel's name of the game, with parameters.
        simulations: number of simulations for each move.
        seconds: length of a turn.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    memory_mb = 1000
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, memory_mb, False, 0, False)
    state = game.new_initial_state()

    def work() -> int:
        bot.step(state)
        return 1

    return lambda: rate(work, seconds)
