"""Decisive moves of Gomoku, for the tree search: see `agents.decisive`."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from numba import njit

from boardenvs.gomoku.rules import legal, lines, observe, play, reach, redraw

__all__ = ["completing_cell", "decisive_action", "legal", "observe", "play", "redraw"]


@njit
def decisive_action(s, p, before):
    """A cell that wins at once; else one on which the other player would; else -1.

    Only lines through the last stone of each are looked at: the mover's is on `before`, and if
    that is unknown, may be any.
    """
    if before == -2:
        for a in range(p.side * p.side):
            if s.cells[a] == s.to_move + 1:
                cell = completing_cell(s.cells, p, a)
                if cell >= 0:
                    return cell
    if before >= 0 and s.cells[before] == s.to_move + 1:
        cell = completing_cell(s.cells, p, before)
        if cell >= 0:
            return cell
    last = s.last_action
    # In a position set up by hand it may be any cell.
    if last >= 0 and s.cells[last] == 2 - s.to_move:
        return completing_cell(s.cells, p, last)
    return -1


@njit
def completing_cell(cells, p, cell):
    """An empty cell where a line through the stone on `cell` would win for its colour, or -1."""
    stone = cells[cell]
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
                    return gap
    return -1
