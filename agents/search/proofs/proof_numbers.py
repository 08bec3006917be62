"""Depth-first proof-number search: can one player, the attacker, force a win?

Each position has a proof and a disproof number, which tell how much is still to be settled on the
way to either answer, and the search goes on where the least is. The numbers are weak: a position
whose parts must all be settled has the largest of their numbers, and one for each of the others, so
that what several lines of play share is not counted twice.

A game that is searched supplies the hook `expand`, and has positions of two bitboards. A line of
play that comes back to a position counts as one without a win. In a game that can repeat itself, a
search without a limit of plies only proves wins.

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

from boardenvs.core.chance import mixed
from boardenvs.kernels.binding import over_rules
from boardenvs.kernels.hook import hook

__all__ = [
    "ANY_LENGTH",
    "LONGEST",
    "MOST",
    "NEVER",
    "entries",
    "expand",
    "find",
    "is_there",
    "kind_below",
    "look_up",
    "make_workspace",
    "prove",
    "write",
]

ANY_LENGTH = 255
"""The kind of a position with the attacker to move in a question that is not bounded."""
LONGEST = 199
"""The most plies that a question may be bounded to."""
NEVER = 60_000
"""The number of what cannot come about any more."""
_DEEPEST = 400  # plies; a line as long as that counts as one without a win
MOST = 64
"""A position has so many children at most: the cells of a bitboard."""
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


def entries(bits: int) -> npt.NDArray[np.void]:
    """An empty table of `2**bits` positions, of 24 bytes each."""
    return _records(1 << bits, _ENTRY)


def make_workspace(notes: list[tuple[str, Any]]) -> tuple[npt.NDArray[np.void], ...]:
    """What `prove` works in beside its tables: levels, children of each, and notes.

    Args:
        notes: the fields of these: `left`, an int64, and what the game's `expand` wants to know.
    """
    return _records(_DEEPEST, _LEVEL), _records((_DEEPEST, MOST), _CHILD), _records(1, notes)


def _records(shape: int | tuple[int, ...], fields: list[Any]) -> npt.NDArray[np.void]:
    return np.zeros(shape, np.dtype((np.record, np.dtype(fields, align=True))))


@hook
def expand(p: Any, level: int, known: Any, table: Any, workspace: Any) -> None:
    """List the children of the position at a level, and what is known of them.

    A child of the attacker's is one that may be a win; a child of the defender's, one after which
    the attacker does not win at once. So there is none of the attacker's where he does not force a
    win, and none of the defender's where he does. The list ends with the first child that settles
    the position. `notes[0].left` is told of what it costs beside the position itself.

    Args:
        p: the game's constants.
        level: of `workspace`; `mover`, `other` and `kind` are the position, `num` is 0 and is to
            become the number of children.
        known: see `prove`.
        table: see `prove`.
        workspace: levels, children and notes, as from `make_workspace`. A child has to get all
            fields; `cell` is that of the attacker's move there, and `rank`, if it is proved, how
            many plies the game lasts at most.
    """


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


@over_rules()
def prove(p, mover, other, kind, limit, known, table, workspace):
    """Search until it is settled whether the attacker forces a win, or the budget is used up.

    Args:
        p: the game's constants.
        mover: cells of the player to move, in canonical turn; none may win at once.
        other: cells of the other player; the position must not be over.
        kind: what is asked, as in the table.
        limit: how many positions to look at, at most.
        known: a table of positions proved before, which is only read; it may have no entries.
        table: of what is found out; it is used on.
        workspace: as from `make_workspace`; level 0 of it has the result.

    Returns:
        How many positions it looked at.
    """
    levels, children, notes = workspace
    notes[0].left = limit
    level = 0
    begin(p, mover, other, kind, NEVER, NEVER, 0, known, table, workspace)
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
            workspace,
        )


@over_rules()
def begin(p, mover, other, kind, proof_limit, disproof_limit, level, known, table, workspace):
    """Take up a position: find its children, and what is known of them."""
    levels, _, notes = workspace
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
    expand(p, level, known, table, workspace)


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
def is_there(children, num, one, two):
    """Whether a position is one of the first children."""
    for k in range(num):
        if children[k].mover == one and children[k].other == two:
            return True
    return False
