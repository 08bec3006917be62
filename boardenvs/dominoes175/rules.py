"""The rules of Dominoes 175: turn over a tile, put it on a stack where it matches.

A tile is a number from 0 to 27, its ends are `LOW[tile]` and `HIGH[tile]`; an end is a
number of dots. `s.grid` is the tile dealt to each cell, row by row, `s.taken` is 1 where
it was turned over, `s.hand` the tile in hand or -1. On a stack neighbours match, so
one row of `s.dots` says all: its first entry is the bottom end of the lowest tile, each
further one the top end of the next, and the rest -1; `s.heights` counts the tiles.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.bits import show_bits
from boardenvs.chance import draw, times
from boardenvs.outcome import end_ply, end_with_loser, end_with_winner, is_over

CELLS = 28
"""Of the grid, as many as tiles in the set."""
STACKS = 3
GOAL = 6
"""Height of a stack that wins."""
ENDS = 7
"""Numbers of dots an end may have."""

# The tile with the ends low <= high is number `high * (high + 1) / 2 + low`.
LOW = np.array([low for high in range(ENDS) for low in range(high + 1)], np.int8)
HIGH = np.array([high for high in range(ENDS) for low in range(high + 1)], np.int8)

# Where each part of the observation begins.
SEEN_CELLS = 0
SEEN_TILES = SEEN_CELLS + CELLS
SEEN_LOW = SEEN_TILES + CELLS
SEEN_HIGH = SEEN_LOW + ENDS
SEEN_STACKS = SEEN_HIGH + ENDS
PER_STACK = ENDS + GOAL
OBSERVED = SEEN_STACKS + STACKS * PER_STACK

_SEEN_IN_HAND = np.array(
    [
        *(
            1 << low | 1 << (ENDS + high)
            for low, high in zip(LOW.tolist(), HIGH.tolist(), strict=True)
        ),
        0,
    ],
    np.uint64,
)
"""The ends of each tile as the observation has them, as bits; last, none."""
_LOW_BITS = np.uint64(0x0101010101010101)
_SIDE_BY_SIDE = np.uint64(0x0102040810204080)
"""Times this, the lowest bits of eight bytes come side by side in the highest byte."""


@njit
def top(s, k):
    """The dots on top of stack `k`; -1 if it is empty."""
    height = s.heights[k]
    dots = s.dots[k, np.uint64(height)]  # whatever it is: a choice of values needs no jump
    return np.int8(-1) if height == 0 else dots


@njit
def ways(s):
    """How the tile in hand may be played, as bits: `2 * k`, plus 1 with the smaller end up."""
    low = LOW[max(s.hand, 0)]
    high = HIGH[max(s.hand, 0)]
    found = np.uint64(0)
    for k in range(STACKS):
        under = top(s, k)
        large_up = (under < 0) | (under == low)
        small_up = ((under < 0) | (under == high)) & (low != high)  # a double has one way only
        found |= np.uint64(large_up) << np.uint64(2 * k) | np.uint64(small_up) << np.uint64(
            2 * k + 1
        )
    return found if s.hand >= 0 else np.uint64(0)


@njit
def taken_words(s):
    """The cells that were turned over, each a byte, as three words of eight and one of four."""
    a = b = c = d = np.uint64(0)
    for k in range(8):  # a load each, as in `boardenvs.bits`
        a |= np.uint64(np.uint8(s.taken[k])) << np.uint64(8 * k)
        b |= np.uint64(np.uint8(s.taken[8 + k])) << np.uint64(8 * k)
        c |= np.uint64(np.uint8(s.taken[16 + k])) << np.uint64(8 * k)
    for k in range(4):
        d |= np.uint64(np.uint8(s.taken[24 + k])) << np.uint64(8 * k)
    return a, b, c, d


@njit
def take(s, cell):
    """Mark a cell as turned over, if it is one.

    All are written as words: a byte would have to reach memory before it could be read again as
    part of one.
    """
    a, b, c, d = taken_words(s)
    mark = np.uint64(1) << np.uint64(8 * (cell & 7))
    place = cell >> 3
    a |= mark if place == 0 else np.uint64(0)
    b |= mark if place == 1 else np.uint64(0)
    c |= mark if place == 2 else np.uint64(0)
    d |= mark if (cell >= 24) & (cell < CELLS) else np.uint64(0)
    byte = np.uint64(0xFF)
    for k in range(8):
        s.taken[k] = np.int8(a >> np.uint64(8 * k) & byte)
    for k in range(8):
        s.taken[8 + k] = np.int8(b >> np.uint64(8 * k) & byte)
    for k in range(8):
        s.taken[16 + k] = np.int8(c >> np.uint64(8 * k) & byte)
    for k in range(4):
        s.taken[24 + k] = np.int8(d >> np.uint64(8 * k) & byte)


@njit
def side_by_side(word):
    """The lowest bits of eight bytes as one byte."""
    return times(word & _LOW_BITS, _SIDE_BY_SIDE) >> np.uint64(56)


@njit
def cells_left(s):
    """The cells not turned over, as bits."""
    a, b, c, d = taken_words(s)
    taken = side_by_side(a) | side_by_side(b) << np.uint64(8)
    taken |= side_by_side(c) << np.uint64(16) | side_by_side(d) << np.uint64(24)
    return taken ^ np.uint64((1 << CELLS) - 1)


@njit
def tiles_left(s):
    """The tiles not turned over, as bits."""
    seen = np.uint64(0)
    for cell in range(CELLS):
        seen |= np.uint64(np.uint8(s.taken[cell])) << np.uint64(np.uint8(s.grid[cell]))
    return seen ^ np.uint64((1 << CELLS) - 1)


@njit
def deal(s, p):
    """Lay out the given deck, or all tiles shuffled."""
    for cell in range(CELLS):
        s.grid[cell] = p.deck[cell]
        if p.shuffled:
            swap(s, cell, draw(s, cell + 1))


@njit
def swap(s, cell, other):
    """Two tiles of the grid change places."""
    tile = s.grid[cell]
    s.grid[cell] = s.grid[other]
    s.grid[other] = tile


@njit
def shuffle_unseen(s):
    """Shuffle the tiles that were not turned over among their cells, as `deal` does all."""
    left = 0
    for cell in range(CELLS):
        if s.taken[cell] == 0:
            k = draw(s, left + 1)
            left += 1
            other = -1
            while k >= 0:  # find the k-th of the cells that were not turned over
                other += 1
                k -= s.taken[other] == 0
            swap(s, cell, other)


@njit
def legal(s, p, mask):
    """Without a tile in hand the cells that are left, else the ways to play it."""
    turns = cells_left(s)
    plays = ways(s) << np.uint64(CELLS)
    show_bits(mask, 0, turns if s.hand < 0 else plays, CELLS + 2 * STACKS)


@njit
def judge(s, p):
    """A stack of six wins; a tile in hand that fits nowhere loses."""
    won = max(s.heights[0], s.heights[1], s.heights[2]) >= GOAL
    lost = (s.hand >= 0) & (ways(s) == np.uint64(0))
    if won | lost:
        if lost:
            end_with_loser(s, 0)
        else:
            end_with_winner(s, 0)


@njit
def play(s, p, action):
    """Turn over the tile of cell `action`, or play the one in hand.

    Nobody foresees which, so both are done, each to no effect if it is the other.
    """
    turns = action < CELLS
    take(s, action)
    tile = s.grid[np.uint64(action if turns else 0)]
    way = np.uint64(0 if turns else action - CELLS)
    k = way >> np.uint64(1)
    held = max(s.hand, 0)
    low = LOW[held]
    high = HIGH[held]
    small_up = way & np.uint64(1) != np.uint64(0)
    height = s.heights[k]
    above = np.uint64(min(height + 1, GOAL))
    lowest = s.dots[k, 0]
    next_ = s.dots[k, above]
    s.dots[k, 0] = lowest if turns | (height > 0) else (high if small_up else low)
    s.dots[k, above] = next_ if turns else (low if small_up else high)
    s.heights[k] = height if turns else height + 1
    s.hand = tile if turns else -1
    judge(s, p)
    end_ply(s, p, action)


@njit
def observe(s, p, seat, out):
    """Cells left, tiles not seen, ends of the tile in hand, top and height of each stack."""
    show_bits(out, SEEN_CELLS, cells_left(s), CELLS)
    show_bits(out, SEEN_TILES, tiles_left(s), CELLS)
    rest = _SEEN_IN_HAND[s.hand if s.hand >= 0 else CELLS]
    for k in range(STACKS):
        seen = np.uint64(1) << np.uint64(s.heights[k])
        seen = (seen - np.uint64(1)) << np.uint64(ENDS)
        dots = top(s, k)
        seen |= np.uint64(dots >= 0) << np.uint64(max(dots, 0))
        rest |= seen << np.uint64(SEEN_STACKS - SEEN_LOW + k * PER_STACK)
    show_bits(out, SEEN_LOW, rest, OBSERVED - SEEN_LOW)


@njit
def redraw(s, p, seat, word):
    """Replace the stream, and deal the tiles not turned over anew among their cells."""
    s.rng = word
    shuffle_unseen(s)


@njit
def sound(s, p):
    """Whether there are such tiles and dots, and cells enough to turn over until the game ends."""
    over = is_over(s)
    if s.hand < -1 or s.hand >= CELLS:
        return False
    # The tiles of stacks that are not six high yet, and one more, end any game.
    spare = CELLS - STACKS * (GOAL - 1) - 1 + np.int64(s.hand >= 0)
    for k in range(STACKS):
        height = s.heights[k]
        if height < 0 or height > GOAL or (height == GOAL and not over):
            return False
        spare += height
        for i in range(GOAL + 1):
            if s.dots[k, i] < -1 or s.dots[k, i] >= ENDS:
                return False
        if height > 0 and top(s, k) < 0:
            return False
    for cell in range(CELLS):
        if s.taken[cell] < 0 or s.taken[cell] > 1 or s.grid[cell] < 0 or s.grid[cell] >= CELLS:
            return False
        spare -= s.taken[cell]
    return spare >= 0 and (over or s.hand < 0 or ways(s) != np.uint64(0))
