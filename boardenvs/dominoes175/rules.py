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

from boardenvs.chance import draw
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


@njit
def top(s, k):
    """The dots on top of stack `k`; -1 if it is empty."""
    return np.int8(-1) if s.heights[k] == 0 else s.dots[k, s.heights[k]]


@njit
def may_play(s, k, small_up):
    """Whether the tile in hand may go on stack `k` with that end on top."""
    low = LOW[s.hand]
    high = HIGH[s.hand]
    if low == high and small_up:
        return False  # a double has one way only
    under = high if small_up else low
    return s.heights[k] == 0 or top(s, k) == under


@njit
def fits_somewhere(s):
    """Whether the tile in hand may go on any stack."""
    for k in range(STACKS):
        if may_play(s, k, False) or may_play(s, k, True):
            return True
    return False


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
    for cell in range(CELLS):
        mask[cell] = s.hand < 0 and s.taken[cell] == 0
    for k in range(STACKS):
        mask[CELLS + 2 * k] = s.hand >= 0 and may_play(s, k, False)
        mask[CELLS + 2 * k + 1] = s.hand >= 0 and may_play(s, k, True)


@njit
def judge(s, p):
    """A stack of six wins; a tile in hand that fits nowhere loses."""
    for k in range(STACKS):
        if s.heights[k] >= GOAL:
            end_with_winner(s, 0)
    if s.hand >= 0 and not fits_somewhere(s):
        end_with_loser(s, 0)


@njit
def turn_over(s, cell):
    """Take the tile of a cell in hand."""
    s.taken[cell] = 1
    s.hand = s.grid[cell]


@njit
def put(s, k, small_up):
    """Put the tile in hand on stack `k`."""
    low = LOW[s.hand]
    high = HIGH[s.hand]
    if s.heights[k] == 0:
        s.dots[k, 0] = high if small_up else low
    s.heights[k] += 1
    s.dots[k, s.heights[k]] = low if small_up else high
    s.hand = -1


@njit
def play(s, p, action):
    """Turn over the tile of cell `action`, or play the one in hand."""
    if action < CELLS:
        turn_over(s, action)
    else:
        put(s, (action - CELLS) // 2, (action - CELLS) % 2 == 1)
    judge(s, p)
    end_ply(s, p, action)


@njit
def observe(s, p, seat, out):
    """Cells left, tiles not seen, ends of the tile in hand, top and height of each stack."""
    for i in range(SEEN_LOW, OBSERVED):
        out[i] = 0
    for cell in range(CELLS):
        left = np.int8(1) - s.taken[cell]
        out[SEEN_CELLS + cell] = left
        out[SEEN_TILES + s.grid[cell]] = left
    if s.hand >= 0:
        out[SEEN_LOW + LOW[s.hand]] = 1
        out[SEEN_HIGH + HIGH[s.hand]] = 1
    for k in range(STACKS):
        first = SEEN_STACKS + k * PER_STACK
        if s.heights[k] > 0:
            out[first + top(s, k)] = 1
        for height in range(s.heights[k]):
            out[first + ENDS + height] = 1


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
    return spare >= 0 and (over or s.hand < 0 or fits_somewhere(s))
