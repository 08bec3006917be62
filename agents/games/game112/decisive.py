"""Decisive moves of the 112 game for the tree search; see `agents.search.decisive`."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from numba import njit

__all__ = ["decisive_action"]


@njit
def decisive_action(s, p, before):
    """Return an action that completes 1, 1, 2, which wins for either player, or -1."""
    cells = s.cells
    for i in range(p.positions - 2):
        a = cells[i]
        b = cells[i + 1]
        c = cells[i + 2]
        if a == 0 and b == 1 and c == 2:
            return 2 * i
        if a == 1 and b == 0 and c == 2:
            return 2 * i + 2
        if a == 1 and b == 1 and c == 0:
            return 2 * i + 5
    return -1
