"""Values of a small Goat Race, by backward induction over the number of plies left.

The die is thrown in every way, and each player maximises the own expected result. A race that
`max_plies` ends is a draw, so the values depend on the number of plies left. Sweep k computes the
values with k plies left from those with k - 1. With `draw_rule="jump"` two players may both wait
for the last ply, so an even and an odd number of plies left have different values. The program
therefore compares sweep k with sweep k - 2. Arrangements with smaller changes than a bound are not
computed again, together with all that can follow them.

With two players, one player's gain is the other's loss, and a sweep does not enlarge differences.
So the values with any larger number of plies left, even or odd as before, differ from the last ones
by at most the bound for every two plies. With more players a tie between actions matters for the
others, who get the mean over equally good actions. There the bound is no proof.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.games.goat_race.arrangements import LIVE, Arrangements, Race
from agents.report.progress import progress_bar
from boardenvs.kernels.kernel import cached_njit

__all__ = ["TIE", "TOLERANCE", "Solution", "Values", "solved"]

TOLERANCE = 1e-10
"""Maximum error of a value of two players, from all sweeps left out together."""
TIE = 1e-9
"""Actions whose values differ by at most this are equally good."""
_SMALLEST = 1e-15
"""Smallest change that is not rounding."""
_SMALL = 10_000
"""Number of arrangements that takes at most a second, and needs no progress bar."""

Floats = npt.NDArray[np.float64]


class Values(NamedTuple):
    """Values with a number of plies left, by place in the order of play."""

    turn: Floats
    """Values before the throw of a player, shape (arrangements, players to throw, players)."""
    aside: Floats
    """Values after the sideways move, shape (arrangements, players, rows thrown, players)."""


class _Final(NamedTuple):
    """Values that further sweeps do not change."""

    sweeps: int
    """Number of sweeps, and smallest number of plies left with these values."""
    bound: float
    """Maximum change of a value in two more sweeps."""
    by_parity: tuple[Values, Values]
    """Values with an even number of plies left, and with an odd one."""


class Solution:
    """All values of a race."""

    def __init__(self, race: Race) -> None:
        """Compute the arrangements; values are computed by `at`."""
        self.race = race
        self.board = Arrangements(race)
        levels = self.board.levels.astype(np.int64)
        self._order = np.argsort(-levels, kind="stable").astype(np.int32)
        ends = np.flatnonzero(np.diff(levels[self._order])) + 1
        self._ends = np.append(ends, len(levels))
        self._final: _Final | None = None

    def at(self, plies: Iterable[int], most: int) -> Iterator[tuple[int, Values]]:
        """Yield ascending numbers of plies left, and the values with that many.

        The arrays change after the next value is requested.

        Args:
            plies: numbers of plies left, at least 0.
            most: maximum number of plies of a game.
        """
        wanted = sorted(set(plies))
        bound = max(TOLERANCE / most, _SMALLEST)
        final = self._final
        if final is None or final.bound > bound:
            yield from self._computed(wanted, bound)
            return
        early = [left for left in wanted if left < final.sweeps]
        if early:
            yield from self._computed(early, bound)
        for left in wanted[len(early) :]:
            yield left, final.by_parity[left % 2]

    def _computed(self, wanted: list[int], bound: float) -> Iterator[tuple[int, Values]]:
        """Yield values computed from the first sweep on, and keep final ones."""
        race, board = self.race, self.board
        shape = board.total, race.players
        ended = np.zeros((*shape, 1))
        for place in range(race.players):
            ended[board.outcomes == place] = -1 / (race.players - 1)
            ended[board.outcomes == place, place] = 1
        both = [
            Values(
                np.repeat(ended.reshape(-1, 1, race.players), race.players, 1),
                np.tile(ended.reshape(-1, 1, 1, race.players), (1, race.players, race.height, 1)),
            )
            for _ in range(2)
        ]
        tables = board.after, board.movers, board.outcomes, board.forward[:, 2].copy()
        first, frozen = 0, 0  # number of arrangements in order, and of levels, that are final
        sweeps = 0
        about = {"unit": "arrangement", "desc": "solving the race"}
        with progress_bar(board.total, shown=board.total > _SMALL, **about) as bar:
            for left in wanted:
                while sweeps < left and first < board.total:
                    old, new = both
                    changes = np.zeros(len(self._ends) - frozen)
                    order, ends = self._order[first:], self._ends[frozen:] - first
                    sweep(order, ends, tables, old.turn, old.aside, new.turn, new.aside, changes)
                    both.reverse()
                    sweeps += 1
                    for change in changes:
                        if change > bound:
                            break
                        bar.update(int(self._ends[frozen]) - first)
                        first, frozen = int(self._ends[frozen]), frozen + 1
                if first == board.total:
                    self._final = _Final(sweeps, bound, (both[sweeps % 2], both[1 - sweeps % 2]))
                    yield left, self._final.by_parity[left % 2]
                else:
                    yield left, both[0]


@functools.lru_cache(16)
def solved(race: Race) -> Solution:
    """Return the solution of a race, which a process computes once."""
    return Solution(race)


@cached_njit("the small races of Goat Race", nogil=True)
def sweep(order, ends, tables, turn, aside, new_turn, new_aside, changes):
    """Compute the values with one more ply left, and the largest change of each level in two plies.

    Args:
        order: arrangements to compute, with the highest level first.
        ends: end of each level in `order`.
        tables: moves, movers and outcomes of `Arrangements`, and the row of each forward move.
        turn: see `Values`.
        aside: see `Values`.
        new_turn: output, as `turn`; before, the values with one ply less than `turn`.
        new_aside: output, as `aside`; before, the values with one ply less than `aside`.
        changes: output, one for each level, filled with zeros by the caller.
    """
    after, movers, outcomes, rows = tables
    players, height = aside.shape[1], aside.shape[2]
    ahead = np.zeros((players, height, players))
    can = np.zeros(height, np.bool_)
    turns = np.zeros((players, players))
    work = np.zeros((2, players))
    level = 0
    for i in range(len(order)):
        while i >= ends[level]:
            level += 1
        number = order[i]
        if outcomes[number] != LIVE:
            continue
        forward = after[number, : len(rows)]
        sideways = after[number, len(rows) :]
        for row in range(height):
            can[row] = False
            for seat in range(players):
                count = 0
                for move in range(len(rows)):
                    if rows[move] == row and forward[move] >= 0:
                        there = turn[forward[move], (seat + 1) % players]
                        count = add_choice(there, seat, ahead[seat, row], count)
                can[row] = count > 0
                share(seat, ahead[seat, row], count)
        begin_turns(number, sideways, movers[number], aside, ahead, can, work, turns)
        for seat in range(players):
            for k in range(players):
                change = turns[seat, k] - new_turn[number, seat, k]
                changes[level] = max(changes[level], abs(change))
                new_turn[number, seat, k] = turns[seat, k]
            for row in range(height):
                following = ahead[seat, row] if can[row] else turns[(seat + 1) % players]
                for k in range(players):
                    change = following[k] - new_aside[number, seat, row, k]
                    changes[level] = max(changes[level], abs(change))
                    new_aside[number, seat, row, k] = following[k]


@njit
def begin_turns(number, sideways, movers, aside, ahead, can, work, turns):
    """Compute the values of an arrangement before the throw of each player.

    A player without a choice is skipped, which uses no ply. So the values of all players depend on
    each other.

    Args:
        number: the arrangement.
        sideways: arrangement after each sideways move.
        movers: player of each sideways move, -1 if it is impossible.
        aside: see `Values`.
        ahead: values before the forward move, shape (players, rows, players).
        can: whether a goat can move forward in each row.
        work: workspace, shape (2, players).
        turns: output, shape (players, players).
    """
    players, height = len(ahead), len(can)
    skipped, best = work[0], work[1]  # `skipped` is a share of the throws
    for seat in range(players):
        skipped[seat] = 0.0
        turns[seat] = 0.0
        has_choice = False
        for mover in movers:
            has_choice |= mover == seat
        for row in range(height):
            if has_choice:
                count = add_choice(aside[number, seat, row], seat, best, 0)
                for move in range(len(movers)):
                    if movers[move] == seat:
                        count = add_choice(aside[sideways[move], seat, row], seat, best, count)
                share(seat, best, count)
                add_scaled(best, 1.0 / height, turns[seat])
            elif can[row]:
                add_scaled(ahead[seat, row], 1.0 / height, turns[seat])
            else:
                skipped[seat] += 1.0 / height
    # The value of the first player from the others' and its own: value = best + again * value.
    again = 1.0
    best[:] = 0.0
    for seat in range(players):
        add_scaled(turns[seat], again, best)
        again *= skipped[seat]
    turns[0] = 0.0
    add_scaled(best, 1.0 / (1.0 - again), turns[0])
    for seat in range(players - 1, 0, -1):
        add_scaled(turns[(seat + 1) % players], skipped[seat], turns[seat])


@njit
def add_scaled(values, factor, out):
    """Add values times a factor in place; array expressions would allocate memory."""
    for k in range(len(out)):
        out[k] += factor * values[k]


@njit
def add_choice(value, seat, best, count):
    """Add an action to the best ones, and return their number.

    Args:
        value: values after the action, by player.
        seat: player who chooses.
        best: highest own value, and sums of the values of the others, changed in place.
        count: number of best actions so far; 0 before the first.
    """
    own = value[seat]
    two = len(value) == 2  # for which ties do not matter
    if count == 0 or own > best[seat] + (0.0 if two else TIE):
        for k in range(len(value)):
            best[k] = value[k]
        return 1
    if two or own < best[seat] - TIE:
        return count
    for k in range(len(value)):
        best[k] = max(best[k], own) if k == seat else best[k] + value[k]
    return count + 1


@njit
def share(seat, best, count):
    """Divide the sums of `add_choice`."""
    for k in range(len(best)):
        if k != seat and count > 1:
            best[k] /= count
