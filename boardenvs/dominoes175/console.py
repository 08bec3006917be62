"""Dominoes 175 as its source document designs it: the classes and the console program.

A stack holds `Domino` objects; which of their ends may go where, and when a stack wins,
is asked of `boardenvs.dominoes175.rules`.
"""

# camelCase names are the document's own.
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
_ENDS_OF = list(zip(LOW.tolist(), HIGH.tolist(), strict=True))  # of each tile, smaller first
_LONGEST_FILE = 4096  # characters; 28 lines take 112


class Shuffler(Protocol):
    """What shuffles a list in place, such as NumPy's `Generator` or `random.Random`."""

    def shuffle(self, x: Any, /) -> None: ...


class DominoError(Exception):
    """Something that the game does not allow, in words for the player."""


def _require(condition: bool, message: str) -> None:
    # A statement `assert` would do nothing under `python -O`.
    if not condition:
        raise AssertionError(message)


def _is_number(value: Any, limit: int) -> bool:
    """Return whether it is a whole number from 0 to `limit - 1`."""
    return is_whole(value) and 0 <= value < limit


class Domino:
    """One tile, at first face up with its larger end on top.

    Raises:
        AssertionError: an end is no whole number from 0 to 6.
    """

    def __init__(self, dotsA: int, dotsB: int) -> None:
        for dots in (dotsA, dotsB):
            _require(_is_number(dots, ENDS), f"an end has 0 to 6 dots, got {dots!r}")
        self.__bottom, self.__top = sorted((int(dotsA), int(dotsB)))
        self.__faceDown = False

    def setTop(self, dots: int) -> None:
        """Turn the end with this number of dots to the top.

        Raises:
            AssertionError: there is no such end.
        """
        has = _is_number(dots, ENDS) and dots in (self.__top, self.__bottom)
        _require(has, f"{tile_to_text(self.__bottom, self.__top)} has no end with {dots!r} dots")
        if dots != self.__top:
            self.__bottom, self.__top = self.__top, self.__bottom

    def turnOver(self) -> None:
        """Turn the tile face down, or face up again."""
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
    """A queue of at most 28 tiles: dealt from the front, filled at the rear."""

    def __init__(self) -> None:
        self.__tiles: deque[Domino] = deque(maxlen=CELLS)

    def populate(self, useFile: bool, rng: Shuffler | None = None) -> None:
        """Replace the tiles of the deck by new ones, face up.

        Args:
            useFile: `True` asks for the name of a file until one can be read, with one
                tile a line, such as 3/4; `False` shuffles a full set in.
            rng: what shuffles; a fresh generator by default.

        Raises:
            AssertionError: `useFile` is neither; the deck is as it was.
            DominoError: the file has anything but exactly 28 valid lines; the deck is empty.
            EOFError: the input ended.
        """
        _require(isinstance(useFile, bool), "Cannot populate deck: invalid argument provided.")
        self.__tiles.clear()
        self.__tiles.extend(_tiles_from_file() if useFile else _shuffled_tiles(rng))

    def deal(self) -> Domino:
        """Return the front tile, face down; it leaves the deck. Takes constant time.

        Raises:
            DominoError: there is none.
        """
        if self.isEmpty():
            raise DominoError("Cannot deal domino from empty deck")
        tile = self.__tiles.popleft()
        if not tile.isFaceDown():
            tile.turnOver()
        return tile

    def isEmpty(self) -> bool:
        """Return whether no tile is left."""
        return not self.__tiles

    def size(self) -> int:
        """Return how many tiles are left."""
        return len(self.__tiles)

    def __str__(self) -> str:
        return " ".join(_face_up(tile) for tile in self.__tiles)


def _face_up(tile: Domino) -> str:
    """Return a tile with its dots shown, whichever way it lies."""
    return tile_to_text(tile.getBottom(), tile.getTop())


def _shuffled_tiles(rng: Shuffler | None) -> list[Domino]:
    tiles = [Domino(*ends) for ends in _ENDS_OF]
    (np.random.default_rng() if rng is None else rng).shuffle(tiles)
    return tiles


