"""What the PettingZoo and Gymnasium environments share: spaces, seeds, starts, rendering."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from gymnasium import spaces

from boardenvs.chance import seed_word
from boardenvs.game import Game, States

__all__ = [
    "OutOfBoundsError",
    "action_number",
    "base_word",
    "check_render_mode",
    "integer_box",
    "show",
    "start_states",
]

RENDER_MODES = ["ansi", "human"]


class OutOfBoundsError(ValueError, AssertionError):
    """An action outside of the action space.

    A `ValueError` as everywhere in this package, and an `AssertionError` as PettingZoo's
    `AssertOutOfBoundsWrapper` raises.
    """


def integer_box(high: int, shape: tuple[int, ...]) -> spaces.Space[Any]:
    """The space of int8 arrays from 0 to `high`."""
    return spaces.Box(0, high, shape, np.int8)


def action_number(action: Any, num_actions: int) -> int:
    """An action as an int.

    Raises:
        OutOfBoundsError: it is no whole number, or not in the action space.
    """
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        raise OutOfBoundsError(
            f"action {action!r} is outside of the action space, 0 to {num_actions - 1}"
        )
    return number


def base_word(seed: int | None, np_random: np.random.Generator) -> np.uint64:
    """The word that a reset's random streams come from: the seed's, or the next one."""
    if seed is not None:
        return seed_word(seed)
    return np_random.integers(0, 2**64, dtype=np.uint64)


def start_states(game: Game, options: dict[str, Any] | None, num: int) -> States | None:
    """The positions of `options["state"]`, one for all or an array of `num`; else `None`.

    Raises:
        ValueError: they are no valid positions, or over.
    """
    state = (options or {}).get("state")
    if state is None:
        return None
    if isinstance(state, np.ndarray) and state.ndim == 1 and len(state) == num:
        states = np.concatenate([game.restore(one) for one in state])
    else:
        states = np.repeat(game.restore(state), num)
    if (states["terminated"] | states["truncated"]).any():
        raise ValueError("the state is over: an environment starts from a live position")
    return game.batch(states)


def check_render_mode(render_mode: str | None) -> None:
    """Raise `ValueError` for a mode that no environment has."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be one of {RENDER_MODES} or None, got {render_mode!r}")


def show(game: Game, states: States, render_mode: str | None) -> str | None:
    """The text of the first position: returned in mode "ansi", printed in mode "human".

    Raises:
        ValueError: the environment was made without a render mode.
    """
    if render_mode is None:
        raise ValueError(
            f"render needs an environment made with render_mode, one of {RENDER_MODES}"
        )
    text = game.to_text(states[0])
    if render_mode == "ansi":
        return text
    print(text, end="")
    return None
