"""Victory by continuous threats, in which each stone makes a four or an open three.

A depth-first proof-number search. The attacker's moves are fours and threes. A four leaves the
defender one reply. A three leaves the defender's own fours and the moves that prevent the open
four (see `candidates.list_defences`); all other replies lose at once. A proved win is therefore a
forced win. A disproof means only that these moves do not force one.

Source: A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", PhD thesis,
University of Tokyo, 2002; the threats: L. V. Allis, H. J. van den Herik, M. P. H. Huntjens,
"Go-Moku solved by new search techniques", Computational Intelligence 12(1), 1996.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.games.gomoku.engine.candidates import can_four, first_with, list_defences, list_with
from agents.games.gomoku.engine.fours import find_fours, key_of
from agents.games.gomoku.engine.inner import inner
from agents.games.gomoku.engine.patterns import (
    DOUBLE_THREE,
    FIVE_KIND,
    FOUR_KIND,
    OPEN_FOUR_KIND,
    THREE_KIND,
)
from agents.games.gomoku.engine.position import (
    CAN_FIVE,
    CAN_FOUR,
    CAN_THREE,
    NUM_CHAIN,
    NUM_CHILDREN,
    place,
    take_back,
)
from boardenvs.kernels.kernel import cached_njit

__all__ = ["find_chain", "proofs"]

NEVER = 30_000
"""Proof or disproof number of something impossible."""
_FOURS = 40  # maximum number of fours tried in each position of the attacker

_PROOF = [
    ("key", np.uint64),
    ("proof", np.uint16),
    ("disproof", np.uint16),
    ("cell", np.int16),  # winning move if proved and the attacker is to move
    ("plies", np.int16),  # number of plies to the win if proved
]
_ATTACKER = np.uint64(0xBF58476D1CE4E5B9)  # part of the key if white attacks


def proofs(bits: int) -> npt.NDArray[np.void]:
    """Return an empty table of `2**bits` positions of 16 bytes."""
    fields: list[Any] = _PROOF
    return np.zeros(1 << bits, np.dtype((np.record, np.dtype(fields, align=True))))


@cached_njit("Gomoku's engine", nogil=True)
def find_chain(s, codes, facts, known, most):
    """Search whether the player to move wins by fours and threes.

    Args:
        s: the position; it is changed and restored.
        codes: table from `position.empty_position`.
        facts: table from `fours.known_facts`.
        known: table from `proofs`.
        most: approximate maximum number of positions to search.

    Returns:
        1 for a win, 0 if fours and threes do not win, -1 if the search reached its limit. For a
        win, `chain_cell` is the first move and `chain_plies` the maximum number of plies.
    """
    attacker = s.mover
    s.chain_nodes = 0
    key = name_of(s, attacker)
    e = known[np.int64(key & np.uint64(len(known) - 1))]
    if e.key == key:
        s.chain_cell = e.cell
        s.chain_plies = e.plies
        if e.proof == 0:
            return 1
        if e.disproof == 0:
            return 0
    level = 0
    s.proof_limits[0] = NEVER
    s.disproof_limits[0] = NEVER
    begin_chain(s, codes, facts, known, 0, attacker)
    while True:
        weigh(s, level, attacker)
        proof, disproof = s.proof_here[level], s.disproof_here[level]
        if (
            proof >= s.proof_limits[level]
            or disproof >= s.disproof_limits[level]
            or s.chain_nodes >= most
        ):
            store(s, known, level, attacker)
            if level == 0:
                s.chain_plies = s.plies_here[0]
                s.chain_cell = s.cell_here[0]
                return 1 if proof == 0 else 0 if disproof == 0 else -1
            level -= 1
            k = s.child_chosen[level]
            take_back(s, codes, np.int64(s.child_cells[level, k]))
            s.child_proofs[level, k] = proof
            s.child_disproofs[level, k] = disproof
            s.child_plies[level, k] = s.plies_here[level + 1]
            continue
        k = s.child_chosen[level]
        if level + 1 == NUM_CHAIN:
            s.child_proofs[level, k] = NEVER
            s.child_disproofs[level, k] = 0
            continue
        place(s, codes, np.int64(s.child_cells[level, k]))
        level += 1
        s.proof_limits[level] = s.proof_below[level - 1]
        s.disproof_limits[level] = s.disproof_below[level - 1]
        begin_chain(s, codes, facts, known, level, attacker)


@inner
def name_of(s, attacker):
    """Return the table key of a position, the player to move and the attacker."""
    return key_of(s) ^ _ATTACKER if attacker else key_of(s)


@inner
def weigh(s, level, attacker):
    """Compute a level's numbers from its children, and choose the child to search next."""
    attacks = s.mover == attacker
    least: Any = NEVER
    second: Any = NEVER
    most: Any = 0
    plies: Any = 0
    chosen = still_open = 0
    s.cell_here[level] = -1
    for k in range(s.child_num[level]):
        proof = np.int64(s.child_proofs[level, k])
        disproof = np.int64(s.child_disproofs[level, k])
        one, two = (proof, disproof) if attacks else (disproof, proof)
        if proof == 0:
            length = np.int64(s.child_plies[level, k]) + 1
            if not attacks:
                plies = max(plies, length)
            elif plies == 0 or length < plies:
                plies = length
                s.cell_here[level] = s.child_cells[level, k]
        if two > 0:
            still_open += 1
            most = max(most, two)
        if one < least:
            second = least
            least = one
            chosen = k
        elif one < second:
            second = one
    # Weak proof numbers: the maximum plus one for each other open child.
    total = min(most + still_open - 1, NEVER) if still_open > 0 else 0
    if least == 0:
        total = NEVER
    elif total == 0:
        least = NEVER
    s.child_chosen[level] = chosen
    s.plies_here[level] = plies
    one_limit = s.proof_limits[level] if attacks else s.disproof_limits[level]
    two_limit = s.disproof_limits[level] if attacks else s.proof_limits[level]
    one_limit = min(one_limit, second + 1 + second // 4)
    if two_limit < NEVER:
        two_limit -= still_open - 1
    if attacks:
        s.proof_here[level], s.disproof_here[level] = least, total
        s.proof_below[level], s.disproof_below[level] = one_limit, two_limit
    else:
        s.proof_here[level], s.disproof_here[level] = total, least
        s.proof_below[level], s.disproof_below[level] = two_limit, one_limit


@inner
def store(s, known, level, attacker):
    """Store a level's numbers in the table."""
    key = name_of(s, attacker)
    e = known[np.int64(key & np.uint64(len(known) - 1))]
    e.key = key
    e.proof = s.proof_here[level]
    e.disproof = s.disproof_here[level]
    e.cell = s.cell_here[level]
    e.plies = s.plies_here[level]


@inner
def begin_chain(s, codes, facts, known, level, attacker):
    """Begin a level: list the children of the position with their initial numbers."""
    s.child_num[level] = 0
    me = s.mover
    attacks = me == attacker
    if attacks:
        # A win at once or by fours becomes a single proved child.
        plies = wins_soon(s, codes, facts, me)
        if plies > 0:
            s.child_cells[level, 0] = s.four_cells[0]
            s.child_proofs[level, 0] = 0
            s.child_disproofs[level, 0] = NEVER
            s.child_plies[level, 0] = plies - 1
            s.child_num[level] = 1
            return
        list_threats(s, level)
    else:
        list_replies(s, level)
    num = s.child_num[level]
    if num == NUM_CHILDREN:  # the list may be incomplete, so count the position as not won
        s.child_num[level] = 1
        s.child_proofs[level, 0] = NEVER
        s.child_disproofs[level, 0] = 0
        return
    for k in range(num):
        cell = np.int64(s.child_cells[level, k])
        place(s, codes, cell)
        s.chain_nodes += 1
        proof, disproof, plies = first_sight(s, known, attacker)
        take_back(s, codes, cell)
        s.child_proofs[level, k] = proof
        s.child_disproofs[level, k] = disproof
        s.child_plies[level, k] = plies
        if (proof if attacks else disproof) == 0:
            s.child_num[level] = k + 1
            return


@inner
def wins_soon(s, codes, facts, me):
    """Return the number of plies of the attacker's win at once or by fours; 0 if there is none.

    The first move is written to `four_cells`.
    """
    counts = s.counts
    if counts[me, FIVE_KIND] > 0 or counts[me, OPEN_FOUR_KIND] > 0 or can_four(s, me):
        found = find_fours(s, codes, facts, _FOURS)
        s.chain_nodes += s.four_nodes
        if found == 1:
            return s.four_plies
    return np.int64(0)


@inner
def first_sight(s, known, attacker):
    """Return the initial numbers of a position, and the number of plies if the win is proved."""
    me = s.mover
    left = s.limit - s.num
    counts = s.counts
    if left <= 0:
        return NEVER, 0, 0
    if me == attacker:
        if counts[me, FIVE_KIND] > 0:
            return 0, NEVER, 1
        if left < 3 or counts[1 - me, FIVE_KIND] > 1:
            return NEVER, 0, 0
        if counts[1 - me, FIVE_KIND] == 0 and counts[me, OPEN_FOUR_KIND] > 0:
            return 0, NEVER, 3
    else:
        if counts[me, FIVE_KIND] > 0 or left < 2:
            return NEVER, 0, 0
        if counts[attacker, FIVE_KIND] > 1:
            return 0, NEVER, 2
        if counts[attacker, FIVE_KIND] == 0 and (
            left < 4 or counts[me, OPEN_FOUR_KIND] > 0 or counts[attacker, OPEN_FOUR_KIND] == 0
        ):
            return NEVER, 0, 0
    key = name_of(s, attacker)
    e = known[np.int64(key & np.uint64(len(known) - 1))]
    if e.key == key:
        return np.int64(e.proof), np.int64(e.disproof), np.int64(e.plies)
    if me == attacker or counts[attacker, FIVE_KIND] > 0:
        return 1, 1, 0
    return 3, 1, 0


@inner
def add_child(s, level, cell):
    """Add a move to the children of a level."""
    num = s.child_num[level]
    if num < NUM_CHILDREN:
        s.child_cells[level, num] = cell
        s.child_num[level] = num + 1


@inner
def list_threats(s, level):
    """List the attacker's fours, and the threes if the defender threatens no open four.

    The attacker must not have a win by fours.
    """
    me = s.mover
    fives = s.counts[1 - me, FIVE_KIND]
    if fives > 1:
        return
    if fives == 1:
        cell = first_with(s, CAN_FIVE, 1 - me)
        kind = s.kinds[cell, me]
        if kind >= FOUR_KIND or kind in (THREE_KIND, DOUBLE_THREE):
            add_child(s, level, cell)
        return
    flags = CAN_FOUR if s.counts[1 - me, OPEN_FOUR_KIND] > 0 else CAN_FOUR | CAN_THREE
    for k in range(list_with(s, flags, me)):
        add_child(s, level, s.listed[k])


@inner
def list_replies(s, level):
    """List the moves of the defender, who can neither win nor make an open four."""
    me = s.mover
    if s.counts[1 - me, FIVE_KIND] > 0:
        add_child(s, level, first_with(s, CAN_FIVE, 1 - me))
        return
    for k in range(list_defences(s)):
        add_child(s, level, s.listed[k])
