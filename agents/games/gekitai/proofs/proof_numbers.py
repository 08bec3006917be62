"""What depth-first proof-number search asks of Gekitai, as compiled functions; `solving` asks it.

See `agents.search.proofs.proof_numbers` for the search. A position with the defender to move begins
with the number of replies after which the attacker does not win at once.

A question may be bounded, to so many plies to come, and then both answers are certain. One that is
not bounded may lead in circles: a line of play that comes back counts as one without a win, so
that wins are certain, whereas the other answer is only that none was found.

A placement that satisfies both players is a win of who placed, as in `boardenvs`; a search may be
told to take it for a draw, as others do. That is no win of the attacker, whoever placed.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.games.gekitai.threats import lowest, winning_alone, winning_cells, wins_at_once
from agents.search.proofs.bitboards import canonical
from agents.search.proofs.proof_numbers import (
    LONGEST,
    MOST,
    NEVER,
    is_there,
    kind_below,
    look_up,
    make_workspace,
)
from boardenvs.gekitai.rules import count, pushed, satisfied

__all__ = ["attacking_cells", "expand", "gekitai_workspace", "replies", "survivors"]

_NOTES = [
    ("left", np.int64),  # how many positions may still be looked at
    ("alone", np.int64),  # 1 if a placement that satisfies both players is a draw, else 0
]


def gekitai_workspace(both_draw: bool = False) -> tuple[npt.NDArray[np.void], ...]:
    """What the search works in beside its tables.

    Args:
        both_draw: whether a placement that satisfies both players is a draw, rather than a win of
            who placed.
    """
    workspace = make_workspace(_NOTES)
    workspace[2]["alone"] = both_draw
    return workspace


@njit
def expand(p, level, known, table, workspace):
    """As the hook of `agents.search.proofs.proof_numbers`."""
    levels, children, notes = workspace
    here = levels[level]
    mover = here.mover
    other = here.other
    attack = here.kind % 2 == 1
    below = kind_below(here.kind)
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
def enough_pieces(p, mover, kind):
    """Whether the attacker, to move, can come to a line in so many plies."""
    return kind > LONGEST or count(mover) + (kind + 1) // 2 >= p.line


@njit
def defence(p, child, kind, alone):
    """Judge a new position with the defender to move by how many replies there are."""
    survive = survivors(p, child.mover, child.other, 1 if kind == 2 else MOST, alone)
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
def replies(p, mover, other, kind, known, table, workspace, proofs, ranks):
    """What is known of each reply of the defender, who is to move and cannot win at once.

    Args:
        p: the game's constants.
        mover: cells of the defender, in any turn.
        other: cells of the attacker.
        kind: of the positions after a reply, as in the table.
        known: a table of positions proved before.
        table: what was found out.
        workspace: as from `gekitai_workspace`.
        proofs: int64 for each bit of a cell: the proof number after that reply, 0 if it loses;
            -1 where there is no reply.
        ranks: int64 likewise: of a reply that loses, the most plies to the end after it.
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
