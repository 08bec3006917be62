"""Victory by continuous fours, in which each stone threatens a five and forces the reply.

If a reply makes a four of the defender, the attacker's next stone must block it and make a four
too. Results depend on the position only, so a table keeps them.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.games.gomoku.engine.candidates import can_four, first_with, list_with
from agents.games.gomoku.engine.inner import inner
from agents.games.gomoku.engine.patterns import FIVE_KIND, FOUR_KIND, OPEN_FOUR_KIND
from agents.games.gomoku.engine.position import (
    CAN_FIVE,
    CAN_FOUR,
    CAN_OPEN_FOUR,
    NUM_FOURS,
    NUM_MOVES,
    place,
    take_back,
)
from boardenvs.kernels.kernel import cached_njit

__all__ = ["find_fours", "key_of", "known_facts"]

_FACT = [
    ("key", np.uint64),
    ("cell", np.int16),  # first stone of a victory
    ("plies", np.int16),  # number of plies to the victory; 0 if there is none
]
_TO_MOVE = np.uint64(0x9E3779B97F4A7C15)  # part of the key if white is to move


def known_facts(bits: int) -> npt.NDArray[np.void]:
    """Return an empty table of results for `2**bits` positions of 16 bytes."""
    fields: list[Any] = _FACT
    return np.zeros(1 << bits, np.dtype((np.record, np.dtype(fields, align=True))))


@inner
def key_of(s):
    """Return the table key of a position and the player to move."""
    return s.hash ^ _TO_MOVE if s.mover else s.hash


@cached_njit("Gomoku's engine", nogil=True)
def find_fours(s, codes, facts, most):
    """Search whether the player to move wins by fours only.

    The winning line is written to `four_cells` and `four_replies`, its length to `four_plies`. The
    line may stop earlier, at a position from the table.

    Args:
        s: the position; it is changed and restored.
        codes: table from `position.empty_position`.
        facts: table from `known_facts`, which is updated.
        most: maximum number of fours to try.

    Returns:
        1 for a win, 0 if fours do not win, -1 if the search reached its limit.
    """
    attacker = s.mover
    mask = np.uint64(len(facts) - 1)
    s.four_nodes = 0
    level = 0
    complete = True  # whether no four was skipped
    status = begin_fours(s, facts, level)
    while True:
        if status == 1:  # a win here is a win at all levels above
            plies = s.four_plies
            while True:
                remember_fact(s, facts, mask, s.four_cells[level], plies)
                if level == 0:
                    s.four_plies = plies
                    return 1
                level -= 1
                plies += 2
                take_back(s, codes, s.four_replies[level])
                take_back(s, codes, s.four_cells[level])
        if status == -1 and s.four_next[level] < s.four_num[level]:
            if s.four_nodes >= most or level + 1 == NUM_FOURS:
                complete = False
                s.four_next[level] = s.four_num[level]
                continue
            cell = np.int64(s.four_moves[level, s.four_next[level]])
            s.four_next[level] += 1
            s.four_nodes += 1
            place(s, codes, cell)
            reply = first_with(s, CAN_FIVE, attacker)
            place(s, codes, reply)
            s.four_cells[level] = cell
            s.four_replies[level] = reply
            level += 1
            status = begin_fours(s, facts, level)
            continue
        if status == -1 and complete:
            remember_fact(s, facts, mask, -1, 0)
        if level == 0:
            return 0 if complete else -1
        level -= 1
        take_back(s, codes, s.four_replies[level])
        take_back(s, codes, s.four_cells[level])
        status = -1


@inner
def begin_fours(s, facts, level):
    """Begin a level: return 1 if won, 0 if not won, -1 if the listed fours must be tried."""
    me = s.mover
    left = s.limit - s.num
    s.four_num[level] = 0
    s.four_next[level] = 0
    if left >= 1 and s.counts[me, FIVE_KIND] > 0:
        s.four_cells[level] = first_with(s, CAN_FIVE, me)
        s.four_plies = 1
        return 1
    if left < 3 or s.counts[1 - me, FIVE_KIND] > 1:
        return 0
    if s.counts[1 - me, FIVE_KIND] == 1:
        cell = first_with(s, CAN_FIVE, 1 - me)
        if s.kinds[cell, me] == OPEN_FOUR_KIND:
            s.four_cells[level] = cell
            s.four_plies = 3
            return 1
        if s.kinds[cell, me] < FOUR_KIND:
            return 0
        s.four_moves[level, 0] = cell
        s.four_num[level] = 1
    elif s.counts[me, OPEN_FOUR_KIND] > 0:
        s.four_cells[level] = first_with(s, CAN_OPEN_FOUR, me)
        s.four_plies = 3
        return 1
    elif left < 5 or not can_four(s, me):
        return 0
    key = key_of(s)
    fact = facts[np.int64(key & np.uint64(len(facts) - 1))]
    if fact.key == key:
        if fact.plies == 0:
            return 0
        s.four_cells[level] = fact.cell
        s.four_plies = fact.plies
        return 1
    if s.four_num[level] == 0:
        list_fours(s, level)
    return -1


@inner
def list_fours(s, level):
    """List the cells that make a four of the player to move, the most promising first."""
    me = s.mover
    moves = s.four_moves[level]
    num = min(list_with(s, CAN_FOUR, me), NUM_MOVES)
    for new in range(num):
        cell = s.listed[new]
        worth = s.worth[cell, me]
        k = new
        while k > 0 and s.worth[moves[k - 1], me] < worth:
            moves[k] = moves[k - 1]
            k -= 1
        moves[k] = cell
    s.four_num[level] = num


@inner
def remember_fact(s, facts, mask, cell, plies):
    """Store the result of the position in the table."""
    key = key_of(s)
    fact = facts[np.int64(key & mask)]
    fact.key = key
    fact.cell = cell
    fact.plies = plies
