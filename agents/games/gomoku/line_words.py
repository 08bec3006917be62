"""The lines of a Gomoku board as words: a bit for each stone on a row, column or diagonal.

Words have the shape (2, 4, 2 * side - 1): colour, direction, line. Bit `k` of a line is its cell
`k`, counted from the end that `line_start` tells.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games.gomoku.lines import count

__all__ = ["can_complete", "empty_words", "list_fours", "put_stones", "toggle"]


@njit
def empty_words(side):
    """Those of an empty board."""
    return np.zeros((2, 4, 2 * side - 1), np.uint64)


@njit
def put_stones(words, cells, side):
    """Put all stones of a board there, which was empty."""
    cell = 0
    for row in range(side):
        for column in range(side):
            if cells[cell] != 0:
                toggle_at(words[cells[cell] - 1], side, row, column)
            cell += 1


@njit
def toggle(words, side, cell, stone):
    """Put a stone, 1 or 2, on an empty cell, or take it from there."""
    row = cell // side
    toggle_at(words[stone - 1], side, row, cell - row * side)


@njit
def toggle_at(words, side, row, column):
    """The same, of one colour's words."""
    one = np.uint64(1)
    words[0, row] ^= one << np.uint64(column)
    words[1, column] ^= one << np.uint64(row)
    falling = column - row if column >= row else side - 1 + row - column
    words[2, falling] ^= one << np.uint64(min(row, column))
    words[3, row + column] ^= one << np.uint64(min(row, side - 1 - column))


@njit
def line_start(side, direction, line):
    """The first cell of a line, and how many cells it has."""
    if direction == 0:
        return line * side, side
    if direction == 1 or line < side:
        return line, side if direction == 1 else side - line if direction == 2 else line + 1
    row = line - side + 1
    return row * side + (0 if direction == 2 else side - 1), side - row


@njit
def can_complete(words, side, length):
    """Whether a stone would fill up so many cells in a row for either colour.

    With `exact` that need not win, since the row may be longer.
    """
    all_of = (np.uint64(1) << np.uint64(length)) - np.uint64(1)
    for colour in range(2):
        for direction in range(4):
            for line in range(side if direction < 2 else 2 * side - 1):
                own = words[colour, direction, line]
                if count(own) < length - 1:
                    continue
                others = words[1 - colour, direction, line]
                _, room = line_start(side, direction, line)
                for first in range(room - length + 1):
                    window = all_of << np.uint64(first)
                    if others & window == np.uint64(0) and count(own & window) == length - 1:
                        return True
    return False


@njit
def list_fours(words, side, length, stone, moves):
    """The cells that may leave a line one short, in windows of which two are empty; how many."""
    all_of = (np.uint64(1) << np.uint64(length)) - np.uint64(1)
    num = 0
    for direction in range(4):
        step = (1, side, side + 1, side - 1)[direction]
        for line in range(side if direction < 2 else 2 * side - 1):
            own = words[stone - 1, direction, line]
            if count(own) < length - 2:
                continue
            others = words[2 - stone, direction, line]
            start, room = line_start(side, direction, line)
            for first in range(room - length + 1):
                window = all_of << np.uint64(first)
                if others & window == np.uint64(0) and count(own & window) == length - 2:
                    for k in range(first + length - 1, first - 1, -1):
                        if (own >> np.uint64(k)) & np.uint64(1) == np.uint64(0):
                            num = put(moves, num, start + k * step)
    return num


@njit
def put(moves, num, cell):
    """Put a cell on a list, if it is not there and there is room; returns how many are there."""
    for k in range(num):
        if moves[k] == cell:
            return num
    if num < len(moves):
        moves[num] = cell
        num += 1
    return num
