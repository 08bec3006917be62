"""How often the best policy wins Dominoes 175: exactly, by looking at every position.

`python -m agents.dev dominoes175_optimum` prints it, beside the rates of `greedy` and of random
play.

All cells that lie face down are alike, so a turn draws any unseen tile, each as likely, and a
position is the set of the seen tiles with each stack's height and the dots on its top. Renaming the
dots changes no rate (see the module `sets` beside this), which leaves 28 million positions before a
draw. From the last turn back, a position is worth the mean over the unseen tiles of the most that a
way to play the tile is worth. Nothing is sampled or estimated, and rounding is all that the rates
are off.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.games.dominoes175.sets import canonical, levels
from boardenvs.core.checks import whole_number
from boardenvs.dominoes175.rules import ENDS, GOAL, STACKS
from boardenvs.kernels.cache import cached_njit

__all__ = ["Optimum", "Policy"]

Policy = Literal["best", "greedy", "random"]
"""Who plays: `greedy` and `random` are the agents of these names."""

_Values = npt.NDArray[np.float64]


class Optimum:
    """What each position is worth: the rate at which a policy wins from there.

    A stack is told by a number: 0 if it is empty, else
    `1 + (height - 1) * ends + dots on its top`.
    """

    def __init__(self, policy: Policy = "best", ends: int = ENDS, goal: int = GOAL) -> None:
        """Work everything out, for the game itself in about 15 seconds and 0.3 GB.

        Args:
            policy: who plays.
            ends: numbers of dots an end may have, 1 to 7; 7 in the game.
            goal: height of a stack that wins, 2 to 6; 6 in the game. Where all tiles are
                played without one, the game is lost.

        Raises:
            ValueError: for arguments out of range.
        """
        if policy not in get_args(Policy):
            raise ValueError(f"policy must be one of {', '.join(get_args(Policy))}, got {policy!r}")
        self.ends = whole_number("ends", ends, 1, ENDS)
        self.goal = whole_number("goal", goal, 2, GOAL)
        chooses = get_args(Policy).index(policy)
        triples, self._number = _all_stacks(ends, goal)
        most = min(ends * (ends + 1) // 2, len(triples) - 1)
        self._sets: list[npt.NDArray[np.uint32]] = []
        self._values: list[_Values] = []
        after = np.zeros((0, 0))
        for level, alike in zip(reversed(levels(ends, most)), triples[most::-1], strict=True):
            values = np.zeros((len(level.sets), len(alike)))
            seen = level.sets, level.larger, level.names
            settle(*seen, alike, self._number, after, ends, goal, chooses, values)
            self._sets.insert(0, level.sets)
            self._values.insert(0, values)
            after = values

    @property
    def rate(self) -> float:
        """How often the policy wins from the start."""
        return float(self._values[0][0, 0])

    @property
    def positions(self) -> int:
        """How many positions there are before a draw, those that no game leads to among them."""
        return sum(values.size for values in self._values)

    def value(self, tiles: int, stacks: Sequence[int]) -> float:
        """What a position before a draw is worth.

        Args:
            tiles: those on the stacks, which are all that were seen: a word with a bit for
                each, number `high * (high + 1) / 2 + low` being the one with ends low <= high.
            stacks: the number of each, three in any order, none of them finished.
        """
        names = np.zeros(self.ends, np.int8)
        stands_for = canonical(np.uint32(tiles), self.ends, names)
        count = tiles.bit_count()
        row = self._sets[count].searchsorted(stands_for)
        dots = [(stack - 1) % self.ends for stack in stacks]
        new = [s and s - d + int(names[d]) for s, d in zip(stacks, dots, strict=True)]
        return float(self._values[count][row, self._number[tuple(new)]])


def _all_stacks(ends: int, goal: int) -> tuple[list[npt.NDArray[np.int64]], npt.NDArray[np.int32]]:
    """All triples of unfinished stacks, whatever their order.

    Returns:
        For each number of tiles the triples of so many, shape (M, 3); and the place of a
        triple, in any order, among those of as many tiles, shape (kinds, kinds, kinds).
    """
    kinds = 1 + (goal - 1) * ends
    heights = [0, *(1 + (kind - 1) // ends for kind in range(1, kinds))]
    of_size: list[list[tuple[int, ...]]] = [[] for _ in range(STACKS * (goal - 1) + 1)]
    number = np.zeros((kinds,) * STACKS, np.int32)
    for triple in itertools.combinations_with_replacement(range(kinds), STACKS):
        alike = of_size[sum(heights[kind] for kind in triple)]
        for order in itertools.permutations(triple):
            number[order] = len(alike)
        alike.append(triple)
    return [np.array(alike) for alike in of_size], number


@cached_njit("the best play of Dominoes")
def settle(sets, larger, names, triples, number, after, ends, goal, chooses, values):
    """The values of the positions of so many tiles, from those of one tile more.

    Args:
        sets: of seen tiles, for the rows of `values`.
        larger: the row of `after` that has a tile more; see `Level`.
        names: how dots are renamed there; see `Level`.
        triples: of stacks, for the columns of `values`.
        number: the column of `after` that has some stacks; see `_all_stacks`.
        after: values by set and triple.
        ends: see `Optimum`.
        goal: see `Optimum`.
        chooses: 0 takes the way worth most, 1 does as `greedy`, 2 takes any.
        values: zeros; where the values go.
    """
    with_dots = tiles_with(ends)
    new = np.zeros(1 + (goal - 1) * ends, np.int64)
    for i in range(len(sets)):
        unseen = with_dots[-1] & ~sets[i]
        for high in range(ends):
            for low in range(high + 1):
                tile = high * (high + 1) // 2 + low
                left = unseen & ~(np.uint32(1) << np.uint32(tile))
                if left == unseen:
                    continue
                for stack in range(1, len(new)):
                    dots = (stack - 1) % ends
                    new[stack] = stack - dots + names[i, tile, dots]
                row = after[larger[i, tile]] if len(after) else after.ravel()
                for m in range(len(triples)):
                    values[i, m] += worth(
                        triples[m],
                        low,
                        high,
                        left,
                        new,
                        number,
                        row,
                        with_dots,
                        ends,
                        goal,
                        chooses,
                    )
        if unseen:
            values[i] /= bits_of(unseen)


@njit(inline="always")  # a call with so many arrays takes as long as what it does
def worth(stacks, low, high, unseen, new, number, row, with_dots, ends, goal, chooses):
    """What a position with a tile in hand is worth.

    Args:
        stacks: three of them.
        low: the smaller end of the tile.
        high: its larger end.
        unseen: the other tiles that are.
        new: each stack's number once dots are renamed.
        number: see `_all_stacks`.
        row: values by the triple that there will be.
        with_dots: from `tiles_with`.
        ends: see `Optimum`.
        goal: see `Optimum`.
        chooses: see `settle`.
    """
    most = -1.0
    total = 0.0
    ties = 0
    for way in range(2 * STACKS if low < high else STACKS):
        k = way % STACKS
        under, top = (low, high) if way < STACKS else (high, low)
        if stacks[k] > 0 and (stacks[k] - 1) % ends != under:
            continue
        height = 0 if stacks[k] == 0 else (stacks[k] - 1) // ends + 1
        value = 1.0
        if height + 1 < goal:
            one = new[stacks[(k + 1) % STACKS]]
            other = new[stacks[(k + 2) % STACKS]]
            value = row[number[new[1 + height * ends + top], one, other]]
        merit = value
        if chooses == 1:
            merit = greedy_merit(stacks, k, height, top, unseen, with_dots, ends, goal)
        elif chooses == 2:
            merit = 0.0
        if merit > most:
            most = merit
            total = 0.0
            ties = 0
        if merit == most:
            total += value
            ties += 1
    return total / ties if ties > 0 else 0.0


@njit
def greedy_merit(stacks, k, height, top, unseen, with_dots, ends, goal):
    """By what `greedy` chooses, see `agents.games.dominoes175.greedy`."""
    if height + 1 == goal:
        return float(goal * (len(with_dots) + ends * ends))
    wanted = 1 << top
    for j in range(STACKS):
        if j != k:
            wanted |= 1 << (stacks[j] - 1) % ends if stacks[j] > 0 else (1 << ends) - 1
    return float(goal * bits_of(unseen & with_dots[wanted]) + height)


@njit
def tiles_with(ends):
    """The tiles that have any of some numbers of dots, by the numbers' bits."""
    found = np.zeros(1 << ends, np.uint32)
    for wanted in range(1 << ends):
        for high in range(ends):
            for low in range(high + 1):
                if wanted & (1 << low | 1 << high):
                    found[wanted] |= np.uint32(1) << np.uint32(high * (high + 1) // 2 + low)
    return found


@njit
def bits_of(word):
    """How many bits a word has."""
    count = 0
    while word:
        word &= word - np.uint32(1)
        count += 1
    return count
