"""Depth-first proof-number search in Gekitai, as compiled functions; `solving` asks them.

The question is whether one player, the attacker, can force a win. Each position has a proof and
a disproof number, which tell how much is still to be settled on the way to either answer, and the
search goes on where the least is. The numbers are weak: a position whose parts must all be settled
has the largest of their numbers, and one for each of the others, so that what several lines of
play share is not counted twice. A position with the defender to move begins with the number of
replies after which the attacker does not win at once.

A question may be bounded, to so many plies to come, and then both answers are certain. One that is
not bounded may lead in circles: a line of play that comes back counts as one without a win, so
that wins are certain, whereas the other answer is only that none was found.

A placement that satisfies both players is a win of who placed, as in `boardenvs`; a search may be
told to take it for a draw, as others do. That is no win of the attacker, whoever placed.

Sources: A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", PhD thesis,
University of Tokyo, 2002; T. Ueda, T. Hashimoto, J. Hashimoto, H. Iida, "Weak proof-number search",
Computers and Games 2008.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.games.gekitai.symmetry import canonical
from agents.games.gekitai.threats import lowest, winning_alone, winning_cells, wins_at_once
from boardenvs.chance import mixed
from boardenvs.gekitai.rules import count, pushed, satisfied

__all__ = [
    "ANY_LENGTH",
    "LONGEST",
    "NEVER",
    "attacking_cells",
    "entries",
    "find",
    "prove",
    "replies",
    "room_for",
    "survivors",
    "write",
]

ANY_LENGTH = 255
"""The kind of a position with the attacker to move in a question that is not bounded."""
LONGEST = 199
"""The most plies that a question may be bounded to."""
NEVER = 60_000
"""The number of what cannot come about any more."""
_DEEPEST = 400  # plies; a line as long as that counts as one without a win
_MOST = 64  # cells
_PROBES = 4  # places at which a position may stand
_PROVED = 64  # what is proved is kept before this much of what is not

_ENTRY = [
    ("mover", np.uint64),  # the position, in its canonical turn
    ("other", np.uint64),
    ("proof", np.uint16),
    ("disproof", np.uint16),
    # What is asked: an odd number if the attacker is to move. ANY_LENGTH or, in front of the
    # defender, one less; else how many plies are left. 0: a free place.
    ("kind", np.uint8),
    ("rank", np.uint8),  # of what is proved: the most plies to the end
    ("cell", np.uint8),  # of what is proved, with the attacker to move: the bit to place on
    ("worth", np.uint8),  # how much was spent on it
]
_LEVEL = [
    ("mover", np.uint64),
    ("other", np.uint64),
    ("kind", np.int64),
    ("num", np.int64),  # how many children there are
    ("proof", np.int64),
    ("disproof", np.int64),
    ("rank", np.int64),
    ("cell", np.int64),
    ("proof_limit", np.int64),  # where the numbers reach these, it goes on elsewhere
    ("disproof_limit", np.int64),
    ("chosen", np.int64),  # the child where it goes on,
    ("proof_below", np.int64),  # and its limits
    ("disproof_below", np.int64),
    ("left", np.int64),  # what the budget was when it began
]
_CHILD = [
    ("mover", np.uint64),
    ("other", np.uint64),
    ("proof", np.int32),
    ("disproof", np.int32),
    ("rank", np.int32),
    ("cell", np.int32),
]
_NOTES = [
    ("left", np.int64),  # how many positions may still be looked at
    ("alone", np.int64),  # 1 if a placement that satisfies both players is a draw, else 0
]


def entries(bits: int) -> npt.NDArray[np.void]:
    """An empty table of `2**bits` positions, of 24 bytes each."""
    return _records(1 << bits, _ENTRY)


def room_for(both_draw: bool = False) -> tuple[npt.NDArray[np.void], ...]:
    """What `prove` works in beside its tables.

    Args:
        both_draw: whether a placement that satisfies both players is a draw, rather than a win of
            who placed.
    """
    notes = _records(1, _NOTES)
    notes["alone"] = both_draw
    return _records(_DEEPEST, _LEVEL), _records((_DEEPEST, _MOST), _CHILD), notes


def _records(shape: int | tuple[int, ...], fields: list[Any]) -> npt.NDArray[np.void]:
    return np.zeros(shape, np.dtype((np.record, np.dtype(fields, align=True))))


# -- The table ------------------------------------------------------------------------------


@njit
def find(table, mover, other, kind):
    """The place of a position in a table, or -1."""
    first = first_place(table, mover, other, kind)
    for k in range(_PROBES):
        entry = table[first + k]
        if entry.mover == mover and entry.other == other and entry.kind == kind:
            return first + k
    return -1


@njit
def first_place(table, mover, other, kind):
    key = mixed(mixed(mixed(mover) ^ other) ^ np.uint64(kind))
    return np.int64(key & np.uint64(len(table) - _PROBES))


@njit
def write(table, mover, other, kind, proof, disproof, rank, cell, worth):
    """Put what is known of a position in a table, in place of what is worth least there."""
    first = first_place(table, mover, other, kind)
    place = first
    for k in range(_PROBES):
        entry = table[first + k]
        if entry.mover == mover and entry.other == other and entry.kind == kind:
            if entry.proof == 0 and (proof > 0 or rank >= entry.rank):
                return
            place = first + k
            break
        if entry.kind == 0:
            place = first + k
            break
        if entry.worth < table[place].worth:
            place = first + k
    entry = table[place]
    entry.mover = mover
    entry.other = other
    entry.kind = kind
    entry.proof = proof
    entry.disproof = disproof
    entry.rank = rank
    entry.cell = cell
    entry.worth = worth


# -- The search -----------------------------------------------------------------------------


@njit
def prove(p, mover, other, kind, limit, known, table, room):
    """Search until it is settled whether the attacker forces a win, or the budget is used up.

    Args:
        p: the game's constants.
        mover: cells of the player to move, as in `boardenvs.gekitai.rules`, in canonical turn;
            if that is the attacker, no cell may win at once; else the defender may not.
        other: cells of the other player; the position must not be over.
        kind: what is asked, as in the table.
        limit: how many positions to look at, at most.
        known: a table of positions proved before, which is only read; it may have no entries.
        table: of what is found out; it is used on.
        room: as from `room_for`; level 0 of it has the result.

    Returns:
        How many positions it looked at.
    """
    levels, children, notes = room
    notes[0].left = limit
    level = 0
    begin(p, mover, other, kind, NEVER, NEVER, 0, known, table, room)
    while True:
        here = levels[level]
        weigh(here, children[level])
        if (
            here.proof >= here.proof_limit
            or here.disproof >= here.disproof_limit
            or notes[0].left <= 0
        ):
            remember(here, table, notes)
            if level == 0:
                return limit - notes[0].left
            level -= 1
            child = children[level, levels[level].chosen]
            child.proof = here.proof
            child.disproof = here.disproof
            child.rank = here.rank
            continue
        child = children[level, here.chosen]
        below = kind_below(here.kind)
        place = find(table, child.mover, child.other, below)
        if place >= 0:
            entry = table[place]
            if entry.proof != child.proof or entry.disproof != child.disproof:
                child.proof = entry.proof  # another line of play has been there
                child.disproof = entry.disproof
                child.rank = entry.rank
                continue
        if level + 1 == len(levels) or comes_back(child, below, level, levels):
            child.proof = NEVER
            child.disproof = 0
            continue
        level += 1
        begin(
            p,
            child.mover,
            child.other,
            below,
            here.proof_below,
            here.disproof_below,
            level,
            known,
            table,
            room,
        )


@njit
def kind_below(kind):
    """The kind of what comes of a position of a kind."""
    return kind + 1 if kind == ANY_LENGTH - 1 else kind - 1


@njit
def comes_back(child, kind, level, levels):
    """Whether a position has been on the way to this level."""
    if kind <= LONGEST:  # it had more plies left then
        return False
    for k in range(level):
        one = levels[k]
        if one.mover == child.mover and one.other == child.other and one.kind == kind:
            return True
    return False


@njit
def weigh(here, children):
    """Work out a level's numbers of its children's, and where it goes on.

    To the player to move one number tells how much is to be settled until a child will do, and the
    other how much until none does.
    """
    attack = here.kind % 2 == 1
    least = NEVER + 1  # of the one number,
    second = NEVER
    against = -1  # the other number of the child that has it
    most = 0  # of the other number
    still_open = 0
    rank = 0
    for k in range(here.num):
        child = children[k]
        one = child.proof if attack else child.disproof
        two = child.disproof if attack else child.proof
        if attack and one == 0:
            if least > 0 or child.rank < rank:
                least = 0
                rank = child.rank
                here.cell = child.cell
            continue
        if not attack and two == 0:
            rank = max(rank, child.rank)
        if two > 0:
            still_open += 1
            most = max(most, two)
        if one < least or (one == least and two > against):
            second = min(second, least)
            least = one
            against = two
            here.chosen = k
        else:
            second = min(second, one)
    if least == 0:
        total = NEVER
    elif still_open == 0:
        least = NEVER
        total = 0
    else:
        total = min(most + still_open - 1, NEVER - 1)
        least = min(least, NEVER - 1)
    here.proof = least if attack else total
    here.disproof = total if attack else least
    here.rank = max(rank + 1, 2)
    one_limit = here.proof_limit if attack else here.disproof_limit
    two_limit = here.disproof_limit if attack else here.proof_limit
    one_limit = min(one_limit, second + 1 + second // 4)
    if two_limit < NEVER:
        two_limit -= still_open - 1
    here.proof_below = one_limit if attack else two_limit
    here.disproof_below = two_limit if attack else one_limit


@njit
def remember(here, table, notes):
    """Put in the table what a level has come to."""
    spent = here.left - notes[0].left
    worth = 0
    while spent > 0:
        worth += 1
        spent >>= 1
    if here.proof == 0:
        worth += _PROVED
    write(
        table,
        here.mover,
        here.other,
        here.kind,
        here.proof,
        here.disproof,
        min(here.rank, 255),
        here.cell,
        worth,
    )


@njit
def begin(p, mover, other, kind, proof_limit, disproof_limit, level, known, table, room):
    """Take up a position: find its children, and what is known of them."""
    levels, children, notes = room
    here = levels[level]
    here.mover = mover
    here.other = other
    here.kind = kind
    here.proof_limit = proof_limit
    here.disproof_limit = disproof_limit
    here.cell = 0
    here.left = notes[0].left
    notes[0].left -= 1
    here.num = 0
    attack = kind % 2 == 1
    below = kind_below(kind)
    todo = p.board & ~(mover | other)
    while todo != np.uint64(0):
        cell = lowest(todo)
        todo ^= cell
        own, others = pushed(p, mover, other, cell)
        # `own` alone has no line: a position in which its owner could win at once is none of these.
        if satisfied(p, others):
            continue  # which is no help to the attacker, nor to the defender
        if attack and wins_at_once(p, others, own):
            continue  # nor a reply by which the defender ends the game
        if not attack and attacker_wins(p, others, own, notes[0].alone):
            continue
        one, two, _ = canonical(p, others, own)
        if is_there(children[level], here.num, one, two):
            continue
        child = children[level, here.num]
        child.mover = one
        child.other = two
        child.cell = count(cell - np.uint64(1))
        child.rank = 0
        child.proof = 1
        child.disproof = 1
        if not look_up(child, below, known, table):
            if attack:
                notes[0].left -= 1
                defence(p, child, below, notes[0].alone)
            elif not enough_pieces(p, one, below):
                child.proof = NEVER
                child.disproof = 0
        if attack:
            if child.proof == NEVER:
                continue  # is no help
            here.num += 1
            if child.proof == 0:
                return
        else:
            here.num += 1
            if child.disproof == 0:
                return


@njit
def is_there(children, num, one, two):
    """Whether a position is one of the first children."""
    for k in range(num):
        if children[k].mover == one and children[k].other == two:
            return True
    return False


@njit
def enough_pieces(p, mover, kind):
    """Whether the attacker, to move, can come to a line in so many plies."""
    return kind > LONGEST or count(mover) + (kind + 1) // 2 >= p.line


@njit
def look_up(child, kind, known, table):
    """Take a child's numbers from the tables, if they have it."""
    if kind % 2 == 1 and len(known) > 0:
        place = find(known, child.mover, child.other, ANY_LENGTH)
        if place >= 0 and known[place].rank <= kind:
            child.proof = 0
            child.disproof = NEVER
            child.rank = known[place].rank
            return True
    place = find(table, child.mover, child.other, kind)
    if place < 0:
        return False
    child.proof = table[place].proof
    child.disproof = table[place].disproof
    child.rank = table[place].rank
    return True


