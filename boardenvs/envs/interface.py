"""What the PettingZoo and Gymnasium environments share: spaces, seeds, starts, rendering."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from boardenvs.core.chance import seed_word
from boardenvs.core.checks import shown, whole_number
from boardenvs.game import Game, States
from boardenvs.registration import make
from boardenvs.show.pixels import SIZES

__all__ = [
    "RENDER_FPS",
    "RENDER_MODES",
    "RENDER_SIZE",
    "OutOfBoundsError",
    "action_number",
    "base_word",
    "check_rendering",
    "given_options",
    "given_states",
    "initial_states",
    "integer_box",
    "plain_seed",
    "rendered",
    "resolve_game",
]

RENDER_MODES = ["ansi", "human", "rgb_array"]
RENDER_FPS = 1
RENDER_SIZE = 640


class OutOfBoundsError(ValueError, AssertionError):
    """An action outside of the action space.

    A `ValueError` as everywhere in this package, and an `AssertionError` as PettingZoo's
    `AssertOutOfBoundsWrapper` raises.
    """


def integer_box(high: int, shape: tuple[int, ...]) -> spaces.Space[Any]:
    """Return the space of int8 arrays from 0 to `high`."""
    return spaces.Box(0, high, shape, np.int8)


def action_number(action: Any, num_actions: int) -> int:
    """Return an action as an int.

    Raises:
        OutOfBoundsError: it is no whole number, or not in the action space.
    """
    try:
        number = -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        raise OutOfBoundsError(
            f"action {shown(action)} is outside of the action space, 0 to {num_actions - 1}"
        )
    return number


def resolve_game(game: Game | str, params: Mapping[str, Any] | None = None) -> Game:
    """Return a game that is given as a `Game`, or by name and parameters.

    Raises:
        ValueError: it is neither, or parameters stand beside a finished game, and as
            `boardenvs.make`.
    """
    if isinstance(game, str):
        return make(game, **(params or {}))
    if not isinstance(game, Game):
        raise ValueError(f"game must be a Game or the name of one, got {shown(game)}")
    if params:
        raise ValueError(
            f"{game!r} has its parameters already; {', '.join(params)} cannot be given"
        )
    return game


def plain_seed(seed: int | None) -> int | None:
    """Return a seed as Gymnasium takes it. Raises `ValueError` as `seed_word` does."""
    if seed is None:
        return None
    seed_word(seed)
    return int(seed)


def base_word(seed: int | None, np_random: np.random.Generator) -> np.uint64:
    """Return the word that a reset's random streams come from: the seed's, or the next one."""
    if seed is not None:
        return seed_word(seed)
    # The same word as `np_random.integers(0, 2**64, dtype=np.uint64)`, ten times as fast.
    return np.uint64(np_random.bit_generator.random_raw())


def given_options(options: Any, *known: str) -> Mapping[str, Any]:
    """Return the options of a reset, an empty mapping if there are none.

    Raises:
        ValueError: they are no dictionary, or a key is not among the `known`.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dictionary, got {shown(options)}")
    for key in options:
        if key not in known:
            raise ValueError(f"options has no key {key!r}; expected {' or '.join(known)}")
    return options


def given_states(game: Game, state: Any, num: int) -> States | None:
    """Return the positions to start from; `None` where none are given.

    Args:
        game: what is played.
        state: one position for all, a record or a dictionary; an array of `num` records; or
            `None`.
        num: how many games there are.

    Raises:
        ValueError: they are no valid positions, or over.
    """
    if state is None:
        return None
    if isinstance(state, np.ndarray) and state.ndim == 1 and len(state) == num:
        states = np.concatenate([game.restore(one) for one in state])
    else:
        states = np.repeat(game.restore(state), num)
    if game.over(states).any():
        raise ValueError("the state is over: an environment starts from a live position")
    return game.arrays.batch(states)


def initial_states(
    game: Game,
    states: States | None,
    state: Any,
    streams: npt.NDArray[np.uint64],
    *,
    seeded: bool,
) -> States:
    """Return what a reset begins with: the positions it was given, or new games.

    Args:
        game: what is played.
        states: from `given_states`.
        state: what that was made from.
        streams: uint64 of shape (N,): of new games, and of positions where a seed was
            given or the position has no stream of its own, being a dictionary without `rng`.
        seeded: whether a seed was given.
    """
    if states is None:
        return game.arrays.new(streams)
    if seeded or (isinstance(state, Mapping) and "rng" not in state):
        states["rng"] = streams
    return states


def check_rendering(render_mode: str | None, render_size: int) -> None:
    """Raise `ValueError` for a mode that no environment has, or a size that no picture has."""
    if render_mode is not None and not (
        isinstance(render_mode, str) and render_mode in RENDER_MODES
    ):
        raise ValueError(
            f"render_mode must be one of {RENDER_MODES} or None, got {shown(render_mode)}"
        )
    whole_number("render_size", render_size, *SIZES)


def rendered(
    game: Game, states: States, render_mode: str | None, size: int
) -> list[str] | list[npt.NDArray[np.uint8]] | None:
    """Return each position's console text in mode "ansi", its pixels in mode "rgb_array".

    Mode "human" prints the texts and returns `None`.

    Args:
        game: what is played.
        states: records, shape (N,).
        render_mode: of the environment.
        size: of the pictures, as `Game.rgb_array` takes it.

    Raises:
        ValueError: the environment was made without a render mode, or for pixels where
            the extra `[render]` is not installed.
    """
    if render_mode is None:
        raise ValueError(
            f"render needs an environment made with render_mode, one of {RENDER_MODES}"
        )
    if render_mode == "rgb_array":
        return [game.rgb_array(state, size) for state in states]
    texts = [game.to_text(state) for state in states]
    if render_mode == "ansi":
        return texts
    print("\n".join(texts), end="")
    return None
