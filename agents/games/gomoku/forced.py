"""Victory by continuous fours for the tree search; see `agents.search.decisive`.

Each stone of the attacker makes a four, so each reply is forced, until two cells complete lines. If
a reply makes a four of the defender, the attacker's next stone must block it and make a four too.
If a reply makes two fours, the attack has failed.

The cells that make a four come from bitboards of the lines, updated with each stone
(`agents.games.gomoku.lines.line_bits`). The cells that complete a line come from the board.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games.gomoku.lines.completing import completing_cells
from agents.games.gomoku.lines.line_bits import empty_line_bits, list_pairs, put_stones, toggle

__all__ = ["forced_win"]

_LEVELS = 24
"""Maximum number of fours in a row."""
_MOVES = 60
"""Maximum number of cells tried at each level."""


@njit
def forced_win(s, p, most):
    """Return the first cell of a victory by continuous fours and its maximum number of plies.

    The result is -1, 0 if no victory is found. The position must not be over. `most` is the maximum
    number of fours to try. The cells are changed and restored.
    """
    cells = s.cells
    mine = s.to_move + 1
    plies_left = p.max_plies - s.ply
    if p.line < 3:
        return -1, 0
    line_bits = empty_line_bits(p.side)
    put_stones(line_bits, cells, p.side)
    first = np.empty(_MOVES, np.int16)
    num, one = fours_at_first(cells, p, line_bits, mine, first)
    if num < 0:
        return one, 1
    if num == 0:  # the usual case in a search
        return -1, 0
    moves = np.empty((_LEVELS, _MOVES), np.int16)
    moves[0] = first
    left = np.zeros(_LEVELS, np.int64)  # number of moves left to try at each level
    left[0] = num
    attacks = np.empty(_LEVELS, np.int64)
    replies = np.empty(_LEVELS, np.int64)
    level = 0
    tried = 0
    plies = 0
    while True:
        if left[level] == 0 or tried == most:
            if level == 0:
                return -1, 0
            level -= 1
            cells[replies[level]] = 0
            cells[attacks[level]] = 0
            toggle(line_bits, p.side, replies[level], 3 - mine)
            toggle(line_bits, p.side, attacks[level], mine)
            continue
        left[level] -= 1
        tried += 1
        cell = np.int64(moves[level, left[level]])
        cells[cell] = mine
        reply, other = completing_cells(cells, p, cell)
        if reply < other:
            plies = 2 * level + 3
            cells[cell] = 0
            if plies <= plies_left:
                break
            continue
        if other < 0 or level + 1 == _LEVELS:
            cells[cell] = 0
            continue
        cells[reply] = 3 - mine
        must, other = completing_cells(cells, p, reply)
        if must < other:
            cells[reply] = 0
            cells[cell] = 0
            continue
        attacks[level] = cell
        replies[level] = reply
        toggle(line_bits, p.side, cell, mine)
        toggle(line_bits, p.side, reply, 3 - mine)
        level += 1
        if other >= 0:
            moves[level, 0] = must
            left[level] = 1
        else:
            left[level] = list_pairs(line_bits, p.side, p.line, mine, False, moves[level])
    for k in range(level):
        cells[attacks[k]] = 0
        cells[replies[k]] = 0
    return attacks[0] if level > 0 else cell, plies


@njit
def fours_at_first(cells, p, line_bits, mine, moves):
    """Write the cells to try to `moves` and return their number and -1.

    If a cell wins at once, return -1 and that cell.
    """
    num = list_pairs(line_bits, p.side, p.line, mine, True, moves)
    if num >= 0:
        return num, -1
    must = -1
    for a in range(p.side * p.side):
        if cells[a] != 0:
            one, other = completing_cells(cells, p, a)
            if other < 0:
                continue
            if cells[a] == mine:
                return -1, one
            if must == -1:
                must = one
            if must != one or must != other:
                must = -2
    if must == -2:
        return 0, -1
    if must >= 0:
        moves[0] = must
        return 1, -1
    return list_pairs(line_bits, p.side, p.line, mine, False, moves), -1