@njit
def defence(p, child, kind, alone):
    """Judge a new position with the defender to move by how many replies there are."""
    survive = survivors(p, child.mover, child.other, 1 if kind == 2 else _MOST, alone)
    if survive == 0:
        child.proof = 0
        child.disproof = NEVER
        child.rank = 2
    elif kind == 2:  # the attacker's next ply would be the last
        child.proof = NEVER
        child.disproof = 0
    else:
        child.proof = survive
        child.disproof = 1


@njit
def attacker_wins(p, mine, theirs, alone):
    """Whether the attacker, who owns `mine` and is to move, wins at once."""
    return wins_at_once(p, mine, theirs) and (
        not alone or winning_alone(p, mine, theirs) != np.uint64(0)
    )


@njit
def attacking_cells(p, mine, theirs, alone):
    """Where the attacker, who owns `mine` and is to move, wins at once."""
    return winning_alone(p, mine, theirs) if alone else winning_cells(p, mine, theirs)


@njit
def survivors(p, mover, other, most, alone):
    """After how many replies of the player to move the other does not win at once; up to `most`.

    The player to move must not win at once. A reply that lines up the other player loses. `alone`
    is as in the notes.
    """
    if most > 1 and not attacker_wins(p, other, mover, alone):
        return count(p.board & ~(mover | other))  # nothing threatens: about as many
    found = 0
    todo = p.board & ~(mover | other)
    while todo != np.uint64(0) and found < most:
        cell = lowest(todo)
        todo ^= cell
        own, others = pushed(p, mover, other, cell)
        if not satisfied(p, others) and not attacker_wins(p, others, own, alone):
            found += 1
    return found


