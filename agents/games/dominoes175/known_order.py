"""Deals of Dominoes 175 that a player wins who knows the order of the tiles in advance.

The player still takes the tiles in this order, and only chooses where to play them. The share of
such deals is an upper bound of every policy's win rate.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.dominoes175.rules import STACKS
from boardenvs.kernels.kernel import cached_njit

__all__ = ["winnable"]


@cached_njit("the deals of Dominoes")
def winnable(decks, ends, goal):
    """Return whether some way to play the tiles in the given order wins, bool of shape (N,).

    It searches all ways, one tile at a time. A number encodes a stack as in
    `agents.games.dominoes175.optimum.Optimum`, and the order of the stacks does not matter.

    Args:
        decks: tiles in the order in which they are taken, shape (N, tiles). Tile
            `high * (high + 1) / 2 + low` has the ends low <= high.
        ends: number of values that an end of a tile may have.
        goal: height of a stack that wins.
    """
    kinds = 1 + (goal - 1) * ends
    found = np.zeros(len(decks), np.bool_)
    reached = np.zeros((2, kinds**STACKS), np.int32)
    listed = np.zeros(kinds**STACKS, np.bool_)
    for i in range(len(decks)):
        reached[0, 0] = 0  # empty stacks
        count = 1
        for turn in range(decks.shape[1]):
            high = 0
            while (high + 1) * (high + 2) // 2 <= decks[i, turn]:
                high += 1
            low = decks[i, turn] - high * (high + 1) // 2
            here, there = reached[turn % 2], reached[(turn + 1) % 2]
            count = play_on(here[:count], low, high, ends, goal, listed, there)
            if count <= 0:
                found[i] = count < 0
                break
            for k in range(count):
                listed[there[k]] = False
    return found


@njit
def play_on(stacks, low, high, ends, goal, listed, following):
    """Write all stacks after a tile is played, and return their number, or -1 after a win.

    Args:
        stacks: triples of stacks, each as one number.
        low: the smaller end of the tile.
        high: the larger end of the tile.
        ends: see `winnable`.
        goal: see `winnable`.
        listed: marks of the triples in `following`, initially `False`.
        following: output.
    """
    kinds = 1 + (goal - 1) * ends
    count = 0
    for triple in stacks:
        three = (triple % kinds, triple // kinds % kinds, triple // kinds**2)
        for k in range(STACKS):
            stack = three[k]
            for under, top in ((low, high), (high, low)):
                if stack > 0 and (stack - 1) % ends != under:
                    continue
                height = 0 if stack == 0 else (stack - 1) // ends + 1
                if height + 1 == goal:
                    for m in range(count):
                        listed[following[m]] = False
                    return -1
                new = 1 + height * ends + top
                one, other = three[(k + 1) % STACKS], three[(k + 2) % STACKS]
                most = max(new, one, other)
                least = min(new, one, other)
                after = (most * kinds + new + one + other - most - least) * kinds + least
                if not listed[after]:
                    listed[after] = True
                    following[count] = after
                    count += 1
    return count
