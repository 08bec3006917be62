"""Numbering of all arrangements of the goats of a small Goat Race, and the moves between them.

An arrangement is the stack of goats on each cell. It splits into the heights of the stacks and the
colours of the goats, cell after cell and each stack from its top. Both parts are numbered in
lexicographic order, so that an arrangement has a number below `Arrangements.total`, and no table
is needed to find it. Goats are numbered by the place of their player in the order of play.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from boardenvs.kernels.kernel import cached_njit

__all__ = ["Arrangements", "Numbering", "Race", "number_of_stacks"]

LIVE = -1
"""Outcome of an arrangement in which the race goes on."""


class Race(NamedTuple):
    """The parameters of a race that decide its values."""

    players: int
    """Number of players."""
    goats: int
    """Number of goats of each player."""
    arrivals: int
    """Number of goats in the Destination that win."""
    height: int
    """Number of rows, and of faces of the die."""
    width: int
    """Number of columns."""
    obstacles: tuple[int, ...]
    """Column of the obstacle of each row, counted from 0."""
    jump: bool
    """Whether a race goes on while a goat can move sideways."""

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Row and column of each cell that goats can reach, row by row."""
        reached = {(row, 0) for row in range(self.height)}
        waiting = list(reached)
        while waiting:
            row, column = waiting.pop()
            for there in ((row - 1, column), (row + 1, column), (row, column + 1)):
                if there not in reached and self.is_free(*there):
                    reached.add(there)
                    waiting.append(there)
        return sorted(reached)

    @property
    def positions(self) -> int:
        """Number of positions before a throw: `positions_on` all cells that goats can reach."""
        return self.positions_on(len(self.cells))

    def positions_on(self, cells: int) -> int:
        """Return the number of arrangements of all goats on some cells, times the players.

        Each player may throw next. Some of these positions cannot be reached.
        """
        count = self.players * self.goats
        colours = math.factorial(count) // math.factorial(self.goats) ** self.players
        return self.players * colours * math.comb(count + cells - 1, cells - 1)

    def is_free(self, row: int, column: int) -> bool:
        """Return whether a cell is on the board and has no obstacle."""
        inside = 0 <= row < self.height and column < self.width
        return inside and self.obstacles[row] != column


class Numbering(NamedTuple):
    """The tables that number arrangements."""

    cells: npt.NDArray[np.int64]
    """Index of each cell of the board among those that goats can reach, else -1, shape (H, W)."""
    heights: npt.NDArray[np.int64]
    """Number of ways to put t goats on c cells, shape (cells + 1, goats + 1)."""
    colours: npt.NDArray[np.int64]
    """Number of orders of the goats by how many are left of each player, shape (players, ...)."""


class Arrangements:
    """All arrangements of a race, and where each move leads."""

    def __init__(self, race: Race) -> None:
        """Number the arrangements and compute the moves.

        Args:
            race: the race. Memory of 4 bytes is used for each move of each arrangement.
        """
        cells = race.cells
        self.total = race.positions // race.players
        index = np.full((race.height, race.width), -1, np.int64)
        for k, cell in enumerate(cells):
            index[cell] = k
        goats = race.players * race.goats
        heights = np.zeros((len(cells) + 1, goats + 1), np.int64)
        heights[0, 0] = 1
        for c in range(1, len(cells) + 1):
            heights[c] = [math.comb(t + c - 1, c - 1) for t in range(goats + 1)]
        self.numbering = Numbering(index, heights, _orders(race.players, race.goats))
        forward = [(r, c) for r, c in cells if race.is_free(r, c + 1)]
        self.forward = np.array(
            [(index[r, c], index[r, c + 1], r) for r, c in forward], np.int64
        ).reshape(-1, 3)
        """Cell, next cell and row of each place from which goats can move forward."""
        self.sideways = np.array(
            [
                (index[r, c], index[r + d, c], d)
                for r, c in cells
                for d in (-1, 1)
                if r + d >= 0 and race.is_free(r + d, c)
            ],
            np.int64,
        ).reshape(-1, 3)
        """Cell, other cell and direction of each place from which goats can move sideways."""
        self.ways = [(r, c, 0) for r, c in forward] + [
            (*cells[start], d) for start, _, d in self.sideways.tolist()
        ]
        """Row, column and direction of each move: 0 forward, -1 up, 1 down."""
        moves = len(self.ways)
        self.after = np.full((self.total, moves), -1, np.int32)
        """Number of the arrangement after each move, forward ones first; -1 if it is impossible."""
        self.movers = np.zeros((self.total, len(self.sideways)), np.int8)
        """Place in the order of play of the goat of each sideways move; -1 if it is impossible."""
        self.outcomes = np.full(self.total, LIVE, np.int8)
        """Place of the winner, the number of players for a draw, or `LIVE`."""
        self.levels = np.zeros(self.total, np.int16)
        """Number of moves forward that lead to an arrangement."""
        columns = np.array([column for _, column in cells], np.int64)
        tables = self.numbering.heights, self.numbering.colours, columns
        rules = race.players, race.goats, race.arrivals, race.width, race.jump
        found = self.after, self.movers, self.outcomes, self.levels
        explore(tables, rules, self.forward, self.sideways, found)