@njit
def replies(p, mover, other, kind, known, table, room, proofs, ranks):
    """What is known of each reply of the defender, who is to move and cannot win at once.

    Args:
        p: the game's constants.
        mover: cells of the defender, in any turn.
        other: cells of the attacker.
        kind: of the positions after a reply, as in the table.
        known: a table of positions proved before.
        table: what was found out.
        room: as from `room_for`.
        proofs: int64 for each bit of a cell: the proof number after that reply, 0 if it loses;
            -1 where there is no reply.
        ranks: int64 likewise: of a reply that loses, the most plies to the end after it.
    """
    child = room[1][_DEEPEST - 1, 0]
    proofs[:] = -1
    ranks[:] = 0
    todo = p.board & ~(mover | other)
    while todo != np.uint64(0):
        cell = lowest(todo)
        todo ^= cell
        k = count(cell - np.uint64(1))
        own, others = pushed(p, mover, other, cell)
        if satisfied(p, others):
            proofs[k] = 0
        elif kind < 1:  # the attacker has no ply left
            proofs[k] = NEVER
        elif attacker_wins(p, others, own, room[2][0].alone):
            proofs[k] = 0
            ranks[k] = 1
        elif kind == 1:
            proofs[k] = NEVER
        else:
            child.mover, child.other, _ = canonical(p, others, own)
            child.proof = 1
            look_up(child, kind, known, table)
            proofs[k] = child.proof
            ranks[k] = child.rank if child.proof == 0 else 0
