"""Depth-first proof-number search, which proves whether the attacker can force a win.

Each position has a proof and a disproof number. They estimate the work that is left until a win is
proved or disproved, and the search continues where they are lowest. The numbers are weak: if all
children of a position must be settled, its number is the largest of theirs plus one for each other
child, so that work which several lines of play share is not counted twice.

A game supplies the hook `expand`, and represents positions by two bitboards. A line of play that
repeats a position counts as a line without a win. So in a game with repetitions, a search without a
limit of plies can only prove wins.

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
from boardenvs.kernels.binding import hook, over_rules

__all__ = [
    "ANY_LENGTH",
    "LONGEST",
    "MOST",
    "NEVER",
    "entries",
    "expand",
    "fetch",
    "find",
    "is_there",
    "kind_below",
    "look_up",
    "make_workspace",
    "prove",
    "write",
]

ANY_LENGTH = 255
"""Kind of a position with the attacker to move in a question without a limit of plies."""
LONGEST = 199
"""Maximum limit of plies of a question."""
NEVER = 60_000
"""Proof or disproof number of an impossible result."""
_DEEPEST = 400  # plies; a longer line of play counts as a line without a win
MOST = 64
"""Maximum number of children of a position: the cells of a bitboard."""
_PROBES = 4  # entries that may hold a position
_PROVED = 64  # additional worth of a proved position, so that it is replaced last

_ENTRY = [
    ("mover", np.uint64),  # the position, in its canonical turn
    ("other", np.uint64),
    ("proof", np.uint16),
    ("disproof", np.uint16),
    # The question, an odd number if the attacker is to move: the number of plies left, or without
    # a limit ANY_LENGTH for the attacker and ANY_LENGTH - 1 for the defender. 0: a free entry.
    ("kind", np.uint8),
    ("rank", np.uint8),  # if proved: maximum number of plies to the end
    ("cell", np.uint8),  # if proved and the attacker is to move: the bit to place on
    ("worth", np.uint8),  # logarithm of the positions searched, see `_PROVED`
]
_LEVEL = [
    ("mover", np.uint64),
    ("other", np.uint64),
    ("kind", np.int64),
    ("num", np.int64),  # number of children
    ("proof", np.int64),
    ("disproof", np.int64),
    ("rank", np.int64),
    ("cell", np.int64),
    ("proof_limit", np.int64),  # the search leaves the position when its numbers reach the limits
    ("disproof_limit", np.int64),
    ("chosen", np.int64),  # the child to search next
    ("proof_below", np.int64),  # limits of that child
    ("disproof_below", np.int64),
    ("left", np.int64),  # the budget at the start of the position
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
    """Return an empty table of `2**bits` positions, of 24 bytes each."""
    return _records(1 << bits, _ENTRY)


def make_workspace(notes: list[tuple[str, Any]]) -> tuple[npt.NDArray[np.void], ...]:
    """Return the workspace of `prove`: levels, their children, and notes.

    Args:
        notes: fields of the notes: `left`, an int64, and those that the game's `expand` needs.
    """
    return _records(_DEEPEST, _LEVEL), _records((_DEEPEST, MOST), _CHILD), _records(1, notes)


def _records(shape: int | tuple[int, ...], fields: list[Any]) -> npt.NDArray[np.void]:
    return np.zeros(shape, np.dtype((np.record, np.dtype(fields, align=True))))


@hook
def expand(p: Any, level: int, known: Any, table: Any, workspace: Any) -> None:
    """List the children of the position at a level, with their known numbers.

    If the attacker is to move, the children are the positions that may be won. If the defender is
    to move, they are the positions in which the attacker does not win at once. An empty list means
    that the player to move does not reach his goal. The list ends with the first child that settles
    the position. The hook subtracts its cost, beyond one position, from `notes[0].left`.

    Args:
        p: the game's constants.
        level: number of the level in `workspace`. Its `mover`, `other` and `kind` are the position.
            Its `num` is 0 and must be set to the number of children.
        known: as for `prove`.
        table: as for `prove`.
        workspace: levels, children and notes, as from `make_workspace`. All fields of a child must
            be set; `cell` is the attacker's move there, and `rank`, if the child is proved, the
            maximum number of plies to the end.
    """


# -- The table ------------------------------------------------------------------------------


@njit
def find(table, mover, other, kind):
    """Return the index of a position in a table, or -1."""
    first = first_place(table, mover, other, kind)
    for k in range(_PROBES):
        entry = table[first + k]
        if entry.mover == mover and entry.other == other and entry.kind == kind:
            return first + k
        if entry.kind == 0:
            return -1  # entries are filled in order and never freed
    return -1


@njit
def first_place(table, mover, other, kind):
    key = mixed(mixed(mixed(mover) ^ other) ^ np.uint64(kind))
    return np.int64(key & np.uint64(len(table) - _PROBES))


@njit
def write(table, mover, other, kind, proof, disproof, rank, cell, worth):
    """Store a position in a table; it replaces the entry of the least worth."""
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
    """Search until a forced win of the attacker is proved or disproved, or the budget is used up.

    Args:
        p: the game's constants.
        mover: cells of the player to move, in canonical turn; the player must not win at once.
        other: cells of the other player; the position must not be over.
        kind: the question, as in the table.
        limit: maximum number of positions to search.
        known: read-only table of positions proved before; it may be empty.
        table: table for the results, which later searches reuse.
        workspace: as from `make_workspace`; level 0 holds the result.

    Returns:
        The number of positions searched.
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
                child.proof = entry.proof  # another line of play has searched the position
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
    """Start the search of a position, and list its children."""
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
    """Return the kind of the children of a position."""
    return kind + 1 if kind == ANY_LENGTH - 1 else kind - 1


@njit
def comes_back(child, kind, level, levels):
    """Return whether a position occurs on the path to this level."""
    if kind <= LONGEST:  # an earlier occurrence had more plies left
        return False
    for k in range(level):
        one = levels[k]
        if one.mover == child.mover and one.other == child.other and one.kind == kind:
            return True
    return False


@njit
def weigh(here, children):
    """Compute the numbers of a level from its children, and choose the child to search next.

    For the player to move, `one` estimates the work until a child reaches the goal, and `two` the
    work until no child can reach it.
    """
    attack = here.kind % 2 == 1
    least = NEVER + 1  # least `one` of the children
    second = NEVER
    against = -1  # `two` of the child with the least `one`
    most = 0  # largest `two`
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
    """Store the result of a level in the table."""
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
    """Copy a child's numbers from the tables; return whether they contain the child."""
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
def fetch(table, children, num, kind):
    """Read the places of the first `num` children in a table, so that later reads are faster.

    The reads do not depend on each other, so the processor waits for the memory only once.
    """
    kinds = np.uint8(0)
    for k in range(num):
        kinds |= table[first_place(table, children[k].mover, children[k].other, kind)].kind
    children[0].rank = kinds  # a use of the result, without which the compiler removes the reads


@njit
def is_there(children, num, one, two):
    """Return whether a position is one of the first `num` children."""
    for k in range(num):
        if children[k].mover == one and children[k].other == two:
            return True
    return False
