"""Exact win rates of policies in Dominoes 175, computed over all positions.

`python -m agents.dev dominoes175_optimum` prints the rates of the best policy, `greedy` and
`random`.

All face-down cells are equivalent, so a turn draws each unseen tile with the same probability. A
position is the set of seen tiles, with the height and the top dots of each stack. Renaming the dots
changes no rate (see `agents.games.dominoes175.sets`), so 28 million positions before a draw remain.
Backward induction computes their values: the mean over the unseen tiles of the value of the best
move with the tile. The rates are exact except for rounding.
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
from agents.report.progress import progress_bar
from boardenvs.core.checks import whole_number
from boardenvs.dominoes175.rules import ENDS, GOAL, STACKS
from boardenvs.kernels.kernel import cached_njit

__all__ = ["Optimum", "Policy"]

Policy = Literal["best", "greedy", "random"]
"""Name of a policy; `greedy` and `random` are the agents of these names."""

_Values = npt.NDArray[np.float64]


class Optimum:
    """Win rates of a policy from all positions.

    A number encodes a stack: 0 if it is empty, else `1 + (height - 1) * ends + dots on its top`.
    """

    def __init__(
        self,
        policy: Policy = "best",
        ends: int = ENDS,
        goal: int = GOAL,
        *,
        progress: bool = False,
    ) -> None:
        """Compute all values; the actual game needs about 7 seconds and 0.3 GB.

        Args:
            policy: policy to evaluate.
            ends: number of values that an end of a tile may have, 1 to 7; 7 in the game.
            goal: height of a stack that wins, 2 to 6; 6 in the game. Without such a stack, the
                game is lost after the last tile.
            progress: whether to show a progress bar on standard error.

        Raises:
            ValueError: an argument is out of range.
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
        after, following = np.zeros((0, 0)), triples[0][:0]
        found = levels(ends, most)
        total = sum(len(level.sets) * len(triples[size]) for size, level in enumerate(found))
        name = f"{policy} play of Dominoes 175"
        with progress_bar(total, unit="position", desc=name, shown=progress) as bar:
            for level, alike in zip(reversed(found), triples[most::-1], strict=True):
                values = np.zeros((len(level.sets), len(alike)))
                seen = level.sets, level.larger, level.names
                stacks = alike, following, self._number
                settle(*seen, *stacks, after, ends, goal, chooses, values)
                self._sets.insert(0, level.sets)
                self._values.insert(0, values)
                after, following = values, alike
                bar.update(values.size)

    @property
    def rate(self) -> float:
        """Win rate of the policy from the start."""
        return float(self._values[0][0, 0])

    @property
    def positions(self) -> int:
        """Number of positions before a draw, including unreachable ones."""
        return sum(values.size for values in self._values)

    def value(self, tiles: int, stacks: Sequence[int]) -> float:
        """Return the win rate from a position before a draw.

        Args:
            tiles: set of the tiles on the stacks, which are all seen tiles. Bit
                `high * (high + 1) / 2 + low` is the tile with ends low <= high.
            stacks: numbers of the three unfinished stacks, in any order.
        """
        names = np.zeros(self.ends, np.int8)
        stands_for = canonical(np.uint32(tiles), self.ends, names)
        count = tiles.bit_count()
        row = self._sets[count].searchsorted(stands_for)
        dots = [(stack - 1) % self.ends for stack in stacks]
        new = [s and s - d + int(names[d]) for s, d in zip(stacks, dots, strict=True)]
        return float(self._values[count][row, self._number[tuple(new)]])


