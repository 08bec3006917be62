"""A second program for the statement that no win of Gekitai is forced within some plies.

To be independent of the proof-number search, this program has its own rules and another search: a
depth-first search of increasing depth, which remembers a refutation of each position. It uses only
NumPy and Numba, nothing of this package or of the other search. Lines have three pieces, and a
placement that satisfies both players is a win of the player who placed.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = ["DESCRIPTION", "add_arguments", "forced_wins", "run"]

DESCRIPTION = "Check independently that Gekitai has no forced win within some plies."
_LINE = 3
_ENTRY = np.dtype(
    [("mine", "u8"), ("theirs", "u8"), ("wins", "u1"), ("fails", "u1"), ("cell", "u1")], align=True
)
"""Entry of a table: the attacker can force a win within `wins` plies, not within `fails` plies.
`cell` is the winning or the refuting cell."""
_NONE = 255
"""The value of `wins` and of `cell` if there is none."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument("--side", type=int, default=6, help="cells of a side; default: 6")
    parser.add_argument("--pieces", type=int, default=8, help="pieces of a player; default: 8")
    parser.add_argument(
        "--within", type=int, default=11, metavar="PLIES", help="plies of the win; default: 11"
    )
    parser.add_argument(
        "--table-bits",
        type=int,
        default=20,
        metavar="BITS",
        help="size of each of two tables, 2**BITS times 24 bytes; default: 20, 25 MB",
    )


def run(options: argparse.Namespace) -> None:
    """Print for each number of plies up to `--within` whether there is a forced win.

    Raises:
        ValueError: an argument is out of range.
    """
    for name, low, high in (
        ("side", 3, 8),
        ("pieces", _LINE, 64),
        ("within", 1, 199),
        ("table_bits", 4, 32),
    ):
        if not low <= getattr(options, name) <= high:
            raise ValueError(f"{name} must be from {low} to {high}, got {getattr(options, name)}")
    found = forced_wins(options.side, options.pieces, options.within, options.table_bits)
    start = time.perf_counter()
    for plies, won, positions in found:
        answer = "can force a win" if won else "cannot force a win"
        length = f"{plies} {'ply' if plies == 1 else 'plies'}"
        print(
            f"{options.side} x {options.side}, {options.pieces} pieces: the first player {answer} "
            f"within {length}; {positions:,} positions, {time.perf_counter() - start:.1f} s",
            flush=True,
        )


def forced_wins(
    side: int, pieces: int, within: int, table_bits: int = 20, mine: int = 0, theirs: int = 0
) -> Iterator[tuple[int, bool, int]]:
    """Search the empty board with two more plies at a time, up to a forced win.

    Args:
        side: number of rows and columns, 3 to 8.
        pieces: number of pieces of each player, at least 3.
        within: maximum number of plies.
        table_bits: each of two tables has room for `2**table_bits` positions.
        mine: pieces of the player to move; bit `k` is the cell `k = side * row + column`.
        theirs: pieces of the other player.

    Yields:
        The number of plies, whether the player to move can force a win within them, and the number
        of positions that the search has looked at so far.
    """
    board = _board(side, pieces)
    attacks = np.zeros(1 << table_bits, _ENTRY)
    attacks["wins"] = attacks["cell"] = _NONE
    defences = attacks.copy()
    positions = np.zeros(1, np.int64)
    both = np.uint64(mine), np.uint64(theirs)
    at_once = _wins_at_once(board, *both)
    for plies in range(1, within + 1, 2):
        won = at_once or _forced(board, *both, plies, (defences, attacks), positions)
        yield plies, won, int(positions[0])
        if won:
            return


class _Board(NamedTuple):
    """Tables of a board."""

    cells: int
    pieces: int
    near: npt.NDArray[np.uint64]
    """Bit of each neighbour of a cell, 0 for none, shape (cells, 8)."""
    beyond: npt.NDArray[np.uint64]
    """Bit of the cell beyond each neighbour, 0 if it is off the board, shape (cells, 8)."""
    around: npt.NDArray[np.uint64]
    """All neighbours of a cell, shape (cells,)."""
    steps: npt.NDArray[np.uint64]
    """Difference of the bits of two cells of a line, for each direction, shape (4,)."""
    starts: npt.NDArray[np.uint64]
    """First cells of the lines, for each direction, shape (4,)."""
    turned: npt.NDArray[np.uint64]
    """Cells of each byte of a bitboard under each symmetry, shape (8, 8, 256)."""


