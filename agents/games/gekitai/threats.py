"""Immediate wins of the player to move in Gekitai, found for all cells together.

Bitboards are as in `boardenvs.gekitai.rules`. Shifts of whole bitboards compute the effects of
placements on all empty cells. Only the few placements that may push a piece into a line are tried
one by one.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from agents.games.gekitai.threes import threes
from boardenvs.gekitai.rules import ahead, back, count, has_line, moved, pushed, satisfied

__all__ = ["lowest", "preventing_cells", "winning_alone", "winning_cells", "wins_at_once"]


@njit
def lowest(bits):
    """Return the lowest cell of a bitboard that is not empty."""
    return bits & (~bits + np.uint64(1))


@njit
def completing(cells, bits, near_back, near_ahead, d, length):
    """Return those of `cells` that complete a line in direction `d` with cells of `bits`.

    `near_back` and `near_ahead` are the cells whose neighbour backwards or ahead counts for the
    line. All cells of `bits` further away count.
    """
    found = np.uint64(0)
    behind = cells  # cells with k cells of the line behind them
    for k in range(length):
        whole = behind
        reach = bits
        for j in range(length - 1 - k):
            reach = back(reach, d)
            whole &= near_ahead if j == 0 else reach
        found |= whole
        if k == 0:
            reach_behind = ahead(bits, d)
            behind &= near_back
        else:
            reach_behind = ahead(reach_behind, d)
            behind &= reach_behind
    return found


@njit
def effects(p, mine, theirs):
    """Return three bitboards of placements of the owner of `mine`, who is to move.

    They are those that win without the help of a pushed piece, those that push at least one own
    piece to another cell, and those that push at least two.
    """
    occupied = mine | theirs
    empty = p.board & ~occupied
    won = np.uint64(0)
    lost = np.uint64(0)  # cells from which an own piece is pushed off the board
    once = np.uint64(0)
    twice = np.uint64(0)
    for d in range(4):
        near_ahead = back(mine, d) & empty
        near_back = ahead(mine, d) & empty
        blocked_ahead = back(back(occupied, d), d)
        blocked_back = ahead(ahead(occupied, d), d)
        won |= completing(
            empty, mine, near_back & blocked_back, near_ahead & blocked_ahead, d, p.line
        )
        for moves, inside in (
            (near_ahead & ~blocked_ahead, back(back(p.board, d), d)),
            (near_back & ~blocked_back, ahead(ahead(p.board, d), d)),
        ):
            lost |= moves & ~inside
            twice |= once & moves & inside
            once |= moves & inside
    if count(mine) + 1 >= p.pieces:
        won |= empty & ~lost
    return won, once, twice


@njit
def surely_or_maybe(p, mine, theirs):
    """Return cells on which the owner of `mine` wins at once, and other cells that may win."""
    if p.line == 3:
        return threes(p, mine, theirs)
    won, once, twice = effects(p, mine, theirs)
    return won, (lining_up(p, mine, once) | twice) & ~won


@njit
def winning_cells(p, mine, theirs):
    """Return the cells on which the owner of `mine`, who is to move, wins at once."""
    won, candidates = surely_or_maybe(p, mine, theirs)
    while candidates != np.uint64(0):  # few, so each is tried
        cell = lowest(candidates)
        candidates ^= cell
        if has_line(pushed(p, mine, theirs, cell)[0], p.line):
            won |= cell
    return won


@njit
def wins_at_once(p, mine, theirs):
    """Return whether there are `winning_cells`, and stop at the first."""
    won, candidates = surely_or_maybe(p, mine, theirs)
    if won != np.uint64(0):
        return True
    while candidates != np.uint64(0):
        cell = lowest(candidates)
        candidates ^= cell
        if has_line(pushed(p, mine, theirs, cell)[0], p.line):
            return True
    return False


@njit
def winning_alone(p, mine, theirs):
    """Return the `winning_cells` that do not also satisfy the other player."""
    cells = winning_cells(p, mine, theirs)
    left = cells
    while left != np.uint64(0):
        cell = lowest(left)
        left ^= cell
        if satisfied(p, pushed(p, mine, theirs, cell)[1]):
            cells ^= cell
    return cells


@njit
def preventing_cells(p, mine, theirs, wins):
    """Return at least the empty cells where a piece of the other player takes away all of `wins`.

    `wins` are `winning_cells` of the owner of `mine`, before the other player places the piece.
    """
    found = p.board & ~(mine | theirs)
    if count(mine) + 1 >= p.pieces:  # a win may need no line
        return found
    while wins != np.uint64(0) and found != np.uint64(0):
        cell = lowest(wins)
        wins ^= cell
        found &= disturbing(p, mine, theirs, cell)
    return found


@njit
def disturbing(p, mine, theirs, cell):
    """Return at least the cells where a piece may stop a placement on `cell` from making a line.

    A piece stops it only if it changes a cell on which the line depends: it takes the cell, pushes
    a piece off the cell, or pushes one onto it.
    """
    none = np.uint64(0)
    line = line_cells(pushed(p, mine, theirs, cell)[0], p.line)
    needed = line | cell
    for d in range(8):
        near = moved(cell, d)
        both = near | moved(near, d)
        needed |= both if both & line != none else none
    taken = needed & (mine | theirs)
    free = needed & ~taken
    found = needed
    for d in range(8):
        found |= moved(taken, d) | moved(moved(free, d), d)
    return found


@njit
def line_cells(bits, length):
    """Return the cells of all lines of at least `length` cells."""
    found = np.uint64(0)
    for d in range(4):
        run = bits  # cells at which a line of the current length ends
        for _ in range(length - 1):
            run = ahead(run, d) & bits
        found |= run
        for _ in range(length - 1):
            run = back(run, d)
            found |= run
    return found


@njit
def lining_up(p, mine, cells):
    """Return at least those of `cells` that push one own piece into a line of unmoved pieces."""
    lines = (
        completing(p.board, mine, ahead(mine, 0), back(mine, 0), 0, p.line),
        completing(p.board, mine, ahead(mine, 1), back(mine, 1), 1, p.line),
        completing(p.board, mine, ahead(mine, 2), back(mine, 2), 2, p.line),
        completing(p.board, mine, ahead(mine, 3), back(mine, 3), 3, p.line),
    )
    none = np.uint64(0)
    found = none
    for d in range(4):
        across = lines[(d + 1) % 4] | lines[(d + 2) % 4] | lines[(d + 3) % 4]
        # In the direction of the push, the line is ahead, because the piece leaves the cell behind.
        goals = across | completing(p.board, mine, none, back(mine, d), d, p.line)
        found |= back(back(goals, d) & mine, d)
        goals = across | completing(p.board, mine, ahead(mine, d), none, d, p.line)
        found |= ahead(ahead(goals, d) & mine, d)
    return found & cells
