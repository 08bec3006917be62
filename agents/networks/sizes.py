"""A game on boards of several sizes, for one convolutional network.

`boardenvs train gekitai -p board_size=6,7,8` trains such a network. Its weights do not depend on
the size of the board, and its file has free axes for rows and columns. Its card lists the sizes of
the training under `sizes`, and the sizes that it can play in `params`: all from the smallest to the
largest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import boardenvs
from boardenvs.core.checks import finite_number
from boardenvs.game import Game

__all__ = [
    "SEVERAL",
    "Sizes",
    "free_axes",
    "games_of",
    "games_of_card",
    "make_sizes",
    "several_values",
    "shared_out",
    "shares_of",
    "sizes_of_card",
]

SEVERAL = "several"
"""Value in the training settings that stands for several sizes."""


@dataclass(frozen=True)
class Sizes:
    """Games for one network, which differ only in the size of the board."""

    parameter: str
    """Name of the size parameter."""
    games: tuple[Game, ...]
    """One game for each size, from the smallest to the largest."""
    given_shares: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Weight of each size in training, by the size as a string; default 1."""

    def __post_init__(self) -> None:
        """Check that one network fits all games.

        Raises:
            ValueError: one network does not fit all games, two sizes have the same observation
                shape, or a share is for an unknown size or not above 0.
        """
        first = self.games[0]
        option = f"{self.parameter}={','.join(map(str, self.values))}"
        shapes = [game.observation_shape for game in self.games]
        if len(set(shapes)) < len(shapes):
            raise ValueError(
                f"{option}: each size must have its own observation shape, got "
                f"{', '.join(map(str, shapes))}"
            )
        for game in self.games:
            like = _kind(first), first.num_players, first.observation_high
            if (_kind(game), game.num_players, game.observation_high) != like:
                raise ValueError(
                    f"{option}: one network cannot play both {first!r} and {game!r}, which differ "
                    f"in more than the rows and columns of the board"
                )
        named = [str(value) for value in self.values]
        for key, share in self.given_shares.items():
            if key not in named:
                raise ValueError(f"shares must name sizes of {option}, got {key!r}")
            if finite_number(f"shares[{key!r}]", share) == 0:
                raise ValueError(f"shares[{key!r}] must be above 0, got {share}")

    @property
    def name(self) -> str:
        """Name of the game."""
        return self.games[0].name

    @property
    def values(self) -> tuple[int, ...]:
        """Sizes of the games, in ascending order."""
        return tuple(game.params[self.parameter] for game in self.games)

    @property
    def params(self) -> dict[str, Any]:
        """Parameters of the games: a list for the size, `None` for those that depend on it."""
        params = self.games[0].params
        return {
            key: value
            if all(game.params[key] == value for game in self.games)
            else list(self.values)
            if key == self.parameter
            else None
            for key, value in params.items()
        }

    def __repr__(self) -> str:
        given = {key: value for key, value in self.params.items() if value is not None}
        arguments = ", ".join(f"{key}={value!r}" for key, value in given.items())
        return f"{type(self.games[0]).__name__}({arguments})"

    def covered(self) -> list[int]:
        """Return all sizes from the smallest to the largest that the game supports."""
        low, *_, high = self.values
        found = []
        for value in range(low, high + 1):
            try:
                _with(type(self.games[0]), self.params, self.parameter, value)
            except ValueError:
                continue
            found.append(value)
        return found

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each size in training; the sum is 1."""
        found = [float(self.given_shares.get(str(value), 1)) for value in self.values]
        return tuple(share / sum(found) for share in found)


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
) -> Sizes:
    """Make a game on boards of several sizes.

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
    games = [_with(make, params, parameter, value) for value in sorted(set(values))]
    return Sizes(parameter, tuple(games))


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


def games_of(game: Game | Sizes) -> tuple[Game, ...]:
    """Return the games of all sizes, or the single game."""
    return game.games if isinstance(game, Sizes) else (game,)


def shares_of(game: Game | Sizes) -> tuple[float, ...]:
    """Return the share of each of `games_of(game)` in training."""
    return game.shares if isinstance(game, Sizes) else (1.0,)


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


def games_of_card(card: Mapping[str, Any]) -> Game | Sizes:
    """Make the game, or games of several sizes, of a network's card.

    Raises:
        ValueError: the card does not name a valid game.
    """
    several = sizes_of_card(card)
    if several is None:
        return boardenvs.make(card["game"], **card["params"])
    return make_sizes(card["game"], card["params"], *several)
