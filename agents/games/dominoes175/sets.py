"""Canonical sets of dominoes, which are equal for sets that differ only in the names of the dots.

The rules of Dominoes 175 are symmetric in the numbers of dots. One canonical set therefore
represents all its renamings, which leaves 79,264 sets of 268 million. Tile number
`high * (high + 1) / 2 + low` has the ends `low <= high`, as in `boardenvs.dominoes175.rules`. A
set is a word with a bit for each tile, and `names[dots]` is the new name of `dots`.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from boardenvs.kernels.kernel import cached_njit

__all__ = ["Level", "canonical", "levels"]


@dataclass(frozen=True)
class Level:
    """The N canonical sets of one size, and their extensions by one tile."""

    sets: npt.NDArray[np.uint32]
    """Canonical sets in ascending order, shape (N,)."""
    larger: npt.NDArray[np.int32]
    """Index in the next level after adding a tile, shape (N, tiles); -1 if the set has the tile."""
    names: npt.NDArray[np.int8]
    """New names of the dots after adding a tile, shape (N, tiles, ends)."""


def levels(ends: int, largest: int) -> list[Level]:
    """Return the levels of 0 to `largest` tiles; the last level has no extensions.

    Args:
        ends: number of values that an end of a tile may have, at most 7.
        largest: largest size, at most the number of tiles, ends * (ends + 1) / 2.
    """
    tiles = ends * (ends + 1) // 2
    found = []
    sets = np.zeros(1, np.uint32)
    for _ in range(largest):
        grown = np.zeros((len(sets), tiles), np.uint32)
        names = np.zeros((len(sets), tiles, ends), np.int8)
        grow(sets, ends, grown, names)
        following = np.unique(grown[grown > 0])
        larger = np.searchsorted(following, grown).astype(np.int32)
        larger[grown == 0] = -1
        found.append(Level(sets, larger, names))
        sets = following
    nothing = np.full((len(sets), tiles), -1, np.int32)
    return [*found, Level(sets, nothing, np.zeros((len(sets), tiles, ends), np.int8))]


@cached_njit("the sets of tiles of Dominoes")
def grow(sets, ends, grown, names):
    """Write the canonical set of each set with each missing tile added."""
    for i in range(len(sets)):
        for tile in range(grown.shape[1]):
            if sets[i] >> np.uint32(tile) & np.uint32(1) == 0:
                bit = np.uint32(1) << np.uint32(tile)
                grown[i, tile] = canonical(sets[i] | bit, ends, names[i, tile])


@cached_njit("the sets of tiles of Dominoes")
def canonical(tiles, ends, names):
    """Return the canonical set and write the new names of the dots.

    It is the smallest word of all renamings that sort the dots by `kinds_of`.
    """
    kinds = kinds_of(tiles, ends)
    order = np.arange(ends)
    for i in range(1, ends):  # insertion sort, which is stable
        k = i
        while k > 0 and kinds[order[k - 1]] > kinds[order[k]]:
            order[k - 1], order[k] = order[k], order[k - 1]
            k -= 1
    smallest = np.uint32(0xFFFFFFFF)
    tried = np.empty(ends, np.int8)
    while True:
        for i in range(ends):
            tried[order[i]] = i
        word = renamed(tiles, ends, tried)
        if word < smallest:
            smallest = word
            names[:] = tried
        if not next_order(order, kinds):
            return smallest


@njit
def kinds_of(tiles, ends):
    """Return a hash for each number of dots, equal for dots that a renaming may swap."""
    kinds = np.ones(ends, np.uint64)
    for _ in range(3):
        new = np.zeros(ends, np.uint64)
        for high in range(ends):
            for low in range(high + 1):
                if tiles >> np.uint32(high * (high + 1) // 2 + low) & np.uint32(1):
                    if low == high:
                        new[low] += np.uint64(1) << np.uint64(60)
                    else:
                        new[low] += kinds[high]
                        new[high] += kinds[low]
        for k in range(ends):
            kinds[k] = kinds[k] * np.uint64(0x9E3779B97F4A7C15) + new[k]
            kinds[k] = (kinds[k] ^ kinds[k] >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    return kinds


@njit
def renamed(tiles, ends, names):
    """Return the set with its dots renamed."""
    word = np.uint32(0)
    for high in range(ends):
        for low in range(high + 1):
            if tiles >> np.uint32(high * (high + 1) // 2 + low) & np.uint32(1):
                one = max(names[low], names[high])
                other = min(names[low], names[high])
                word |= np.uint32(1) << np.uint32(one * (one + 1) // 2 + other)
    return word


@njit
def next_order(order, kinds):
    """Advance to the next order of ascending kinds; restart and return `False` after the last."""
    end = len(order)
    while end > 0:
        begin = end - 1
        while begin > 0 and kinds[order[begin - 1]] == kinds[order[end - 1]]:
            begin -= 1
        if next_permutation(order[begin:end]):
            return True
        end = begin
    return False


@njit
def next_permutation(values):
    """Advance to the next permutation; restart and return `False` after the last."""
    k = len(values) - 2
    while k >= 0 and values[k] > values[k + 1]:
        k -= 1
    if k >= 0:
        other = len(values) - 1
        while values[other] < values[k]:
            other -= 1
        values[k], values[other] = values[other], values[k]
    values[k + 1 :] = values[k + 1 :][::-1].copy()
    return k >= 0
