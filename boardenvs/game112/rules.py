"""The rules of the 112 game: put a 1 or a 2 on an empty position, make 1, 1, 2 and win.

`s.cells` holds 0 for an empty position, else the value; positions past the board's
size stay empty. The rules read them as words with a bit a position.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.bits import show_bits
from boardenvs.chance import times
from boardenvs.outcome import end_in_draw, end_ply, end_with_winner, is_over

_EIGHT = 8
_LOW_BITS = np.uint64(0x0101010101010101)
_SIDE_BY_SIDE = np.uint64(0x0102040810204080)
"""Times this, the lowest bits of eight bytes come side by side in the highest byte."""


@njit
def first_eight(s):
    """The first eight positions as the bytes of a word."""
    word = np.uint64(0)
    for i in range(_EIGHT):  # one load, as in `boardenvs.bits`
        word |= np.uint64(np.uint8(s.cells[i])) << np.uint64(8 * i)
    return word


@njit
def board(p):
    """All positions, as bits."""
    return (np.uint64(1) << np.uint64(p.positions)) - np.uint64(1)


@njit
def with_bit(s, p, k):
    """The positions whose value has bit `k`, that is the value `k + 1`, as bits."""
    eight = (first_eight(s) >> np.uint64(k)) & _LOW_BITS
    ninth = np.uint64(s.cells[_EIGHT]) >> np.uint64(k) & np.uint64(1)
    return (times(eight, _SIDE_BY_SIDE) >> np.uint64(56) | ninth << np.uint64(_EIGHT)) & board(p)


@njit
def put(s, position, value):
    """Put a value on an empty position.

    The first eight are written as one word: a byte would have to reach memory before it could be
    read again as part of one.
    """
    word = first_eight(s)
    if position < _EIGHT:
        word |= np.uint64(value) << np.uint64(8 * position)
    for i in range(_EIGHT):
        s.cells[i] = np.int8(word >> np.uint64(8 * i) & np.uint64(0xFF))
    s.cells[_EIGHT] = value if position == _EIGHT else s.cells[_EIGHT]


@njit
def has_112(ones, twos):
    """Whether three neighbouring positions read 1, 1, 2."""
    return ones & ones >> np.uint64(1) & twos >> np.uint64(2) != np.uint64(0)


@njit
def twice(bits):
    """Each of the lowest sixteen bits twice, one beside the other."""
    x = bits
    x = (x | x << np.uint64(8)) & np.uint64(0x00FF00FF)
    x = (x | x << np.uint64(4)) & np.uint64(0x0F0F0F0F)
    x = (x | x << np.uint64(2)) & np.uint64(0x33333333)
    x = (x | x << np.uint64(1)) & np.uint64(0x55555555)
    return x | x << np.uint64(1)


@njit
def deal(s, p):
    """Nothing is left to chance."""


@njit
def legal(s, p, mask):
    """Either value on every empty position."""
    show_bits(mask, 0, twice(~(with_bit(s, p, 0) | with_bit(s, p, 1)) & board(p)), 2 * p.positions)


@njit
def judge(s, p):
    """See whether the move just made has ended the game."""
    ones = with_bit(s, p, 0)
    twos = with_bit(s, p, 1)
    if has_112(ones, twos):
        end_with_winner(s, 1 - s.to_move)
    elif ones | twos == board(p):
        end_in_draw(s)


@njit
def play(s, p, action):
    """Put value `action % 2 + 1` on position `action // 2`, counted from 0 at the left."""
    put(s, action >> 1, (action & 1) + 1)
    s.to_move = 1 - s.to_move
    judge(s, p)
    end_ply(s, p, action)


@njit
def observe(s, p, seat, out):
    """Planes: ones, twos, empty positions; the same for both seats."""
    size = np.uint64(p.positions)
    ones = with_bit(s, p, 0)
    twos = with_bit(s, p, 1)
    planes = ones | twos << size | (board(p) & ~(ones | twos)) << (size + size)
    show_bits(out, 0, planes, 3 * p.positions)


@njit
def redraw(s, p, seat, word):
    """Nothing is hidden; the stream is replaced all the same."""
    s.rng = word


@njit
def sound(s, p):
    """Whether each position is empty or holds a value, and as many are filled as plies played."""
    filled = 0
    for i in range(p.positions):
        if s.cells[i] < 0 or s.cells[i] > 2:
            return False
        filled += s.cells[i] != 0
    return filled == s.ply and (filled < p.positions or is_over(s))
