"""The classes and the console program of Dominoes 175's source document.

A stack holds `Domino` objects. `boardenvs.dominoes175.rules` decides which ends match.
"""

# camelCase names are the names of the source document.
# ruff: noqa: N802, N803

from __future__ import annotations

import functools
import re
from collections import deque
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from boardenvs.core.checks import is_whole, printable
from boardenvs.dominoes175 import Dominoes175
from boardenvs.dominoes175.rules import CELLS, ENDS, GOAL, HIGH, LOW, STACKS
from boardenvs.dominoes175.text import (
    COLUMNS,
    HIDDEN,
    ROWS,
    TAKEN,
    grid_to_text,
    table_to_text,
    tile_to_text,
)

__all__ = ["Domino", "DominoDeck", "DominoError", "DominoStack", "Table", "main"]

_WELCOME = "Welcome to DOMINOES 175"
_MENU = "Please select your play mode:\n1. Test mode\n2. Game mode"
_REVEALED = 65 * "/"
_ENDS_OF = list(zip(LOW.tolist(), HIGH.tolist(), strict=True))  # ends of each tile
_LONGEST_FILE = 4096  # bytes; 28 lines have 112


class Shuffler(Protocol):
    """An object that shuffles a list in place, such as a `random.Random`."""

    def shuffle(self, x: Any, /) -> None: ...


class DominoError(Exception):
    """An illegal operation, with a message for the player."""


def _require(condition: bool, message: str) -> None:
    # `python -O` would skip an `assert` statement.
    if not condition:
        raise AssertionError(message)


def _is_number(value: Any, limit: int) -> bool:
    """Return whether `value` is an integer from 0 to `limit - 1`."""
    return is_whole(value) and 0 <= value < limit


class Domino:
    """A tile, initially face up with its larger end on top.

    Raises:
        AssertionError: if an end is not an integer from 0 to 6.
    """

    def __init__(self, dotsA: int, dotsB: int) -> None:
        for dots in (dotsA, dotsB):
            _require(_is_number(dots, ENDS), f"an end has 0 to 6 dots, got {dots!r}")
        self.__bottom, self.__top = sorted((int(dotsA), int(dotsB)))
        self.__faceDown = False

    def setTop(self, dots: int) -> None:
        """Turn the end with this number of dots to the top.

        Raises:
            AssertionError: if the tile does not have this end.
        """
        has = _is_number(dots, ENDS) and dots in (self.__top, self.__bottom)
        _require(has, f"{tile_to_text(self.__bottom, self.__top)} has no end with {dots!r} dots")
        if dots != self.__top:
            self.__bottom, self.__top = self.__top, self.__bottom

    def turnOver(self) -> None:
        """Turn the tile face down or face up."""
        self.__faceDown = not self.__faceDown

    def getTop(self) -> int:
        """Return the dots on top."""
        return self.__top

    def getBottom(self) -> int:
        """Return the dots at the bottom."""
        return self.__bottom

    def isFaceDown(self) -> bool:
        """Return whether the dots are hidden."""
        return self.__faceDown

    def __str__(self) -> str:
        return HIDDEN if self.__faceDown else tile_to_text(self.__bottom, self.__top)

    def __repr__(self) -> str:
        return f"Domino({self.__bottom}, {self.__top})"


class DominoDeck:
    """A queue of at most 28 tiles, dealt from the front and filled at the rear."""

    def __init__(self) -> None:
        self.__tiles: deque[Domino] = deque()

    def populate(self, useFile: bool, rng: Shuffler | None = None) -> None:
        """Add 28 new tiles to the rear of the deck, face up.

        Args:
            useFile: `True` to ask for the name of a file until one can be read, with one tile on
                each line, such as 3/4; `False` to shuffle a full set.
            rng: the shuffler; by default a new generator.

        Raises:
            AssertionError: if `useFile` is not a bool; the deck does not change then.
            DominoError: if the file has not exactly 28 valid lines; the deck is empty then. Or if
                the deck has tiles left and the new ones do not fit; it does not change then.
            EOFError: if the input ends; the deck does not change then.
        """
        _require(isinstance(useFile, bool), "Cannot populate deck: invalid argument provided.")
        try:
            tiles = _tiles_from_file() if useFile else [Domino(*ends) for ends in _ENDS_OF]
        except DominoError:
            self.__tiles.clear()
            raise
        if self.size() + len(tiles) > CELLS:
            raise DominoError(
                f"Cannot populate deck: it holds at most {CELLS} dominoes, "
                f"has {self.size()} and got {len(tiles)}"
            )
        if not useFile:
            (np.random.default_rng() if rng is None else rng).shuffle(tiles)
        self.__tiles.extend(tiles)

    def deal(self) -> Domino:
        """Remove and return the front tile, face down. Takes constant time.

        Raises:
            DominoError: if the deck is empty.
        """
        if self.isEmpty():
            raise DominoError("Cannot deal domino from empty deck")
        tile = self.__tiles.popleft()
        if not tile.isFaceDown():
            tile.turnOver()
        return tile

    def isEmpty(self) -> bool:
        """Return whether the deck is empty."""
        return not self.__tiles

    def size(self) -> int:
        """Return the number of tiles left."""
        return len(self.__tiles)

    def __str__(self) -> str:
        return " ".join(_face_up(tile) for tile in self.__tiles)


