"""Compiled functions of Gekitai for depth-first proof-number search; `solving` is their interface.

See `agents.search.proofs.proof_numbers` for the search. The initial proof number of a position with
the defender to move is the number of replies after which the attacker cannot win at once.

With a limit of plies, both answers are certain. Without a limit, only wins are certain, because a
line of play that repeats a position counts as a line without a win.

A placement that satisfies both players is a win of the player who placed, as in `boardenvs`. A
search can treat it as a draw instead, as some rules do, and then it is never a win of the attacker.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.games.gekitai.threats import (
    lowest,
    preventing_cells,
    winning_alone,
    winning_cells,
    wins_at_once,
)
from agents.search.proofs.bitboards import canonical
from agents.search.proofs.proof_numbers import (
    LONGEST,
    MOST,
    NEVER,
    fetch,
    is_there,
    kind_below,
    look_up,
    make_workspace,
)
from boardenvs.gekitai.rules import count, pushed, satisfied

__all__ = ["attacking_cells", "expand", "gekitai_workspace", "replies", "survivors"]

_NOTES = [
    ("left", np.int64),  # number of positions that may still be searched
    ("alone", np.int64),  # 1 if a placement that satisfies both players is a draw, else 0
]


def gekitai_workspace(both_draw: bool = False) -> tuple[npt.NDArray[np.void], ...]:
    """Return the arrays that the search needs besides its tables.

    Args:
        both_draw: whether a placement that satisfies both players is a draw, rather than a win of
            the player who placed.
    """
    workspace = make_workspace(_NOTES)
    workspace[2]["alone"] = both_draw
    return workspace


@njit
def expand(p, level, known, table, workspace):
    """Implement the hook of `agents.search.proofs.proof_numbers`."""
    here = workspace[0][level]
    children = workspace[1][level]
    notes = workspace[2][0]
    mover = here.mover
    other = here.other
    attack = here.kind % 2 == 1
    below = kind_below(here.kind)
    alone = notes.alone
    found = 0
    todo = candidates(p, mover, other, not attack and alone)
    while todo != np.uint64(0):
        cell = lowest(todo)
        todo ^= cell
        own, others = pushed(p, mover, other, cell)
        # `own` is never satisfied alone, because positions with a win at once are not expanded.
        if satisfied(p, others):
            continue  # a draw or a loss of the player who placed
        if attack and wins_at_once(p, others, own):
            continue  # the defender would win at once
        if not attack and attacker_wins(p, others, own, alone):
            continue
        if below == 2:  # such positions are decided here and never stored
            notes.left -= 1
            if survivors(p, others, own, 1, alone) > 0:
                continue
            todo = np.uint64(0)
        one, two, _ = canonical(p, others, own)
        if is_there(children, found, one, two):
            continue
        child = children[found]
        child.mover = one
        child.other = two
        child.cell = count(cell - np.uint64(1))
        found += 1
    if below == 2:
        if found > 0:
            child = children[0]
            child.rank = 2
            child.proof = 0
            child.disproof = NEVER
        here.num = found
        return
    fetch(table, children, found, below)
    for k in range(found):
        listed = children[k]
        child = children[here.num]
        child.mover = listed.mover
        child.other = listed.other
        child.cell = listed.cell
        child.rank = 0
        child.proof = 1
        child.disproof = 1
        if not look_up(child, below, known, table):
            if attack:
                notes.left -= 1
                defence(p, child, alone)
            elif not enough_pieces(p, child.mover, below):
                child.proof = NEVER
                child.disproof = 0
        if attack:
            if child.proof == NEVER:
                continue  # cannot prove a win
            here.num += 1
            if child.proof == 0:
                return
        else:
            here.num += 1
            if child.disproof == 0:
                return


@njit
def candidates(p, mover, other, alone):
    """Return at least the cells after which the other player cannot win at once.

    With `alone`, these are all empty cells, because any piece may complete a line of its own.
    """
    if alone:
        return p.board & ~(mover | other)
    return preventing_cells(p, other, mover, winning_cells(p, other, mover))


@njit
def enough_pieces(p, mover, kind):
    """Return whether the attacker, to move, can have a line within the limit of plies."""
    return kind > LONGEST or count(mover) + (kind + 1) // 2 >= p.line


@njit
def defence(p, child, alone):
    """Initialize a position with the defender to move from the number of surviving replies."""
    survive = survivors(p, child.mover, child.other, MOST, alone)
    if survive == 0:
        child.proof = 0
        child.disproof = NEVER
        child.rank = 2
    else:
        child.proof = survive
        child.disproof = 1


@njit
def attacker_wins(p, mine, theirs, alone):
    """Return whether the attacker, who owns `mine` and is to move, wins at once."""
    return wins_at_once(p, mine, theirs) and (
        not alone or winning_alone(p, mine, theirs) != np.uint64(0)
    )


@njit
def attacking_cells(p, mine, theirs, alone):
    """Return the cells on which the attacker, who owns `mine` and is to move, wins at once."""
    return winning_alone(p, mine, theirs) if alone else winning_cells(p, mine, theirs)


@njit
def survivors(p, mover, other, most, alone):
    """Return the number of replies after which the other player cannot win at once, up to `most`.

    The player to move must not be able to win at once. A reply that satisfies the other player
    loses. `alone` is as in the notes.
    """
    wins = attacking_cells(p, other, mover, alone)
    if most > 1 and wins == np.uint64(0):
        return count(p.board & ~(mover | other))  # an estimate, because there is no threat
    found = 0
    todo = p.board & ~(mover | other)
    if not alone:
        todo = preventing_cells(p, other, mover, wins)
    while todo != np.uint64(0) and found < most:
        cell = lowest(todo)
        todo ^= cell
        own, others = pushed(p, mover, other, cell)
        if not satisfied(p, others) and not attacker_wins(p, others, own, alone):
            found += 1
    return found


@njit
def replies(p, mover, other, kind, known, table, workspace, proofs, ranks):
    """Write the known facts about each reply of the defender, who cannot win at once.

    Args:
        p: constants of the game.
        mover: cells of the defender, who is to move, in any symmetry.
        other: cells of the attacker.
        kind: kind of the positions after a reply, as in the table.
        known: table of proved positions.
        table: table of the search.
        workspace: from `gekitai_workspace`.
        proofs: output, int64 for each bit of a cell: the proof number after the reply, 0 if it
            loses; -1 without a reply.
        ranks: output, int64 for each bit of a cell: the maximum number of plies to the end after a
            losing reply.
    """
    child = workspace[1][-1, 0]
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
        elif attacker_wins(p, others, own, workspace[2][0].alone):
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
