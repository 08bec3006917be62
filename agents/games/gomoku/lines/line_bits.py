"""Bitboards of the lines of a Gomoku board, with a bit for each stone of a row, column or diagonal.

They are a uint64 array of shape (2, 4, 2 * side - 1): colour, direction, line. Bit `k` of a line is
its cell `k`, counted from the end that `line_start` returns. Boards may have any size, unlike in
`open_lines`, which uses one integer for a whole board of at most 8 x 8.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games.gomoku.lines.open_lines import count

__all__ = ["empty_line_bits", "list_pairs", "put_stones", "toggle"]


@njit
def empty_line_bits(side):
    """Return the line bits of an empty board."""
    return np.zeros((2, 4, 2 * side - 1), np.uint64)


@njit
def put_stones(line_bits, cells, side):
    """Put all stones of a board on the line bits of an empty board."""
    cell = 0
    for row in range(side):
        for column in range(side):
            if cells[cell] != 0:
                toggle_at(line_bits[cells[cell] - 1], side, row, column)
            cell += 1


@njit
def toggle(line_bits, side, cell, stone):
    """Put a stone, 1 or 2, on an empty cell, or remove it."""
    row = cell // side
    toggle_at(line_bits[stone - 1], side, row, cell - row * side)


@njit
def toggle_at(line_bits, side, row, column):
    """Toggle a stone in the line bits of one colour."""
    one = np.uint64(1)
    line_bits[0, row] ^= one << np.uint64(column)
    line_bits[1, column] ^= one << np.uint64(row)
    falling = column - row if column >= row else side - 1 + row - column
    line_bits[2, falling] ^= one << np.uint64(min(row, column))
    line_bits[3, row + column] ^= one << np.uint64(min(row, side - 1 - column))


@njit
def line_start(side, direction, line):
    """Return the first cell of a line and its number of cells."""
    if direction == 0:
        return line * side, side
    if direction == 1:
        return line, side
    if line < side:  # the line begins in the first row
        return line, side - line if direction == 2 else line + 1
    row = line - side + 1
    return row * side + (0 if direction == 2 else side - 1), side - row


@njit
def list_pairs(line_bits, side, length, stone, alone, moves):
    """List the empty cells of windows that lack two stones and hold no stone of the other colour.

    Windows are `length` cells in a row. With `exact`, filling a window need not win, since the row
    may become longer.

    Args:
        line_bits: line bits of the board.
        side: side of the board.
        length: number of cells of a winning line.
        stone: colour, 1 or 2.
        alone: whether to return -1 if a window of either colour lacks only one stone.
        moves: output for the cells, without repetition; cells beyond its size are dropped.

    Returns:
        Number of cells in `moves`, or -1; see `alone`.
    """
    all_of = (np.uint64(1) << np.uint64(length)) - np.uint64(1)
    none = np.uint64(0)
    num = 0
    for direction in range(4):
        step = (1, side, side + 1, side - 1)[direction]
        for line in range(side if direction < 2 else 2 * side - 1):
            own = line_bits[stone - 1, direction, line]
            others = line_bits[2 - stone, direction, line]
            if count(own) < length - 2 and not (alone and count(others) >= length - 1):
                continue
            start, cells = line_start(side, direction, line)
            for first in range(cells - length + 1):
                window = all_of << np.uint64(first)
                if others & window == none:
                    held = count(own & window)
                    if held == length - 2:
                        for k in range(first + length - 1, first - 1, -1):
                            if (own >> np.uint64(k)) & np.uint64(1) == none:
                                num = put(moves, num, start + k * step)
                    elif alone and held == length - 1:
                        return -1
                elif alone and own & window == none and count(others & window) == length - 1:
                    return -1
    return num


@njit
def put(moves, num, cell):
    """Add a cell to a list if it is new and there is room; return the new length."""
    for k in range(num):
        if moves[k] == cell:
            return num
    if num < len(moves):
        moves[num] = cell
        num += 1
    return num