def _face_up(tile: Domino) -> str:
    """Return the text of a tile as if it were face up."""
    return tile_to_text(tile.getBottom(), tile.getTop())


def _tiles_from_file() -> list[Domino]:
    """Ask for the name of a file until it can be read, and return its tiles.

    Raises:
        DominoError: if the file has not exactly 28 valid lines.
        EOFError: if the input ends.
    """
    while True:
        name = _answer("Name of file that should be used to populate the grid of dominoes: ")
        try:
            # The limit avoids reading a large or endless file.
            with Path(name).open("rb") as file:
                data = file.read(_LONGEST_FILE + 1)
        except (OSError, ValueError):  # `ValueError` for a name with a null character
            print(f"Cannot read from {printable(name)}.")
        else:
            break
    lines = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
    if not lines[-1]:  # after the end of the last line
        lines.pop()
    found = [re.fullmatch(r"([0-6])/([0-6])", line.strip()) for line in lines]
    tiles = [Domino(int(ends[1]), int(ends[2])) for ends in found if ends]
    if not len(tiles) == len(lines) == CELLS or len(data) > _LONGEST_FILE:
        raise DominoError(f"Cannot populate deck: invalid data in {printable(name)}")
    return tiles


class DominoStack:
    """A stack of tiles with matching ends."""

    def __init__(self) -> None:
        self.__tiles: list[Domino] = []

    def peek(self) -> int:
        """Return the dots on top of the stack.

        Raises:
            DominoError: if the stack is empty.
        """
        if self.isEmpty():
            raise DominoError("Error: cannot peek into an empty stack")
        return self.__tiles[-1].getTop()

    def isEmpty(self) -> bool:
        """Return whether the stack is empty."""
        return not self.__tiles

    def size(self) -> int:
        """Return the number of tiles."""
        return len(self.__tiles)

    def push(self, domino: Domino) -> None:
        """Put a tile on top, turned so that it matches, in constant time.

        A tile on an empty stack is not turned.

        Raises:
            AssertionError: if `domino` is not a `Domino`.
            DominoError: if neither end matches; nothing changes then.
        """
        _require(isinstance(domino, Domino), "Can only push Dominoes onto the DominoStack")
        tops = _playable_tops(domino, None if self.isEmpty() else self.peek())
        if not tops:
            raise DominoError(f"Cannot play {_face_up(domino)} on stack")
        if domino.getTop() not in tops:
            domino.setTop(tops[0])
        self.__tiles.append(domino)

    def __str__(self) -> str:
        return "-".join(map(str, self.__tiles))


@functools.cache
def _game() -> Dominoes175:
    return Dominoes175()


def _playable_tops(domino: Domino, below: int | None) -> list[int]:
    """Return the ends of a tile that may be on top on the dots `below`, or on an empty stack."""
    game = _game()
    low, high = sorted((domino.getBottom(), domino.getTop()))
    states = game.start.copy()
    states["hand"] = _ENDS_OF.index((low, high))
    if below is not None:
        states["heights"][0, 0] = 1
        states["dots"][0, 0, :2] = below
    mask = game.arrays.legal(states)[0]
    return [end for end, may in zip((high, low), mask[CELLS : CELLS + 2], strict=True) if may]


class Table:
    """A deck, a grid and three stacks."""

    def __init__(self) -> None:
        self.__deck = DominoDeck()
        self.__grid: list[Domino | str] = [TAKEN] * CELLS
        self.__stacks = [DominoStack() for _ in range(STACKS)]

    def dealGrid(self, useFile: bool, rng: Shuffler | None = None) -> None:
        """Fill the deck and deal it, face down, row by row.

        Args:
            useFile: as for `DominoDeck.populate`.
            rng: as for `DominoDeck.populate`.

        Raises:
            AssertionError, DominoError, EOFError: as for `DominoDeck.populate`; the grid does not
                change then.
        """
        self.__deck.populate(useFile, rng)
        self.__grid = [self.__deck.deal() for _ in range(CELLS)]

    def select(self, row: int, col: int) -> Domino:
        """Remove a tile from the grid, and return it face up.

        Raises:
            AssertionError: if the row or column is out of range.
            DominoError: if the tile was removed already.
        """
        _require(_is_number(row, ROWS), f"row must be from 0 to {ROWS - 1}, got {row!r}")
        _require(_is_number(col, COLUMNS), f"column must be from 0 to {COLUMNS - 1}, got {col!r}")
        tile = self.__grid[row * COLUMNS + col]
        if isinstance(tile, str):
            raise DominoError(f"There is no domino at row {row}, column {col}")
        self.__grid[row * COLUMNS + col] = TAKEN
        tile.turnOver()
        return tile

    def playDomino(self, domino: Domino, stackNum: int) -> bool:
        """Put a tile on a stack if it fits, and print the result.

        Returns:
            Whether the tile fits.

        Raises:
            AssertionError: if `domino` is not a `Domino`, or `stackNum` is out of range.
        """
        _require(isinstance(domino, Domino), f"expected a Domino, got {domino!r}")
        last = STACKS - 1
        _require(_is_number(stackNum, STACKS), f"stack must be from 0 to {last}, got {stackNum!r}")
        print(f"Playing {_face_up(domino)} on stack {stackNum}: ", end="")
        try:
            self.__stacks[stackNum].push(domino)
        except DominoError as error:
            print(f"{error} {stackNum}")
            return False
        print("Success!")
        return True

    def isWinner(self) -> bool:
        """Return whether a stack has six tiles."""
        return any(stack.size() >= GOAL for stack in self.__stacks)

    def getNumStacks(self) -> int:
        """Return the number of stacks."""
        return STACKS

    def getNumRows(self) -> int:
        """Return the number of rows of the grid."""
        return ROWS

    def getNumColumns(self) -> int:
        """Return the number of columns of the grid."""
        return COLUMNS

    def revealGrid(self) -> None:
        """Print the grid with the dots of its tiles, without turning them."""
        shown = [cell if isinstance(cell, str) else _face_up(cell) for cell in self.__grid]
        print(grid_to_text(shown), end="")

    def __str__(self) -> str:
        stacks = [str(stack).split("-") if stack.size() else [] for stack in self.__stacks]
        return table_to_text([str(cell) for cell in self.__grid], stacks).removesuffix("\n")


