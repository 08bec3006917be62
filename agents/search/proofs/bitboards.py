"""The eight symmetries of a square board of up to 8 x 8 cells, on bitboards.

Cell (row, column) is bit `8 * row + column` of a bitboard; `p.side` is the number of rows.

Symmetry `k`, from 0 to 7, transposes the board if bit 0 of `k` is set. Then bit 1 turns the board
upside down, and bit 2 swaps left and right.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["canonical", "turned", "turned_back"]


@njit
def transposed(bits):
    """Return a bitboard with rows and columns swapped."""
    t = (bits ^ (bits >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    bits ^= t ^ (t << np.uint64(7))
    t = (bits ^ (bits >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    bits ^= t ^ (t << np.uint64(14))
    t = (bits ^ (bits >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return bits ^ t ^ (t << np.uint64(28))


@njit
def upside_down(p, bits):
    """Return a bitboard with the rows in reverse order."""
    low = np.uint64(0x00FF00FF00FF00FF)
    bits = ((bits >> np.uint64(8)) & low) | ((bits & low) << np.uint64(8))
    low = np.uint64(0x0000FFFF0000FFFF)
    bits = ((bits >> np.uint64(16)) & low) | ((bits & low) << np.uint64(16))
    bits = (bits >> np.uint64(32)) | (bits << np.uint64(32))
    return bits >> np.uint64(8 * (8 - p.side))


@njit
def mirrored(p, bits):
    """Return a bitboard with the columns in reverse order."""
    low = np.uint64(0x5555555555555555)
    bits = ((bits >> np.uint64(1)) & low) | ((bits & low) << np.uint64(1))
    low = np.uint64(0x3333333333333333)
    bits = ((bits >> np.uint64(2)) & low) | ((bits & low) << np.uint64(2))
    low = np.uint64(0x0F0F0F0F0F0F0F0F)
    bits = ((bits >> np.uint64(4)) & low) | ((bits & low) << np.uint64(4))
    return bits >> np.uint64(8 - p.side)


@njit
def turned(p, bits, k):
    """Return a bitboard under symmetry `k`."""
    if k & 1:
        bits = transposed(bits)
    if k & 2:
        bits = upside_down(p, bits)
    if k & 4:
        bits = mirrored(p, bits)
    return bits


@njit
def turned_back(p, bits, k):
    """Invert `turned`."""
    if k & 4:
        bits = mirrored(p, bits)
    if k & 2:
        bits = upside_down(p, bits)
    if k & 1:
        bits = transposed(bits)
    return bits


@njit
def canonical(p, first, second):
    """Return the least of the eight turns of two bitboards, and its symmetry.

    All turns of a position have the same least turn.
    """
    best_first = first
    best_second = second
    best = 0
    # Each turn is one step from an earlier one, which is faster than `turned`.
    one1 = transposed(first)
    one2 = upside_down(p, first)
    one3 = upside_down(p, one1)
    turns = (
        one1,
        one2,
        one3,
        mirrored(p, first),
        mirrored(p, one1),
        mirrored(p, one2),
        mirrored(p, one3),
    )
    for k in range(1, 8):
        one = turns[k - 1]
        if one <= best_first:
            two = turned(p, second, k)
            if one < best_first or two < best_second:
                best_first = one
                best_second = two
                best = k
    return best_first, best_second, best
