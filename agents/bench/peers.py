"""Other packages' environments, driven as their own documents drive them."""

from __future__ import annotations

import os
import random
from typing import Any

from agents.bench.timing import Side, rate

__all__ = ["connect_four", "open_spiel_gomoku", "open_spiel_mcts", "pgx_steps"]


def pgx_steps(name: str, num: int, seconds: float) -> Side:
    """Steps of one of pgx's games on the processor, in plies a second.

    Jitted, vectorised and reset automatically as pgx's documents do. Actions are uniformly
    random legal ones; drawing them does not count, as it does not for `BatchEnv`.

    Args:
        name: of the game.
        num: games side by side.
        seconds: length of a turn.

    Raises:
        ImportError: there is no pgx.
    """
    import jax
    import pgx
    from pgx.experimental import auto_reset

    processor = jax.devices("cpu")[0]
    env = pgx.make(name)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))

    def drawn(key: Any, mask: Any) -> tuple[Any, Any, Any]:
        key, one, two = jax.random.split(key, 3)
        logits = jax.numpy.where(mask, 0.0, -jax.numpy.inf)
        return key, jax.random.categorical(one, logits), jax.random.split(two, num)

    draw = jax.jit(drawn)
    with jax.default_device(processor):
        key = jax.random.PRNGKey(0)
        state = jax.jit(jax.vmap(env.init))(jax.random.split(key, num))
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


def connect_four() -> Any:
    """PettingZoo's connect_four, with its checks.

    Raises:
        ImportError: there is no pygame, which it needs.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import connect_four_v3

    return connect_four_v3.env()


def open_spiel_gomoku(size: int, seconds: float) -> Side:
    """Random play to the end of OpenSpiel's gomoku, driven from Python, in plies a second.

    Args:
        size: of the board.
        seconds: length of a turn.

    Raises:
        ImportError: there is no OpenSpiel.
    """
    import pyspiel

    game = pyspiel.load_game(f"gomoku(size={size})")
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


def open_spiel_mcts(size: int, simulations: int, seconds: float) -> Side:
    """Moves a second of OpenSpiel's C++ MCTSBot from the start of its gomoku.

    Args:
        size: of the board.
        simulations: for each move, one random play to the end each.
        seconds: length of a turn.

    Raises:
        ImportError: there is no OpenSpiel.
    """
    import pyspiel

    game = pyspiel.load_game(f"gomoku(size={size})")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    memory_mb = 1000
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, memory_mb, False, 0, False)
    state = game.new_initial_state()

    def work() -> int:
        bot.step(state)
        return 1

    return lambda: rate(work, seconds)