# -- The program ----------------------------------------------------------------------------


def main(rng: Shuffler | None = None) -> None:
    """Ask for the mode and play one game at the keyboard.

    Args:
        rng: the shuffler of game mode; by default a new generator.

    Raises:
        EOFError: if the input ends before the game.
    """
    rule = "=" * len(_WELCOME)
    print(f"{rule}\n{_WELCOME}\n{rule}")
    testing = _ask_mode() == "1"
    table = Table()
    try:
        table.dealGrid(testing, rng)
    except DominoError as error:
        print(error)
    else:
        (_test if testing else _play)(table)
        if table.isWinner():
            print(f"\n{table}\n\nCongratulations - WINNER!")
        else:
            print("\nGAME OVER. Better luck next time.")
    print("Thank you for playing. Goodbye...")


def _answer(prompt: str) -> str:
    """Return one line of input; "?" if it cannot be decoded."""
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "?"


def _ask_mode() -> str:
    while True:
        print(_MENU)
        mode = _answer("> ").strip()
        if mode in ("1", "2"):
            return mode
        print("Invalid selection. You must enter 1 or 2.")


def _test(table: Table) -> None:
    """Take the tiles in order, and play each on the first stack where it fits."""
    print(f"\n{_REVEALED}\nFor testing purposes, the grid contains:")
    table.revealGrid()
    print(_REVEALED)
    for cell in range(CELLS):
        print(f"\n{table}\n")
        tile = table.select(*divmod(cell, COLUMNS))
        fits = any(table.playDomino(tile, k) for k in range(table.getNumStacks()))
        if not fits or table.isWinner():
            return


def _play(table: Table) -> None:
    """Let the player choose until the game is won or lost."""
    tops: list[int | None] = [None] * table.getNumStacks()
    while not table.isWinner():
        print(f"\n{table}\n")
        tile = _ask_tile(table)
        print(f"The domino is {tile}.")
        if not any(_playable_tops(tile, top) for top in tops):
            print("It fits on none of the stacks.")
            return
        stack = _ask_play(table, tile, tops)
        tops[stack] = tile.getTop()


def _ask_tile(table: Table) -> Domino:
    """Ask for a row and a column until they have a tile."""
    while True:
        row = _ask_number("Row", table.getNumRows())
        column = _ask_number("Column", table.getNumColumns())
        try:
            return table.select(row, column)
        except DominoError as error:
            print(error)


def _ask_play(table: Table, tile: Domino, tops: list[int | None]) -> int:
    """Ask for a stack, and for the end on top if it is empty, until the tile is played."""
    while True:
        stack = _ask_number("Stack", table.getNumStacks())
        if tops[stack] is None:
            tile.setTop(_ask_end(tile))
        if table.playDomino(tile, stack):
            return stack


def _ask_end(tile: Domino) -> int:
    """Ask which end goes on top, unless both ends are equal."""
    ends = sorted({tile.getTop(), tile.getBottom()})
    while len(ends) > 1:
        answer = _answer(f"Dots on top ({ends[0]} or {ends[1]}): ").strip()
        if answer in map(str, ends):
            return int(answer)
        print(f"Invalid answer. You must enter {ends[0]} or {ends[1]}.")
    return ends[0]


def _ask_number(what: str, limit: int) -> int:
    """Ask until the answer is a number from 0 to `limit - 1`."""
    while True:
        answer = _answer(f"{what} (0-{limit - 1}): ").strip()
        if re.fullmatch("[0-9]", answer) and int(answer) < limit:
            return int(answer)
        print(f"Invalid answer. You must enter a number from 0 to {limit - 1}.")