def _board(side: int, pieces: int) -> _Board:
    """Return the tables of a board."""
    near, beyond = np.zeros((2, side * side, 8), np.uint64)
    directions = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    for row in range(side):
        for column in range(side):
            for k, (i, j) in enumerate(directions):
                for table, far in ((near, 1), (beyond, 2)):
                    y, x = row + far * i, column + far * j
                    if 0 <= y < side and 0 <= x < side:
                        table[row * side + column, k] = 1 << (y * side + x)
    lines = ((0, 1), (1, 0), (1, 1), (1, -1))
    starts = np.zeros(4, np.uint64)
    for k, (i, j) in enumerate(lines):
        for row in range(side - i * (_LINE - 1)):
            for column in range(side):
                if 0 <= column + j * (_LINE - 1) < side:
                    starts[k] |= np.uint64(1 << (row * side + column))
    turned = np.zeros((8, 8, 256), np.uint64)
    grid = np.arange(side * side).reshape(side, side)
    for k in range(8):
        new = np.rot90(grid.T if k > 3 else grid, k).ravel().tolist()
        for cell in range(side * side):
            for byte in range(256):
                if byte >> cell % 8 & 1:
                    turned[k, cell // 8, byte] |= np.uint64(1 << new[cell])
    steps = np.array([i * side + j for i, j in lines], np.uint64)
    return _Board(side * side, pieces, near, beyond, near.sum(1, np.uint64), steps, starts, turned)


@njit
def _count(bits):
    """Return the number of pieces of a bitboard."""
    bits -= bits >> np.uint64(1) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + (
        bits >> np.uint64(2) & np.uint64(0x3333333333333333)
    )
    bits = bits + (bits >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(bits * np.uint64(0x0101010101010101) >> np.uint64(56))


@njit
def _placed(board, cell, mine, theirs):
    """Return both players' pieces after the owner of `mine` places one."""
    occupied = mine | theirs
    mine |= np.uint64(1) << np.uint64(cell)
    if occupied & board.around[cell] == 0:
        return mine, theirs
    for k in range(8):
        near, beyond = board.near[cell, k], board.beyond[cell, k]
        if occupied & near != 0 and occupied & beyond == 0:
            if mine & near != 0:
                mine = mine & ~near | beyond
            else:
                theirs = theirs & ~near | beyond
    return mine, theirs


@njit
def _has_won(board, bits):
    """Return whether a player has a line, or all pieces on the board."""
    for k in range(4):
        step = board.steps[k]
        if bits & (bits >> step) & (bits >> (step + step)) & board.starts[k] != 0:
            return True
    return _count(bits) >= board.pieces


@njit
def _wins_at_once(board, mine, theirs):
    """Return whether the owner of `mine`, who is to move, can win at once."""
    if _count(mine) < min(_LINE, board.pieces) - 1:
        return False
    for cell in range(board.cells):
        if (mine | theirs) >> np.uint64(cell) & np.uint64(1) == 0:
            own, _ = _placed(board, cell, mine, theirs)
            if _has_won(board, own):
                return True
    return False


@njit
def _smallest(board, mine, theirs):
    """Return the smallest pair of bitboards among the symmetries of a position."""
    best_mine, best_theirs = mine, theirs
    for k in range(1, 8):
        one = np.uint64(0)
        two = np.uint64(0)
        for byte in range(8):
            one |= board.turned[k, byte, mine >> np.uint64(8 * byte) & np.uint64(255)]
            two |= board.turned[k, byte, theirs >> np.uint64(8 * byte) & np.uint64(255)]
        if one < best_mine or (one == best_mine and two < best_theirs):
            best_mine, best_theirs = one, two
    return best_mine, best_theirs


@njit
def _entry(table, mine, theirs):
    """Return the index of a position in the table, after clearing another position there."""
    mixed = (mine * np.uint64(0x9E3779B97F4A7C15)) ^ (theirs * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    k = np.int64(mixed >> np.uint64(20)) & (len(table) - 1)
    if table[k].mine != mine or table[k].theirs != theirs:
        table[k].mine = mine
        table[k].theirs = theirs
        table[k].wins = _NONE
        table[k].fails = 0
        table[k].cell = _NONE
    return k


@njit
def _forced(board, mine, theirs, plies, tables, positions):
    """Return whether the attacker can force a win within a number of plies.

    The owner of `mine` is to move, and cannot win at once. With an odd number of plies, this is the
    attacker, who makes the last one.
    """
    attack = plies % 2 == 1
    if attack and (plies == 1 or _count(mine) + plies // 2 + 1 < min(_LINE, board.pieces)):
        return False
    table = tables[plies % 2]
    mine, theirs = _smallest(board, mine, theirs)
    k = _entry(table, mine, theirs)
    if table[k].wins <= plies:
        return True
    if table[k].fails >= plies:
        return False
    positions[0] += attack
    best = table[k].cell
    forced = not attack
    for number in range(-1, board.cells):
        cell = best if number < 0 else number
        if cell == _NONE or (number >= 0 and cell == best):
            continue
        if (mine | theirs) >> np.uint64(cell) & np.uint64(1) != 0:
            continue
        own, others = _placed(board, cell, mine, theirs)
        if _has_won(board, others) or _wins_at_once(board, others, own):
            continue
        if _forced(board, others, own, plies - 1, tables, positions) == attack:
            forced = attack
            break
    k = _entry(table, mine, theirs)
    if forced == attack:
        table[k].cell = cell
    if forced:
        table[k].wins = min(table[k].wins, plies)
    else:
        table[k].fails = max(table[k].fails, plies)
    return forced
