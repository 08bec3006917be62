"""Decisive moves of Gomoku, for the tree search: see `agents.search.decisive`."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from numba import njit

from agents.games.gomoku.forced import forced_win
from boardenvs.gomoku.rules import lines, reach

__all__ = ["completing_cell", "decisive_action", "forced_win"]


@njit
def decisive_action(s, p, before):
    """The lowest cell that wins at once; else that on which the other player would; else -1."""
    none = p.side * p.side
    if before == -2:
        cells = none, none  # of black and of white
        for a in range(none):
            if s.cells[a] == 1:
                cells = min(cells[0], completing_cell(s.cells, p, a)), cells[1]
            elif s.cells[a] == 2:
                cells = cells[0], min(cells[1], completing_cell(s.cells, p, a))
        mine, theirs = cells if s.to_move == 0 else (cells[1], cells[0])
    else:
        # A stone opens lines of its own colour alone, all through itself.
        mine = completing_cell(s.cells, p, before) if before >= 0 else none
        theirs = completing_cell(s.cells, p, s.last_action) if mine == none else none
    cell = mine if mine < none else theirs
    return cell if cell < none else -1


@njit
def completing_cell(cells, p, cell):
    """The lowest empty cell where a line through the stone on `cell` would win for its colour.

    If there is none, the number of cells.
    """
    stone = cells[cell]
    found = p.side * p.side
    for step, ahead, behind in lines(p, cell):
        forth = reach(cells, cell, step, ahead)
        back = reach(cells, cell, -step, behind)
        wanted = p.line - 2 - forth - back  # stones beyond the gap, that together are a line
        for way, own, room in ((step, forth, ahead), (-step, back, behind)):
            far = own + 1 + max(wanted, 0)
            if far > room:
                continue
            gap = cell + (own + 1) * way
            # All at once: one branch, rarely taken, is cheaper than two.
            if (cells[gap] == 0) & ((wanted <= 0) | (cells[cell + far * way] == stone)):
                beyond = 0
                while own + 1 + beyond < room and cells[gap + (beyond + 1) * way] == stone:
                    beyond += 1
                if beyond == wanted or (beyond > wanted and not p.exact):
                    found = min(found, gap)
    return found
