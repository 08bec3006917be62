"""The compiled functions of Gomoku for depth-first proof-number search, which `proof` runs.

See `agents.search.proofs.proof_numbers` for the search. Stones are never removed, so positions do
not repeat and both answers are proved. The attacker cannot win if each line has a stone of the
defender or if there is a pairing (see `open_lines`). Draws are proved this way.

A player must block a threatened line. Without a threat, the search omits the cells outside all open
lines, since a stone there has no effect. With `exact` it omits no cells, since stones may harm
their owner.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games.gomoku.lines.open_lines import (
    all_cells,
    can_pair,
    count,
    lowest,
    open_cells,
    winning_cells,
)
from agents.search.proofs.bitboards import canonical
from agents.search.proofs.proof_numbers import NEVER, is_there, kind_below, look_up

__all__ = ["expand"]


@njit
def expand(p, level, known, table, workspace):
    """Implement the hook of `agents.search.proofs.proof_numbers`."""
    levels, children, _ = workspace
    here = levels[level]
    mine = here.mover
    theirs = here.other
    attack = here.kind % 2 == 1
    below = kind_below(here.kind)
    todo = candidates(p, mine, theirs)
    while todo != np.uint64(0):
        cell = lowest(todo)
        todo ^= cell
        one, two, _ = canonical(p, theirs, mine | cell)
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
                after_attack(p, child)
            else:
                after_defence(p, child)
        if attack and child.proof == NEVER:
            continue
        here.num += 1
        if (child.proof if attack else child.disproof) == 0:
            return


@njit
def candidates(p, mine, theirs):
    """Return the cells to try for the owner of `mine`, who is to move and does not win at once.

    There are none if the other player threatens to win on two cells.
    """
    threats = winning_cells(p, theirs, mine)
    if threats != np.uint64(0):
        return threats if count(threats) == 1 else np.uint64(0)
    empty = all_cells(p) & ~(mine | theirs)
    if p.exact:
        return empty
    useful = open_cells(p, mine, theirs) | open_cells(p, theirs, mine)
    return useful if useful != np.uint64(0) else empty


@njit
def after_attack(p, child):
    """Set the numbers of a new position with the defender to move, who cannot win at once."""
    threats = count(winning_cells(p, child.other, child.mover))
    replies = count(all_cells(p) & ~(child.mover | child.other))
    if threats > 1:
        child.proof = 0
        child.disproof = NEVER
        child.rank = 2
    elif replies == 0 or open_cells(p, child.other, child.mover) == np.uint64(0):
        child.proof = NEVER
        child.disproof = 0
    else:
        child.proof = 1 if threats == 1 else replies


@njit
def after_defence(p, child):
    """Set the numbers of a new position with the attacker to move, who cannot win at once."""
    if count(winning_cells(p, child.other, child.mover)) > 1 or can_pair(
        p, child.mover, child.other
    ):
        child.proof = NEVER
        child.disproof = 0
