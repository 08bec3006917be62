"""Decisive moves of Gomoku for the tree search; see `agents.search.decisive`."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from numba import njit

from agents.games.gomoku.forced import forced_win
from agents.games.gomoku.lines.completing import completing_cells

__all__ = ["decisive_action", "forced_win"]


@njit
def decisive_action(s, p, before):
    """Return the lowest winning cell of the player to move, else of the other player, else -1."""
    none = p.side * p.side
    if before == -2:
        cells = none, none  # of black and of white
        for a in range(none):
            if s.cells[a] == 1:
                cells = min(cells[0], completing_cells(s.cells, p, a)[0]), cells[1]
            elif s.cells[a] == 2:
                cells = cells[0], min(cells[1], completing_cells(s.cells, p, a)[0])
        mine, theirs = cells if s.to_move == 0 else (cells[1], cells[0])
    else:
        # A new stone can only create threats of its own colour, on lines through itself.
        mine = completing_cells(s.cells, p, before)[0] if before >= 0 else none
        theirs = completing_cells(s.cells, p, s.last_action)[0] if mine == none else none
    cell = mine if mine < none else theirs
    return cell if cell < none else -1
