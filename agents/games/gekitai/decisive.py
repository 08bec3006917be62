"""Decisive moves of Gekitai for the tree search; see `agents.search.decisive`."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games.gekitai.threats import lowest, winning_cells
from boardenvs.gekitai.rules import count

__all__ = ["decisive_action"]


@njit
def decisive_action(s, p, before):
    """Return a cell that wins at once, or else one that wins for the other player, or -1."""
    mine = s.pieces[s.to_move]
    theirs = s.pieces[1 - s.to_move]
    cells = winning_cells(p, mine, theirs)
    if cells == np.uint64(0):
        cells = winning_cells(p, theirs, mine)
        if cells == np.uint64(0):
            return -1
    bit = count(lowest(cells) - np.uint64(1))
    return (bit >> 3) * p.side + (bit & 7)