def _tiles_from_file() -> list[Domino]:
    """Return the tiles of a file whose name is asked for until it can be read.

    Raises:
        DominoError: it has anything but exactly 28 valid lines.
        EOFError: the input ended.
    """
    while True:
        name = _answer("Name of file that should be used to populate the grid of dominoes: ")
        try:
            # Whatever else a file holds, a few characters of it tell that it is no deck.
            with Path(name).open("rb") as file:
                data = file.read(_LONGEST_FILE + 1)
        except (OSError, ValueError):  # the latter for a name that no file can have
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
    """Tiles on each other, matching where they touch."""

    def __init__(self) -> None:
        self.__tiles: list[Domino] = []

    def peek(self) -> int:
        """Return the dots on top of the stack.

        Raises:
            DominoError: it is empty.
        """
        if self.isEmpty():
            raise DominoError("Error: cannot peek into an empty stack")
        return self.__tiles[-1].getTop()

    def isEmpty(self) -> bool:
        """Return whether there is no tile on it."""
        return not self.__tiles

    def size(self) -> int:
        """Return how many tiles there are."""
        return len(self.__tiles)

    def push(self, domino: Domino) -> None:
        """Put a tile on top, the match at the bottom; an empty stack takes it as it is.

        Takes constant time.

        Raises:
            AssertionError: `domino` is no `Domino`.
            DominoError: neither end matches; nothing has changed.
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
    """Return which ends of a tile may be on top when it is played on those dots, or on nothing."""
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
    """The deck, the grid that it is dealt into, and three stacks."""

    def __init__(self) -> None:
        self.__deck = DominoDeck()
        self.__grid: list[Domino | str] = [TAKEN] * CELLS
        self.__stacks = [DominoStack() for _ in range(STACKS)]

    def dealGrid(self, useFile: bool, rng: Shuffler | None = None) -> None:
        """Fill the deck and deal it, face down, row by row.

        Args:
            useFile: as `DominoDeck.populate` takes it.
            rng: the same.

        Raises:
            AssertionError, DominoError, EOFError: as `DominoDeck.populate`; the grid is as
                it was.
        """
        self.__deck.populate(useFile, rng)
        self.__grid = [self.__deck.deal() for _ in range(CELLS)]

    def select(self, row: int, col: int) -> Domino:
        """Take a tile out of the grid; returns it face up.

        Raises:
            AssertionError: there is no such row or column.
            DominoError: there is no tile any more.
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
        """Put a tile on a stack if it fits there, and print what came of it.

        Returns:
            Whether it fitted.

        Raises:
            AssertionError: `domino` is no `Domino`, or there is no such stack.
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
        """Return whether a stack is six high."""
        return any(stack.size() >= GOAL for stack in self.__stacks)

    def getNumStacks(self) -> int:
        """Return how many stacks there are."""
        return STACKS

    def getNumRows(self) -> int:
        """Return how many rows the grid has."""
        return ROWS

    def getNumColumns(self) -> int:
        """Return how many columns the grid has."""
        return COLUMNS

    def revealGrid(self) -> None:
        """Print the grid with its tiles face up; they stay face down."""
        shown = [cell if isinstance(cell, str) else _face_up(cell) for cell in self.__grid]
        print(grid_to_text(shown), end="")

    def __str__(self) -> str:
        stacks = [str(stack).split("-") if stack.size() else [] for stack in self.__stacks]
        return table_to_text([str(cell) for cell in self.__grid], stacks).removesuffix("\n")


# -- The program ----------------------------------------------------------------------------


def main(rng: Shuffler | None = None) -> None:
    """Ask for the mode and play one game at the keyboard.

    Args:
        rng: what shuffles in game mode; a fresh generator by default.

    Raises:
        EOFError: the input ended before the game.
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
    """Return one line of input; "?" for a line that is no text."""
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
    """Take the tiles in order and play each on the first stack that it fits."""
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
    """Ask for a row and a column until there is a tile."""
    while True:
        row = _ask_number("Row", table.getNumRows())
        column = _ask_number("Column", table.getNumColumns())
        try:
            return table.select(row, column)
        except DominoError as error:
            print(error)


def _ask_play(table: Table, tile: Domino, tops: list[int | None]) -> int:
    """Ask for a stack until the tile is played there, and on an empty one for its end on top."""
    while True:
        stack = _ask_number("Stack", table.getNumStacks())
        if tops[stack] is None:
            tile.setTop(_ask_end(tile))
        if table.playDomino(tile, stack):
            return stack


def _ask_end(tile: Domino) -> int:
    """Ask which end goes on top, unless they are alike."""
    ends = sorted({tile.getTop(), tile.getBottom()})
    while len(ends) > 1:
        answer = _answer(f"Dots on top ({ends[0]} or {ends[1]}): ").strip()
        if answer in map(str, ends):
            return int(answer)
        print(f"Invalid answer. You must enter {ends[0]} or {ends[1]}.")
    return ends[0]


def _ask_number(what: str, limit: int) -> int:
    """Ask until the answer is a whole number below `limit`."""
    while True:
        answer = _answer(f"{what} (0-{limit - 1}): ").strip()
        if re.fullmatch("[0-9]", answer) and int(answer) < limit:
            return int(answer)
        print(f"Invalid answer. You must enter a number from 0 to {limit - 1}.")