def _orders(players: int, goats: int) -> npt.NDArray[np.int64]:
    """Return the number of orders of goats by how many are left of each player.

    The counts are the digits of the index, in base `goats + 1`, of the first player first.
    """
    found = np.zeros((goats + 1) ** players, np.int64)
    for index in range(len(found)):
        left = [index // (goats + 1) ** k % (goats + 1) for k in range(players)]
        found[index] = math.factorial(sum(left)) // math.prod(map(math.factorial, left))
    return found


def number_of_stacks(
    numbering: Numbering,
    stacks: npt.NDArray[np.int64],
    order: Sequence[int],
    goats: int,
) -> int:
    """Return the number of an arrangement, or -1 if a goat is where play cannot lead it.

    Args:
        numbering: see `Arrangements`.
        stacks: stacks in the form of `boardenvs.goat_race.rules`, shape (H, W), with all goats.
        order: seats in the order of play.
        goats: number of goats of each player.
    """
    places = np.argsort(np.array(order))
    heights = np.zeros(len(numbering.heights) - 1, np.int64)
    colours: list[int] = []
    for (row, column), stack in np.ndenumerate(stacks):
        left = int(stack)
        while left:
            if numbering.cells[row, column] < 0:
                return -1
            heights[numbering.cells[row, column]] += 1
            colours.append(int(places[(left & 7) - 1]))
            left >>= 3
    counts = numbering.heights, numbering.colours
    return int(rank(*counts, heights, np.array(colours, np.int64), len(order), goats))


@cached_njit("the small races of Goat Race")
def rank(heights_of, colours_of, heights, colours, players, goats):
    """Return the number of an arrangement from its heights and colours."""
    count = len(colours)
    number = 0
    left = count
    for c in range(len(heights) - 1):
        rest = heights_of[len(heights) - 1 - c]
        for smaller in range(heights[c]):
            number += rest[left - smaller]
        left -= heights[c]
    base = goats + 1
    state = base**players - 1  # `goats` left of each player
    number *= colours_of[state]
    for k in range(count):
        unit = 1
        for _ in range(colours[k]):
            if state // unit % base > 0:
                number += colours_of[state - unit]
            unit *= base
        state -= unit
    return number


@njit
def unrank(number, heights_of, colours_of, heights, colours, players, goats):
    """Write the heights and colours of an arrangement."""
    count = len(colours)
    base = goats + 1
    state = base**players - 1
    orders = colours_of[state]
    order = number % orders
    number //= orders
    left = count
    for c in range(len(heights) - 1):
        rest = heights_of[len(heights) - 1 - c]
        heights[c] = 0
        while number >= rest[left]:
            number -= rest[left]
            left -= 1
            heights[c] += 1
    heights[-1] = left
    for k in range(count):
        unit = 1
        colour = 0
        while True:
            if state // unit % base > 0:
                ways = colours_of[state - unit]
                if order < ways:
                    break
                order -= ways
            unit *= base
            colour += 1
        colours[k] = colour
        state -= unit


@cached_njit("the small races of Goat Race")
def explore(tables, rules, forward, sideways, found):
    """Write the moves, outcomes and levels of all arrangements; see `Arrangements`."""
    heights_of, colours_of, columns = tables
    players, goats, arrivals, width, jump = rules
    after, movers, outcomes, levels = found
    heights = np.zeros(len(columns), np.int64)
    colours = np.zeros(players * goats, np.int64)
    other_heights = heights.copy()
    other_colours = colours.copy()
    first = np.zeros(len(columns) + 1, np.int64)
    arrived = np.zeros(players, np.int64)
    for number in range(len(outcomes)):
        unrank(number, heights_of, colours_of, heights, colours, players, goats)
        arrived[:] = 0
        for c in range(len(columns)):
            first[c + 1] = first[c] + heights[c]
            levels[number] += columns[c] * heights[c]
            if columns[c] == width - 1:
                for k in range(first[c], first[c + 1]):
                    arrived[colours[k]] += 1
        stuck = True
        for move in range(len(forward) + len(sideways)):
            is_sideways = move >= len(forward)
            way = sideways[move - len(forward)] if is_sideways else forward[move]
            start, to = way[0], way[1]
            if is_sideways:
                movers[number, move - len(forward)] = -1
            if heights[start] == 0:
                continue
            if not is_sideways or jump:
                stuck = False
            # The top goat of a stack is its first colour.
            goat = colours[first[start]]
            other_heights[:] = heights
            other_heights[start] -= 1
            other_heights[to] += 1
            taken, put = first[start], first[to]
            other_colours[:] = colours
            if put > taken:
                other_colours[taken : put - 1] = colours[taken + 1 : put]
                other_colours[put - 1] = goat
            else:
                other_colours[put + 1 : taken + 1] = colours[put:taken]
                other_colours[put] = goat
            after[number, move] = rank(
                heights_of, colours_of, other_heights, other_colours, players, goats
            )
            if is_sideways:
                movers[number, move - len(forward)] = goat
        if stuck:
            outcomes[number] = players
        for seat in range(players):
            if arrived[seat] >= arrivals:
                outcomes[number] = seat
                break