def _all_stacks(ends: int, goal: int) -> tuple[list[npt.NDArray[np.int64]], npt.NDArray[np.int32]]:
    """Return all triples of unfinished stacks, without regard to order.

    Returns:
        For each number of tiles, the triples with this number, shape (M, 3); and the index of a
        triple, in any order, among those with the same number, shape (kinds, kinds, kinds).
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
def settle(sets, larger, names, triples, following, number, after, ends, goal, chooses, values):
    """Compute the values of positions from those with one more tile.

    Args:
        sets: sets of seen tiles, for the rows of `values`.
        larger: rows of `after` with a tile added; see `Level`.
        names: new names of the dots in these rows; see `Level`.
        triples: triples of stacks, for the columns of `values`.
        following: triples of stacks, for the columns of `after`.
        number: columns of `after` by triple; see `_all_stacks`.
        after: values with one more tile, by set and triple.
        ends: see `Optimum`.
        goal: see `Optimum`.
        chooses: index of the policy: 0 for the best, 1 for `greedy`, 2 for `random`.
        values: output, filled with zeros by the caller.
    """
    with_dots = tiles_with(ends)
    first, moves = moves_of(triples, number, ends, goal)
    new = np.zeros(1 + (goal - 1) * ends, np.int64)
    row = np.ones(len(following) + 1)  # the last value is that of a win
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
                for k in range(len(following) if len(after) else 0):
                    one, other, third = following[k]
                    row[k] = after[larger[i, tile], number[new[one], new[other], new[third]]]
                its = moves[first[tile] : first[tile + 1]]
                add_tile(its, row, left, with_dots, goal, chooses, values[i])
        if unseen:
            values[i] /= bits_of(unseen)


@njit
def add_tile(moves, row, unseen, with_dots, goal, chooses, values):
    """Add the values of all positions with one tile in hand to the sums for all tiles.

    Args:
        moves: moves of the tile, in ascending order of the position; see `moves_of`.
        row: values after the move, by triple, with the value of a win at the end.
        unseen: set of the other unseen tiles.
        with_dots: from `tiles_with`.
        goal: see `Optimum`.
        chooses: see `settle`.
        values: sums by triple, changed in place.
    """
    e = 0
    while e < len(moves):
        m = moves[e, 0]
        most = -1.0
        total = 0.0
        ties = 0
        while e < len(moves) and moves[e, 0] == m:
            value = row[moves[e, 1]]
            merit = value
            if chooses == 1:
                merit = greedy_merit(moves[e], unseen, with_dots, goal)
            elif chooses == 2:
                merit = 0.0
            if merit > most:
                most = merit
                total = 0.0
                ties = 0
            if merit == most:
                total += value
                ties += 1
            e += 1
        values[m] += total / ties


@njit
def moves_of(triples, number, ends, goal):
    """Return the moves of each tile from all triples of stacks.

    Returns:
        The index of each tile's first move, shape (tiles + 1,); and the moves of all tiles, shape
        (moves, 4): the index of the triple, the index after the move (-1 for a win), the set of
        dots that then fit a stack, and the height of the stack before the move.
    """
    first = np.zeros(ends * (ends + 1) // 2 + 1, np.int64)
    for writes in range(2):
        moves = np.zeros((first[-1] if writes else 0, 4), np.int32)
        count = 0
        tile = 0
        for high in range(ends):
            for low in range(high + 1):
                first[tile] = count
                for m in range(len(triples)):
                    for way in range(2 * STACKS if low < high else STACKS):
                        k = way % STACKS
                        under, top = (low, high) if way < STACKS else (high, low)
                        stacks = triples[m]
                        if stacks[k] > 0 and (stacks[k] - 1) % ends != under:
                            continue
                        if writes:
                            write_move(stacks, k, top, number, ends, goal, moves[count])
                            moves[count, 0] = m
                        count += 1
                tile += 1
        first[tile] = count
    return first, moves


@njit
def write_move(stacks, k, top, number, ends, goal, move):
    """Write a move on stack `k` that leaves `top` dots on top, without its triple."""
    one = stacks[(k + 1) % STACKS]
    other = stacks[(k + 2) % STACKS]
    height = 0 if stacks[k] == 0 else (stacks[k] - 1) // ends + 1
    won = height + 1 == goal
    wanted = 1 << top
    for stack in (one, other):
        wanted |= 1 << (stack - 1) % ends if stack > 0 else (1 << ends) - 1
    move[1] = -1 if won else number[1 + height * ends + top, one, other]
    move[2] = wanted
    move[3] = height


@njit
def greedy_merit(move, unseen, with_dots, goal):
    """Return the number by which `greedy` orders moves; see `agents.games.dominoes175.greedy`."""
    if move[1] < 0:
        return np.inf
    return float(goal * bits_of(unseen & with_dots[move[2]]) + move[3])


@njit
def tiles_with(ends):
    """Return the set of tiles that have an end in a set of dots, for each set of dots."""
    found = np.zeros(1 << ends, np.uint32)
    for wanted in range(1 << ends):
        for high in range(ends):
            for low in range(high + 1):
                if wanted & (1 << low | 1 << high):
                    found[wanted] |= np.uint32(1) << np.uint32(high * (high + 1) // 2 + low)
    return found


@njit
def bits_of(word):
    """Return the number of set bits of a word."""
    count = 0
    while word:
        word &= word - np.uint32(1)
        count += 1
    return count
