"""Immediate wins of the player to move in Gekitai with lines of three, for all cells together.

A pushed piece lands two cells away from the placed piece, and its old cell is empty. So a new line
consists of one of these:

- the placed piece and two pieces that stay
- a pushed piece and two pieces that stay
- two pushed pieces and a piece between them that stays

Names of directions, such as `east`, are bitboards of the cells with an own piece in that direction.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.gekitai.rules import count

__all__ = ["threes"]

# Cells that a step can reach: the others were reached around an edge.
_EAST = 0xFEFEFEFEFEFEFEFE
_WEST = 0x7F7F7F7F7F7F7F7F
_ALL = 0xFFFFFFFFFFFFFFFF


@njit
def up(bits, by, keep):
    """Return all cells moved one step towards higher bits."""
    return bits << np.uint64(by) & np.uint64(keep)


@njit
def down(bits, by, keep):
    """Return all cells moved one step towards lower bits."""
    return bits >> np.uint64(by) & np.uint64(keep)


@njit
def higher(near, occupied, board, by, keep):
    """Divide cells with an own piece one step higher by what a placement there does to the piece.

    `by` and `keep` are those of the step down.

    Returns:
        The cells from which the piece stays, moves, or leaves the board.
    """
    stays = near & down(down(occupied, by, keep), by, keep)
    inside = near & down(down(board, by, keep), by, keep)
    return stays, inside & ~stays, near & ~inside


@njit
def lower(near, occupied, board, by, keep):
    """Do the same as `higher` for a piece one step lower."""
    stays = near & up(up(occupied, by, keep), by, keep)
    inside = near & up(up(board, by, keep), by, keep)
    return stays, inside & ~stays, near & ~inside


@njit
def with_placed(front, rear, stays_front, stays_rear):
    """Return cells where the placed piece completes a line along one axis."""
    return stays_front & front | stays_rear & rear | stays_front & stays_rear


@njit
def threes(p, mine, theirs):
    """Return cells on which the owner of `mine`, who is to move, wins, and others that may win.

    All other cells do not win at once.
    """
    occupied = mine | theirs
    board = p.board
    empty = board & ~occupied
    # The own pieces next to each cell, and whether there are two in a row.
    west = up(mine, 1, _EAST)
    east = down(mine, 1, _WEST)
    north = up(mine, 8, _ALL)
    south = down(mine, 8, _ALL)
    north_west = up(mine, 9, _EAST)
    south_east = down(mine, 9, _WEST)
    north_east = up(mine, 7, _WEST)
    south_west = down(mine, 7, _EAST)
    two_west = west & up(west, 1, _EAST)
    two_east = east & down(east, 1, _WEST)
    two_north = north & up(north, 8, _ALL)
    two_south = south & down(south, 8, _ALL)
    two_north_west = north_west & up(north_west, 9, _EAST)
    two_south_east = south_east & down(south_east, 9, _WEST)
    two_north_east = north_east & up(north_east, 7, _WEST)
    two_south_west = south_west & down(south_west, 7, _EAST)
    # What a placement on each cell does to them.
    w_stays, w_moves, w_leaves = lower(west, occupied, board, 1, _EAST)
    e_stays, e_moves, e_leaves = higher(east, occupied, board, 1, _WEST)
    n_stays, n_moves, n_leaves = lower(north, occupied, board, 8, _ALL)
    s_stays, s_moves, s_leaves = higher(south, occupied, board, 8, _ALL)
    nw_stays, nw_moves, nw_leaves = lower(north_west, occupied, board, 9, _EAST)
    se_stays, se_moves, se_leaves = higher(south_east, occupied, board, 9, _WEST)
    ne_stays, ne_moves, ne_leaves = lower(north_east, occupied, board, 7, _WEST)
    sw_stays, sw_moves, sw_leaves = higher(south_west, occupied, board, 7, _EAST)
    leaves = (
        w_leaves | e_leaves | n_leaves | s_leaves | nw_leaves | se_leaves | ne_leaves | sw_leaves
    )
    # Cells that complete a line of pieces that stay, along each axis.
    row = two_west | two_east | west & east
    column = two_north | two_south | north & south
    falling = two_north_west | two_south_east | north_west & south_east
    rising = two_north_east | two_south_west | north_east & south_west
    won = (
        with_placed(two_west, two_east, w_stays, e_stays)
        | with_placed(two_north, two_south, n_stays, s_stays)
        | with_placed(two_north_west, two_south_east, nw_stays, se_stays)
        | with_placed(two_north_east, two_south_west, ne_stays, sw_stays)
    )
    # Two pushed pieces on one side of a 5 by 5 square, with the cell between them.
    won |= n_moves & (
        ne_moves & up(up(east, 8, _ALL), 8, _ALL) | nw_moves & up(up(west, 8, _ALL), 8, _ALL)
    )
    won |= s_moves & (
        se_moves & down(down(east, 8, _ALL), 8, _ALL)
        | sw_moves & down(down(west, 8, _ALL), 8, _ALL)
    )
    won |= w_moves & (
        nw_moves & up(up(north, 1, _EAST), 1, _EAST) | sw_moves & up(up(south, 1, _EAST), 1, _EAST)
    )
    won |= e_moves & (
        ne_moves & down(down(north, 1, _WEST), 1, _WEST)
        | se_moves & down(down(south, 1, _WEST), 1, _WEST)
    )
    # Two pushed pieces on neighbouring sides.
    won |= n_moves & (e_moves & ne_stays | w_moves & nw_stays)
    won |= s_moves & (e_moves & se_stays | w_moves & sw_stays)
    if count(mine) + 1 >= p.pieces:
        won |= ~leaves
    # One pushed piece. Along its own axis, the line is further ahead.
    across = column | falling | rising
    lands = w_moves & up(up(across | two_west, 1, _EAST), 1, _EAST)
    lands |= e_moves & down(down(across | two_east, 1, _WEST), 1, _WEST)
    across = row | falling | rising
    lands |= n_moves & up(up(across | two_north, 8, _ALL), 8, _ALL)
    lands |= s_moves & down(down(across | two_south, 8, _ALL), 8, _ALL)
    across = row | column | rising
    lands |= nw_moves & up(up(across | two_north_west, 9, _EAST), 9, _EAST)
    lands |= se_moves & down(down(across | two_south_east, 9, _WEST), 9, _WEST)
    across = row | column | falling
    lands |= ne_moves & up(up(across | two_north_east, 7, _WEST), 7, _WEST)
    lands |= sw_moves & down(down(across | two_south_west, 7, _EAST), 7, _EAST)
    # The other pieces stay for sure if only one own piece moves.
    once = w_moves | e_moves
    twice = w_moves & e_moves
    for moves in (n_moves, s_moves, nw_moves, se_moves, ne_moves, sw_moves):
        twice |= once & moves
        once |= moves
    unsure = twice | leaves
    won |= lands & ~unsure
    return won & empty, lands & unsure & empty & ~won
