"""Sets of dominoes, told apart only as far as renaming the dots does not make them equal.

The rules of Dominoes 175 do not care which number of dots is which, so a set of seen tiles may
stand for all that renaming makes of it: 79,264 sets instead of 268 million. Tile number
`high * (high + 1) / 2 + low` has the ends `low <= high`, as in `boardenvs.dominoes175.rules`; a
set is a word with a bit for each of its tiles, and `names[dots]` is the new name of `dots`.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from boardenvs.kernels.cache import cached_njit

__all__ = ["Level", "canonical", "levels"]


@dataclass(frozen=True)
class Level:
    """All sets of one size, N of them, and what they become with a tile more."""

    sets: npt.NDArray[np.uint32]
    """The one that stands for each, ascending, shape (N,)."""
    larger: npt.NDArray[np.int32]
    """Where the next level has the set with a tile added, shape (N, tiles); -1: has it already."""
    names: npt.NDArray[np.int8]
    """How dots are renamed with that, shape (N, tiles, ends)."""


def levels(ends: int, largest: int) -> list[Level]:
    """The sets of 0, 1, ... and `largest` tiles; those of the last are not told what follows.

    Args:
        ends: numbers of dots an end may have, at most 7.
        largest: at most the number of tiles, ends * (ends + 1) / 2.
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
    """Each set with each tile that it lacks added, as the set that stands for it."""
    for i in range(len(sets)):
        for tile in range(grown.shape[1]):
            if sets[i] >> np.uint32(tile) & np.uint32(1) == 0:
                bit = np.uint32(1) << np.uint32(tile)
                grown[i, tile] = canonical(sets[i] | bit, ends, names[i, tile])


@cached_njit("the sets of tiles of Dominoes")
def canonical(tiles, ends, names):
    """The set that stands for this one, and how dots are renamed for it.

    Of the renamings that sort the dots by what can be said of them without names, the one with
    the smallest word.
    """
    kinds = kinds_of(tiles, ends)
    order = np.arange(ends)
    for i in range(1, ends):  # insertion sort, which keeps equals in order
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
    """A number for each number of dots: equal where renaming may swap the two."""
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
    """The set with its dots renamed."""
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
    """The next order of the dots in which kinds ascend; `False`, and the first, after the last."""
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
    """The next one in lexicographic order; `False`, and the first, after the last."""
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
