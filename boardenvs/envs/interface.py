"""Helpers of all environments: spaces, seeds, starting positions and rendering."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from boardenvs.core.arrays import OutOfBoundsError
from boardenvs.core.chance import seed_word
from boardenvs.core.checks import shown, whole_number
from boardenvs.game import Game, States
from boardenvs.registration import check_params, game_class
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


def integer_box(high: int, shape: tuple[int, ...]) -> spaces.Space[Any]:
    """Return the space of int8 arrays from 0 to `high`."""
    return spaces.Box(0, high, shape, np.int8)


def action_number(action: Any, num_actions: int) -> int:
    """Return an action as an int.

    Raises:
        OutOfBoundsError: if the action is not an integer from 0 to `num_actions` - 1.
    """
    try:
        number = -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        raise OutOfBoundsError(
            f"action must be an integer from 0 to {num_actions - 1}, got {shown(action)}"
        )
    return number


def resolve_game(
    game: Game | str, params: Mapping[str, Any] | None = None, *takers: Callable[..., Any]
) -> Game:
    """Return the game for a `Game`, or for a name and parameters.

    Args:
        game: a game, or the name of a game.
        params: parameters of the game, if `game` is a name.
        *takers: as for `check_params`.

    Raises:
        ValueError: if `game` is neither, if parameters are given for a `Game`, or as for
            `boardenvs.make`.
    """
    if isinstance(game, str):
        cls = game_class(game)
        check_params(cls, params or {}, *takers)
        return cls(**(params or {}))
    if not isinstance(game, Game):
        raise ValueError(f"game must be a Game or the name of a game, got {shown(game)}")
    if params:
        raise ValueError(
            f"parameters require the name of a game, got {', '.join(params)} for {game!r}"
        )
    return game


def plain_seed(seed: int | None) -> int | None:
    """Return a seed as an int for Gymnasium. Raises `ValueError` as `seed_word` does."""
    if seed is None:
        return None
    seed_word(seed)
    return int(seed)


def base_word(seed: int | None, np_random: np.random.Generator) -> np.uint64:
    """Return the word for a reset's random streams: from the seed, or else from `np_random`."""
    if seed is not None:
        return seed_word(seed)
    # The same word as `np_random.integers(0, 2**64, dtype=np.uint64)`, but much faster.
    return np.uint64(np_random.bit_generator.random_raw())


def given_options(options: Any, *known: str) -> Mapping[str, Any]:
    """Return the options of a reset, an empty mapping for `None`.

    Raises:
        ValueError: if `options` is not a dictionary, or a key is not in `known`.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dictionary, got {shown(options)}")
    for key in options:
        if key not in known:
            raise ValueError(f"a key of options must be {' or '.join(known)}, got {shown(key)}")
    return options


def given_states(game: Game, state: Any, num: int) -> States | None:
    """Return the positions to start from, or `None` if `state` is `None`.

    Args:
        game: the game to play.
        state: one record or dictionary for all games, an array of `num` records, or `None`.
        num: number of games.

    Raises:
        ValueError: if a position is invalid or over.
    """
    if state is None:
        return None
    if isinstance(state, np.ndarray) and state.ndim == 1 and len(state) == num:
        states = np.concatenate([game.restore(one) for one in state])
    else:
        states = np.repeat(game.restore(state), num)
    if game.over(states).any():
        raise ValueError("state must be a position that is not over, got a finished game")
    return game.arrays.batch(states)


def initial_states(
    game: Game,
    states: States | None,
    state: Any,
    streams: npt.NDArray[np.uint64],
    *,
    seeded: bool,
) -> States:
    """Return the first positions of a reset: the given ones, or new games.

    Args:
        game: the game to play.
        states: result of `given_states`.
        state: argument of `given_states`.
        streams: random streams, uint64 of shape (N,). New games use them. Given positions use
            them if a seed was given, or if `state` is a dictionary without `rng`.
        seeded: whether a seed was given.
    """
    if states is None:
        return game.arrays.new(streams)
    if seeded or (isinstance(state, Mapping) and "rng" not in state):
        states["rng"] = streams
    return states


def check_rendering(render_mode: str | None, render_size: int) -> None:
    """Raise `ValueError` if the render mode is unknown or the size is out of range."""
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
    """Return each position's console text ("ansi") or pixels ("rgb_array").

    Mode "human" prints the texts and returns `None`.

    Args:
        game: the game of the positions.
        states: records, shape (N,).
        render_mode: render mode of the environment.
        size: size of the pictures, as for `Game.rgb_array`.

    Raises:
        ValueError: if `render_mode` is `None`, or "rgb_array" without the extra `[render]`.
    """
    if render_mode is None:
        raise ValueError(
            f"render requires an environment made with render_mode, one of {RENDER_MODES}"
        )
    if render_mode == "rgb_array":
        return [game.rgb_array(state, size) for state in states]
    texts = [game.to_text(state) for state in states]
    if render_mode == "ansi":
        return texts
    print("\n".join(texts), end="")
    return None
