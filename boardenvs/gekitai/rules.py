"""The rules of Gekitai: place a piece, push the neighbours, line up or place them all.

The board is one 64-bit word a colour, eight bits a row whatever the board size:
cell (row, column) is bit `8 * row + column`. A step in one of the eight directions
is then a shift of the whole word, and a cell off the board is a bit outside of
`p.board`, the word of all cells.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.outcome import end_ply, end_with_winner, is_over

# East, south, south-east, south-west; the other four are the same shifts backwards.
_SHIFT = np.array([1, 8, 9, 7], np.uint64)
_NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
# A step east out of the eighth column would come in again at the first: what may be
# left of a word after a step forwards, and after one backwards.
_FORWARD = np.array([_NOT_A, _ALL, _NOT_A, _NOT_H], np.uint64)
_BACKWARD = np.array([_NOT_H, _ALL, _NOT_H, _NOT_A], np.uint64)


@njit
def ahead(bits, d):
    """All cells of a word one step forwards in direction `d`."""
    return (bits << _SHIFT[d]) & _FORWARD[d]


@njit
def back(bits, d):
    """All cells of a word one step backwards in direction `d`."""
    return (bits >> _SHIFT[d]) & _BACKWARD[d]


@njit
def cell_bit(p, action):
    """The word with the one cell of an action."""
    return np.uint64(1) << np.uint64(8 * (action // p.side) + action % p.side)


@njit
def count(bits):
    """How many cells a word has, by adding neighbouring fields of 1, 2, 4, ... bits."""
    x = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    x += x >> np.uint64(8)
    x += x >> np.uint64(16)
    x += x >> np.uint64(32)
    return np.int64(x & np.uint64(0x7F))


@njit
def has_line(bits, length):
    """Whether a word has `length` cells in an unbroken row, column or diagonal."""
    for d in range(4):
        run = bits  # cells at which a line of the length so far ends
        for _ in range(length - 1):
            run = ahead(run, d) & bits
        if run != np.uint64(0):
            return True
    return False


@njit
def satisfied(p, bits):
    """Whether one player's pieces fulfil a condition of victory."""
    return has_line(bits, p.line) or count(bits) >= p.pieces


@njit
def push(p, occupied, neighbour, beyond):
    """The cells to flip when the piece on `neighbour`, if any, is pushed to `beyond`.

    That is the cell it leaves and, if it stays on the board, the cell it reaches; none
    where no piece stands or the way is blocked.
    """
    onto = beyond & p.board
    moves = (neighbour & occupied != np.uint64(0)) & (onto & occupied == np.uint64(0))
    return neighbour | onto if moves else np.uint64(0)


@njit
def pushed(p, mine, theirs, placed):
    """Both players' cells after the piece at `placed` pushed its neighbours.

    The eight pushes read the board as it was: each touches cells that no other one
    does, so their order is of no account.
    """
    occupied = mine | theirs
    was_mine = mine
    for d in range(4):
        near = ahead(placed, d)
        change = push(p, occupied, near, ahead(near, d))
        own = change if near & was_mine != np.uint64(0) else np.uint64(0)
        mine ^= own
        theirs ^= change ^ own
        near = back(placed, d)
        change = push(p, occupied, near, back(near, d))
        own = change if near & was_mine != np.uint64(0) else np.uint64(0)
        mine ^= own
        theirs ^= change ^ own
    return mine | placed, theirs


@njit
def deal(s, p):
    """Nothing is left to chance."""


@njit
def legal(s, p, mask):
    """Every empty cell."""
    occupied = s.pieces[0] | s.pieces[1]
    for a in range(p.side * p.side):  # every cell alike, so that LLVM takes several at once
        mask[a] = (occupied >> p.bits[a]) & np.uint64(1) == np.uint64(0)


@njit
def judge(s, p):
    """See whether the move just made has ended the game; its mover's conditions come first."""
    mover = 1 - s.to_move
    if satisfied(p, s.pieces[mover]):
        end_with_winner(s, mover)
    elif satisfied(p, s.pieces[s.to_move]):
        end_with_winner(s, s.to_move)


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
def observe(s, p, seat, out):
    """Planes: the seat's pieces, the other player's, empty cells."""
    size = p.side * p.side
    mine = s.pieces[seat]
    theirs = s.pieces[1 - seat]
    empty = ~(mine | theirs)
    for a in range(size):
        out[a] = (mine >> p.bits[a]) & np.uint64(1)
    for a in range(size):
        out[size + a] = (theirs >> p.bits[a]) & np.uint64(1)
    for a in range(size):
        out[2 * size + a] = (empty >> p.bits[a]) & np.uint64(1)


@njit
def redraw(s, p, seat, word):
    """Nothing is hidden; the stream is replaced all the same."""
    s.rng = word


@njit
def sound(s, p):
    """Whether nobody has more pieces on the board than there are, and a live game an empty cell."""
    occupied = s.pieces[0] | s.pieces[1]
    return (
        count(s.pieces[0]) <= p.pieces
        and count(s.pieces[1]) <= p.pieces
        and occupied & p.board == occupied
        and (occupied != p.board or is_over(s))
    )
