"""A game on boards of several sizes, for one convolutional network.

`boardenvs train gekitai -p board_size=6,7,8` trains such a network. Its weights do not depend on
the size of the board, and its file has free axes for rows and columns. Its card lists the sizes of
the training under `sizes`, and the sizes that it can play in `params`: all from the smallest to the
largest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import boardenvs
from boardenvs.core.checks import finite_number
from boardenvs.game import Game

__all__ = [
    "SEVERAL",
    "Games",
    "common_params",
    "covered_sizes",
    "described",
    "free_axes",
    "games_of",
    "games_of_card",
    "make_sizes",
    "several_values",
    "shared_out",
    "shares_of",
    "size_parameter",
    "sizes_of_card",
]

Games = tuple[Game, ...]
"""A game on each board size of a network, from the smallest to the largest."""

SEVERAL = "several"
"""Value in the training settings that stands for several sizes."""


def games_of(game: Game | Games) -> Games:
    """Return a single game as a tuple."""
    return (game,) if isinstance(game, Game) else game


def size_parameter(games: Games) -> str:
    """Return the parameter for the size, by which other parameters that differ are determined.

    Args:
        games: the game on at least two sizes.

    Raises:
        ValueError: the games differ in several parameters.
    """
    first = games[0].params
    same = {key: one for key, one in first.items() if all(g.params[key] == one for g in games)}
    for key in (key for key in first if key not in same):
        try:
            made = [_with(type(game), same, key, game.params[key]) for game in games]
        except (TypeError, ValueError):
            continue
        if made == list(games):
            return key
    raise ValueError(f"games must differ in one parameter, got {games}")


def common_params(games: Games) -> dict[str, Any]:
    """Return the parameters of games: a list for the size, `None` for those that depend on it."""
    params = games[0].params
    if len(games) == 1:
        return params
    parameter = size_parameter(games)
    return {
        key: value
        if all(game.params[key] == value for game in games)
        else [game.params[key] for game in games]
        if key == parameter
        else None
        for key, value in params.items()
    }


def described(games: Games) -> str:
    """Return a game with its parameters, on one size or several."""
    if len(games) == 1:
        return repr(games[0])
    given = {key: value for key, value in common_params(games).items() if value is not None}
    arguments = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return f"{type(games[0]).__name__}({arguments})"


def covered_sizes(games: Games) -> list[int]:
    """Return all sizes from the smallest to the largest that the game supports."""
    params, parameter = common_params(games), size_parameter(games)
    low, high = (game.params[parameter] for game in (games[0], games[-1]))
    found = []
    for value in range(low, high + 1):
        try:
            _with(type(games[0]), params, parameter, value)
        except ValueError:
            continue
        found.append(value)
    return found


def shares_of(games: Games, given: Mapping[str, float] | None = None) -> tuple[float, ...]:
    """Return the share of each size in training; the sum is 1.

    Args:
        games: the game on each size.
        given: weight of each size by the size as a string; default 1.

    Raises:
        ValueError: a weight is for an unknown size, or is not above 0.
    """
    if len(games) == 1:
        return (1.0,)
    parameter, given = size_parameter(games), given or {}
    named = [str(game.params[parameter]) for game in games]
    for key, share in given.items():
        if key not in named:
            option = f"{parameter}={','.join(named)}"
            raise ValueError(f"shares must name sizes of {option}, got {key!r}")
        if finite_number(f"shares[{key!r}]", share) == 0:
            raise ValueError(f"shares[{key!r}] must be above 0, got {share}")
    found = [float(given.get(name, 1)) for name in named]
    return tuple(share / sum(found) for share in found)


def _check_one_network(parameter: str, games: Games) -> None:
    """Check that one network fits all games.

    Raises:
        ValueError: one network does not fit all games, or two sizes have the same observation
            shape.
    """
    first = games[0]
    option = f"{parameter}={','.join(str(game.params[parameter]) for game in games)}"
    shapes = [game.observation_shape for game in games]
    if len(set(shapes)) < len(shapes):
        raise ValueError(
            f"{option}: each size must have its own observation shape, got "
            f"{', '.join(map(str, shapes))}"
        )
    for game in games:
        like = _kind(first), first.num_players, first.observation_high
        if (_kind(game), game.num_players, game.observation_high) != like:
            raise ValueError(
                f"{option}: one network cannot play both {first!r} and {game!r}, which differ in "
                f"more than the rows and columns of the board"
            )


def _kind(game: Game) -> tuple[Any, ...]:
    """Return the properties that weights depend on: planes, board or row, actions per cell."""
    planes, *board = game.observation_shape
    cells = 1
    for side in board:
        cells *= side
    whole, left = divmod(game.num_actions, cells)
    # Kernels are flat on a single row. If actions are not cells, the policy head depends on the
    # size of the board.
    return planes, len(board), board[0] == 1, whole, left == 0 or game.observation_shape


def make_sizes(
    name: str, params: Mapping[str, Any], parameter: str, values: Sequence[Any]
) -> Games:
    """Make a game on boards of several sizes, from the smallest to the largest.

    Args:
        name: name of the game.
        params: arguments of the game; the argument for the size is ignored.
        parameter: name of the size parameter.
        values: sizes, at least two different integers.

    Raises:
        ValueError: as for `boardenvs.make`, or one network cannot play all sizes.
    """
    if len(set(values)) < 2 or not all(type(value) is int for value in values):
        raise ValueError(f"{parameter} must be at least two different integers, got {values}")
    make = functools.partial(boardenvs.make, name)
    games = tuple(_with(make, params, parameter, value) for value in sorted(set(values)))
    _check_one_network(parameter, games)
    return games


def _with(make: Callable[..., Game], params: Mapping[str, Any], parameter: str, value: int) -> Game:
    """Make a game of one size; parameters that are `None` depend on the size."""
    given = {key: one for key, one in params.items() if one is not None}
    return make(**{**given, parameter: value})


def several_values(params: Mapping[str, Any]) -> tuple[str, list[int]] | None:
    """Return the parameter with several integers, such as `6,7,8`, and the integers.

    Raises:
        ValueError: several parameters have several values.
    """
    several = {}
    for key, value in params.items():
        parts = value.split(",") if isinstance(value, str) else []
        if len(parts) > 1 and all(part.strip().isdecimal() for part in parts):
            several[key] = [int(part) for part in parts]
    if len(several) > 1:
        raise ValueError(f"only one parameter may have several values, got {', '.join(several)}")
    return next(iter(several.items()), None)


def shared_out(what: str, number: int, shares: Sequence[float]) -> list[int]:
    """Split a number into integers by shares, each at least 1.

    Args:
        what: name of the number, for the error.
        number: number to split.
        shares: shares with sum 1.

    Raises:
        ValueError: the number is smaller than the number of shares.
    """
    if number < len(shares):
        raise ValueError(f"{what} must be at least {len(shares)}, 1 for each size, got {number}")
    found = [1] * len(shares)
    for _ in range(number - len(shares)):
        owed = [share * number - have for share, have in zip(shares, found, strict=True)]
        found[owed.index(max(owed))] += 1
    return found


def free_axes(game: Game) -> dict[str, int]:
    """Return the lengths of a network's free axes for a game, by their names."""
    board = game.observation_shape[1:][-2:]
    sides = zip(("rows", "columns")[2 - len(board) :], board, strict=True)
    return {**dict(sides), "actions": game.num_actions}


def sizes_of_card(card: Mapping[str, Any]) -> tuple[str, list[int]] | None:
    """Return the size parameter and the training sizes of a card; `None` for one size."""
    sizes, params = card.get("sizes"), card["params"]
    if not isinstance(sizes, dict) or len(sizes) != 1 or not isinstance(params, dict):
        return None
    ((parameter, values),) = sizes.items()
    fits = isinstance(values, list) and isinstance(params.get(parameter), list)
    return (parameter, values) if fits else None


def games_of_card(card: Mapping[str, Any]) -> Games:
    """Make the game of a network's card on each size of its training.

    Raises:
        ValueError: the card does not name a valid game.
    """
    several = sizes_of_card(card)
    if several is None:
        return (boardenvs.make(card["game"], **card["params"]),)
    return make_sizes(card["game"], card["params"], *several)
