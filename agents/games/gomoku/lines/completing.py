"""Cells of Gomoku on which a stone would complete a line."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from numba import njit

from boardenvs.gomoku.rules import lines, reach

__all__ = ["completing_cells"]


@njit
def completing_cells(cells, p, cell):
    """Return the lowest and highest empty cell that completes a line through the stone on `cell`.

    The line is of the stone's colour. Without such a cell, return the number of cells and -1.
    """
    stone = cells[cell]
    lowest = p.side * p.side
    highest = -1
    for step, ahead, behind in lines(p, cell):
        forth = reach(cells, cell, step, ahead)
        back = reach(cells, cell, -step, behind)
        wanted = p.line - 2 - forth - back  # number of stones needed beyond the gap
        for way, own, free in ((step, forth, ahead), (-step, back, behind)):
            far = own + 1 + max(wanted, 0)
            if far > free:
                continue
            gap = cell + (own + 1) * way
            # `&` instead of `and`, since one rarely taken branch is cheaper than two.
            if (cells[gap] == 0) & ((wanted <= 0) | (cells[cell + far * way] == stone)):
                beyond = 0
                while own + 1 + beyond < free and cells[gap + (beyond + 1) * way] == stone:
                    beyond += 1
                if beyond == wanted or (beyond > wanted and not p.exact):
                    lowest = min(lowest, gap)
                    highest = max(highest, gap)
    return lowest, highest
