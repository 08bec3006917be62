"""Victory by continuous fours: each stone threatens a five, so each reply is forced.

Fours of the defender count, too: where his reply makes one, the attacker's next stone has to stop
it and make a four of its own. What has been found out of a position holds for good, since nothing
but the stones enters into it, and is kept in a table.
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
from boardenvs.kernels.cache import cached_njit

__all__ = ["find_fours", "key_of", "known_facts"]

_FACT = [
    ("key", np.uint64),
    ("cell", np.int16),  # the first stone of a victory
    ("plies", np.int16),  # how long it takes; 0 if there is none
]
_TO_MOVE = np.uint64(0x9E3779B97F4A7C15)  # in the key, if white is to move


def known_facts(bits: int) -> npt.NDArray[np.void]:
    """Return an empty table of results of `2**bits` positions of 16 bytes each."""
    fields: list[Any] = _FACT
    return np.zeros(1 << bits, np.dtype((np.record, np.dtype(fields, align=True))))


@inner
def key_of(s):
    """Return the key of a position and the player to move in tables."""
    return s.hash ^ _TO_MOVE if s.mover else s.hash


@cached_njit("Gomoku's engine", nogil=True)
def find_fours(s, codes, facts, most):
    """Return whether the player to move wins by fours only.

    The line that does is left in `four_cells` and `four_replies`, its length in `four_plies`; it
    may end before that with a position that is known.

    Args:
        s: the position, which is left as it was.
        codes: see `position.empty_position`.
        facts: what is known of positions, which is added to.
        most: how many fours to try, at most.

    Returns:
        1 if so, 0 if not, -1 if it was not settled.
    """
    attacker = s.mover
    mask = np.uint64(len(facts) - 1)
    s.four_nodes = 0
    level = 0
    complete = True  # whether all has been tried that was begun
    status = begin_fours(s, facts, level)
    while True:
        if status == 1:  # won here, and so at all levels above
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
    """Take up a position: 1 if it is won, 0 if not, -1 if fours are to be tried, listed then."""
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
    """List the cells on which the player to move makes a four, the most promising first."""
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
