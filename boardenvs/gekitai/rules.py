"""The rules of Gekitai: place a piece, push the neighbours, line up or place all pieces.

`s.pieces[seat]` is the set of a player's cells as one 64-bit word with eight bits a row for every
board size: cell (row, column), counted from 0, is bit `8 * row + column`. Action `a` places a
piece on bit `p.bits[a]`, and `p.board` is the word of all cells. On a board of size 6:

    column     0   1   2   3   4   5
    row 0      0   1   2   3   4   5    6   7 are never set
    row 1      8   9  10  11  12  13   14  15 are never set
    row 2     16  17  18  19  20  21   ...

A step to the east rotates the word left by 1, a step to the south by 8. So a few operations move
all pieces of a player at once.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.core.bits import number_up_to
from boardenvs.core.outcome import end_ply, end_with_winner, is_over

_LEFT = 1, 8, 9, 7  # east, south, south-east, south-west
# How far each of the eight directions rotates a word left.
_TURN = np.array([*_LEFT, *(64 - k for k in _LEFT)], np.uint64)
# For each direction, the cells to keep: the others wrapped around to the opposite side.
_NOT_A = 0xFEFEFEFEFEFEFEFE
_NOT_H = 0x7F7F7F7F7F7F7F7F
_NOT_1 = 0xFFFFFFFFFFFFFF00
_NOT_8 = 0x00FFFFFFFFFFFFFF
_STAYS = np.array(
    [
        *(_NOT_A, _NOT_1, _NOT_A & _NOT_1, _NOT_H & _NOT_1),
        *(_NOT_H, _NOT_8, _NOT_H & _NOT_8, _NOT_A & _NOT_8),
    ],
    np.uint64,
)
_DIRECTIONS = len(_TURN)


@njit
def moved(bits, d):
    """Return all cells of a word moved one step in direction `d`."""
    left = _TURN[d]
    return (bits << left | bits >> (np.uint64(64) - left)) & _STAYS[d]


@njit
def ahead(bits, d):
    """Return all cells of a word moved one step forwards in direction `d`, 0 to 3."""
    return moved(bits, d)


@njit
def back(bits, d):
    """Return all cells of a word moved one step backwards in direction `d`, 0 to 3."""
    return moved(bits, d + _DIRECTIONS // 2)


@njit
def cell_bit(p, action):
    """Return the word with only the cell of an action."""
    return np.uint64(1) << p.bits[action]


@njit
def count(bits):
    """Return the number of cells in a word."""
    return np.int64(number_up_to(bits) >> np.uint64(56))


@njit
def has_three(bits):
    """Return whether a word has three cells in an unbroken row, column or diagonal."""
    not_a = np.uint64(_NOT_A)
    row = bits & bits << np.uint64(1) & not_a  # cells at which a line of two ends
    column = bits & bits << np.uint64(8)
    down = bits & bits << np.uint64(9) & not_a
    up = bits & bits << np.uint64(7) & np.uint64(_NOT_H)
    row &= row << np.uint64(1)
    column &= column << np.uint64(8)
    down &= down << np.uint64(9)
    up &= up << np.uint64(7)
    return row | column | down | up != np.uint64(0)


@njit
def has_line(bits, length):
    """Return whether a word has `length` >= 3 cells in an unbroken row, column or diagonal."""
    if length == 3 or not has_three(bits):
        return has_three(bits)
    for d in range(_DIRECTIONS // 2):
        run = bits  # cells at which a line of the current length ends
        for _ in range(length - 1):
            run = moved(run, d) & bits
        if run != np.uint64(0):
            return True
    return False


@njit
def satisfied(p, bits):
    """Return whether one player's pieces fulfil a condition of victory."""
    return has_line(bits, p.line) | (count(bits) >= p.pieces)


@njit
def pushed(p, mine, theirs, placed):
    """Return both players' cells after the piece at `placed` pushed its neighbours.

    A neighbouring piece moves one cell outward, or off the board, unless the next cell is
    occupied. Each of the eight pushes touches cells that no other push touches, so their order
    does not matter.
    """
    none = np.uint64(0)
    occupied = mine | theirs
    board = p.board
    flipped = none
    own = none
    for d in range(_DIRECTIONS):  # no early exit, so that LLVM vectorizes the loop
        near = moved(placed, d)
        onto = moved(near, d) & board
        moves = (near & occupied != none) & (onto & occupied == none)
        change = near | onto if moves else none
        flipped ^= change
        own ^= change if near & mine != none else none
    return mine ^ own | placed, theirs ^ flipped ^ own


@njit
def legal(s, p, mask):
    """Mark every empty cell."""
    occupied = s.pieces[0] | s.pieces[1]
    for a in range(p.side * p.side):
        mask[a] = occupied & np.uint64(1) << p.bits[a] == np.uint64(0)


@njit
def judge(s, p):
    """End the game if a player fulfils a condition; the player who just moved comes first."""
    mover = 1 - s.to_move
    mine = satisfied(p, s.pieces[mover])
    theirs = satisfied(p, s.pieces[s.to_move])
    if mine | theirs:
        end_with_winner(s, mover if mine else s.to_move)


@njit
def play(s, p, action):
    """Place a piece and push its neighbours."""
    me = s.to_move
    other = 1 - me
    mine, theirs = pushed(p, s.pieces[me], s.pieces[other], cell_bit(p, action))
    s.pieces[me] = mine
    s.pieces[other] = theirs
    s.to_move = other
    judge(s, p)
    end_ply(s, p, action)


@njit
def observe_row(s, p, seat, out):
    """Write the planes: the seat's pieces, the other player's pieces, empty cells."""
    size = p.side * p.side
    mine = s.pieces[seat]
    theirs = s.pieces[1 - seat]
    for a in range(size):
        bit = np.uint64(1) << p.bits[a]
        out[a] = mine & bit != np.uint64(0)
        out[size + a] = theirs & bit != np.uint64(0)
        out[2 * size + a] = (mine | theirs) & bit == np.uint64(0)


@njit
def sound(s, p):
    """Return whether no player has too many pieces, and an unfinished game has an empty cell."""
    occupied = s.pieces[0] | s.pieces[1]
    return (
        count(s.pieces[0]) <= p.pieces
        and count(s.pieces[1]) <= p.pieces
        and occupied & p.board == occupied
        and (occupied != p.board or is_over(s))
    )
