"""One game on boards of several sizes, which one convolutional network plays.

`boardenvs train gekitai -p board_size=6,7,8` trains such a network. No weight of it depends on the
size of the board, and its file leaves rows and columns open. Its card says under `sizes` on which
sizes it was trained, and among `params`, as a list, on which it may play: on all from the smallest
to the largest.
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
"""In the settings of training, the value of a parameter that has several."""


@dataclass(frozen=True)
class Sizes:
    """The games that one network is trained on, which differ in the size of the board alone."""

    parameter: str
    """The game's parameter that is the size."""
    games: tuple[Game, ...]
    """One for each size, from the smallest to the largest."""
    given_shares: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Weight of each size in training, by the size as a text; 1 for sizes that are not named."""

    def __post_init__(self) -> None:
        """Check that one network fits all.

        Raises:
            ValueError: one network does not fit all, or two sizes have observations of one shape,
                or a share is for no size or not above 0.
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
        """The name of the game."""
        return self.games[0].name

    @property
    def values(self) -> tuple[int, ...]:
        """The sizes."""
        return tuple(game.params[self.parameter] for game in self.games)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the games: a list for the size, `None` for what follows from it."""
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
        """Return all sizes from the smallest to the largest that the game has."""
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
        """The share of each size in training; the sum is 1."""
        found = [float(self.given_shares.get(str(value), 1)) for value in self.values]
        return tuple(share / sum(found) for share in found)


def _kind(game: Game) -> tuple[Any, ...]:
    """Return what a network's weights depend on: planes, a board or a row, actions a cell."""
    planes, *board = game.observation_shape
    cells = 1
    for side in board:
        cells *= side
    whole, left = divmod(game.num_actions, cells)
    # Kernels are flat on a single row. Where actions are no cells their number must be the same,
    # and then what reads them off the board depends on its size.
    return planes, len(board), board[0] == 1, whole, left == 0 or game.observation_shape


def make_sizes(
    name: str, params: Mapping[str, Any], parameter: str, values: Sequence[Any]
) -> Sizes:
    """Make a game on boards of several sizes.

    Args:
        name: of the game.
        params: its arguments; that for the size does not count.
        parameter: that is the size.
        values: the sizes.

    Raises:
        ValueError: as `boardenvs.make`, or there are not two different whole numbers, or no one
            network plays on all of them.
    """
    if len(set(values)) < 2 or not all(type(value) is int for value in values):
        raise ValueError(f"{parameter} must be at least two different integers, got {values}")
    make = functools.partial(boardenvs.make, name)
    games = [_with(make, params, parameter, value) for value in sorted(set(values))]
    return Sizes(parameter, tuple(games))


def _with(make: Callable[..., Game], params: Mapping[str, Any], parameter: str, value: int) -> Game:
    """Make a game of one size; parameters that are `None` follow from the size."""
    given = {key: one for key, one in params.items() if one is not None}
    return make(**{**given, parameter: value})


def several_values(params: Mapping[str, Any]) -> tuple[str, list[int]] | None:
    """Return the parameter that has several whole numbers, such as `6,7,8`, and the numbers.

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
    """Return the games of several sizes, or the one game."""
    return game.games if isinstance(game, Sizes) else (game,)


def shares_of(game: Game | Sizes) -> tuple[float, ...]:
    """Return the share of each of `games_of(game)` in training."""
    return game.shares if isinstance(game, Sizes) else (1.0,)


def shared_out(what: str, number: int, shares: Sequence[float]) -> list[int]:
    """Split a number into whole numbers by shares, each at least 1.

    Args:
        what: the name of the number, for the error.
        number: to be split.
        shares: with sum 1.

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
    """Return the lengths that a game gives to the free axes of a network, by their names."""
    board = game.observation_shape[1:][-2:]
    sides = zip(("rows", "columns")[2 - len(board) :], board, strict=True)
    return {**dict(sides), "actions": game.num_actions}


def sizes_of_card(card: Mapping[str, Any]) -> tuple[str, list[int]] | None:
    """Return the parameter and the sizes that a network was trained on, if there are several."""
    sizes, params = card.get("sizes"), card["params"]
    if not isinstance(sizes, dict) or len(sizes) != 1 or not isinstance(params, dict):
        return None
    ((parameter, values),) = sizes.items()
    fits = isinstance(values, list) and isinstance(params.get(parameter), list)
    return (parameter, values) if fits else None


def games_of_card(card: Mapping[str, Any]) -> Game | Sizes:
    """Make what a network was trained on.

    Raises:
        ValueError: the card names no such game.
    """
    several = sizes_of_card(card)
    if several is None:
        return boardenvs.make(card["game"], **card["params"])
    return make_sizes(card["game"], card["params"], *several)
