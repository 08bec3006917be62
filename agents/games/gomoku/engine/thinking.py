"""The iterative deepening of the engine `threats`."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from agents.games.gomoku.engine.alpha_beta import INFINITE, PROVEN, search_on
from agents.games.gomoku.engine.inner import inner
from agents.games.gomoku.engine.moves import list_moves, next_move
from agents.games.gomoku.engine.position import cell_of, set_up
from boardenvs.kernels.kernel import cached_njit

__all__ = ["think"]

_START, _DEEPENING, _DONE = range(3)
_DEEPEST = 60
"""Maximum depth of the search in plies."""


@cached_njit("Gomoku's engine", nogil=True)
def think(s, codes, table, facts, known, cells, most):
    """Start or continue a search until it has `most` nodes or is complete.

    Afterwards the fields `best_...` of `s` hold the best move, its value, its depth and its line.

    Args:
        s: record of the empty board for a new search, or the record of the last call.
        codes: table from `position.empty_position`.
        table: table from `alpha_beta.transpositions`.
        facts: table from `fours.known_facts`.
        known: table from `chains.proofs`.
        cells: cells of the game's position, not over.
        most: number of nodes, counted from the start of the search.

    Returns:
        Whether the search is complete.
    """
    if s.phase == _START:
        set_up(s, codes, cells)
        begin(s)
    while s.phase == _DEEPENING:
        done = search_on(s, codes, table, facts, known, most)
        if s.lengths[0] > 0:
            keep(s, s.value if done else s.bests[0])
        if not done:
            return False
        if not s.settled and not s.root_alpha < s.value < s.root_beta:
            widen(s)
            continue
        if (
            abs(s.best_value) >= PROVEN
            or s.depth == min(_DEEPEST, s.limit - s.num)
            or s.num_moves[0] == 1
        ):
            s.phase = _DONE
        s.depth += 1
        begin_depth(s)
    return True


@inner
def begin(s):
    """Begin a search with the most promising move as the best move."""
    list_moves(s, 0)
    s.tried[0] = 0
    s.best_cell = next_move(s, 0)
    if s.num == 0:
        s.best_cell = cell_of(s, s.side // 2 * s.side + s.side // 2)
    s.best_line[0] = s.best_cell
    s.best_length = 1
    s.phase = _DEEPENING if s.num > 0 else _DONE
    s.depth = 1
    begin_depth(s)


@inner
def begin_depth(s):
    """Begin the search to a new depth, with an aspiration window around the last value."""
    s.level = -1
    s.root_alpha = -INFINITE
    s.root_beta = INFINITE
    s.margin = s.window_margin
    if s.depth >= s.window_depth:
        s.root_alpha = s.best_value - s.margin
        s.root_beta = s.best_value + s.margin


@inner
def widen(s):
    """Repeat a search whose value was outside the window, with a wider window."""
    s.level = -1
    if s.value <= s.root_alpha:
        s.root_alpha = max(s.value - s.margin, -INFINITE)
    else:
        s.root_beta = min(s.value + s.margin, INFINITE)
    s.margin *= 3


@inner
def keep(s, value):
    """Store the best line so far and its value."""
    s.best_cell = s.lines[0, 0]
    s.best_value = value
    s.best_depth = s.depth
    s.best_length = s.lengths[0]
    for k in range(s.best_length):
        s.best_line[k] = s.lines[0, k]
