"""Open lines and winning cells of Gomoku on bitboards of at most 8 x 8 cells.

Cell (row, column) is bit `8 * row + column` of a bitboard. A line is `win_length` cells in a row.
With `exact`, a line counts for a player only if the cells just past its ends hold no stone of that
player.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.core.chance import times

__all__ = ["all_cells", "can_pair", "count", "lowest", "open_cells", "winning_cells"]

_MOST = 256  # maximum number of lines: with a length of 1, four through each cell
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


@njit
def count(bits):
    """Return the number of cells of a bitboard."""
    x = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(times(x, np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit
def lowest(bits):
    """Return the lowest cell of a bitboard that is not empty."""
    return bits & (~bits + np.uint64(1))


@njit
def all_cells(p):
    """Return the bitboard of all cells of the board."""
    row = np.uint64((1 << p.side) - 1)
    cells = np.uint64(0)
    for r in range(p.side):
        cells |= row << np.uint64(8 * r)
    return cells


@njit
def cell_at(p, row, column):
    """Return the bitboard of a cell, or an empty one if the cell is off the board."""
    if row < 0 or row >= p.side or column < 0 or column >= p.side:
        return np.uint64(0)
    return np.uint64(1) << np.uint64(8 * row + column)


@njit
def open_lines(p, mine, theirs, lines):
    """Write the lines that the owner of `mine` can still complete and return their number."""
    num = 0
    for down, right in _STEPS:
        shape = np.uint64(0)
        for k in range(p.line):
            shape |= np.uint64(1) << np.uint64(k * (8 * down + right))
        first = p.line - 1 if right < 0 else 0
        for row in range(p.side - down * (p.line - 1)):
            for column in range(first, p.side - (p.line - 1 if right > 0 else 0)):
                line = shape << np.uint64(8 * row + column)
                if line & theirs != np.uint64(0):
                    continue
                if p.exact:
                    before = cell_at(p, row - down, column - right)
                    after = cell_at(p, row + p.line * down, column + p.line * right)
                    if (before | after) & mine != np.uint64(0):
                        continue
                lines[num] = line
                num += 1
    return num


@njit
def winning_cells(p, mine, theirs):
    """Return the cells where the owner of `mine` would win at once; the game must not be over."""
    lines = np.empty(_MOST, np.uint64)
    found = np.uint64(0)
    for k in range(open_lines(p, mine, theirs, lines)):
        gap = lines[k] & ~mine
        if gap & (gap - np.uint64(1)) == np.uint64(0):
            found |= gap
    return found


@njit
def open_cells(p, mine, theirs):
    """Return the empty cells of lines that the owner of `mine` can still complete."""
    lines = np.empty(_MOST, np.uint64)
    found = np.uint64(0)
    for k in range(open_lines(p, mine, theirs, lines)):
        found |= lines[k]
    return found & ~mine


@njit
def can_pair(p, mine, theirs):
    """Return whether a pairing proves that the owner of `mine`, who is to move, cannot win.

    A pairing is a set of disjoint pairs of empty cells such that each line that the player can
    still complete contains a pair. An opponent who answers each cell of a pair with the other one
    gets a cell of every line (see E. Berlekamp, J. Conway, R. Guy, "Winning ways for your
    mathematical plays", volume 3, 1982). The choice is greedy: the line with the fewest free cells
    gets the pair that serves most lines. The function may therefore miss a pairing.
    """
    lines = np.empty(_MOST, np.uint64)
    num = open_lines(p, mine, theirs, lines)
    left = ~(mine | theirs)
    while num > 0:
        tightest = np.uint64(0)
        fewest = 65
        for k in range(num):
            cells = lines[k] & left
            if count(cells) < fewest:
                fewest = count(cells)
                tightest = cells
        if fewest < 2:
            return False
        pair = best_pair(tightest, lines, num)
        left &= ~pair
        kept = 0
        for k in range(num):
            if lines[k] & pair != pair:
                lines[kept] = lines[k]
                kept += 1
        num = kept
    return True


@njit
def best_pair(cells, lines, num):
    """Return the two of `cells` that most lines contain; ties go to fewest lines with only one."""
    best = np.uint64(0)
    most = -1
    first = cells
    while first != np.uint64(0):
        one = lowest(first)
        first ^= one
        second = first
        while second != np.uint64(0):
            pair = one | lowest(second)
            second &= second - np.uint64(1)
            merit = 0
            for k in range(num):
                held = lines[k] & pair
                merit += _MOST if held == pair else -1 if held != np.uint64(0) else 0
            if merit > most or best == np.uint64(0):
                most = merit
                best = pair
    return best
