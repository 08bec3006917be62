"""The rules of Dominoes 175: turn over a tile, put it on a stack where it matches.

A tile is a number from 0 to 27, its ends are `LOW[tile]` and `HIGH[tile]`; an end is a
number of dots. `s.grid` is the tile dealt to each cell, row by row, `s.taken` is 1 where
it was turned over, `s.hand` the tile in hand or -1. On a stack neighbours match, so
one row of `s.dots` holds the whole stack: its first entry is the bottom end of the lowest tile,
each further one the top end of the next, and the rest -1; `s.heights` counts the tiles.

Only `tiles_left` is a set of bits in a 64-bit word, since an observation is faster written
from one. Tile `t` is bit `t`: with tiles 0, 2 and 3 left the word ends in `...0001101`.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.core.bits import show_bits
from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_ply, end_with_loser, end_with_winner, is_over

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
    """Return the dots on top of stack `k`; -1 if it is empty."""
    height = s.heights[k]
    dots = s.dots[k, np.uint64(height)]  # whatever it is: a choice of values needs no jump
    return np.int8(-1) if height == 0 else dots


@njit
def fits(s, way):
    """Return whether the tile in hand can be played in a way.

    Way `2 * k` puts it on stack `k` with its larger end up, `2 * k + 1` with its smaller end up.
    """
    if s.hand < 0:
        return False
    under = top(s, way // 2)
    low = LOW[s.hand]
    high = HIGH[s.hand]
    if way % 2 == 0:
        return under < 0 or under == low
    return low != high and (under < 0 or under == high)  # a double has one way only


@njit
def fits_somewhere(s):
    """Return whether the tile in hand can be played on any stack."""
    found = False
    for way in range(2 * STACKS):
        found |= fits(s, way)
    return found


@njit
def tiles_left(s):
    """Return the tiles not turned over as a word: tile `t` is bit `t`."""
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
    """Swap two tiles of the grid."""
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
    """Mark the cells that are left or, with a tile in hand, the ways to play it."""
    taken = s.taken
    turns = s.hand < 0
    for cell in range(CELLS):
        mask[cell] = turns and taken[cell] == 0
    for way in range(2 * STACKS):
        mask[CELLS + way] = fits(s, way)


@njit
def judge(s, p):
    """End the game: a tile in hand that fits nowhere loses, a stack of six wins."""
    if s.hand >= 0 and not fits_somewhere(s):
        end_with_loser(s, 0)
    elif max(s.heights[0], s.heights[1], s.heights[2]) >= GOAL:
        end_with_winner(s, 0)


@njit
def play(s, p, action):
    """Turn over the tile of cell `action`, or play the tile in hand in way `action - CELLS`."""
    if action < CELLS:
        s.taken[action] = 1
        s.hand = s.grid[action]
    else:
        k = (action - CELLS) // 2
        small_up = (action - CELLS) % 2 == 1
        low = LOW[s.hand]
        high = HIGH[s.hand]
        if s.heights[k] == 0:
            s.dots[k, 0] = high if small_up else low
        s.heights[k] += 1
        s.dots[k, s.heights[k]] = low if small_up else high
        s.hand = -1
    judge(s, p)
    end_ply(s, p, action)


@njit
def observe_row(s, p, seat, out):
    """Write cells left, tiles not seen, ends of the tile in hand, top and height of each stack."""
    taken = s.taken
    for cell in range(CELLS):
        out[SEEN_CELLS + cell] = taken[cell] == 0
    show_bits(out, SEEN_TILES, tiles_left(s), CELLS)
    for i in range(SEEN_LOW, OBSERVED):
        out[i] = 0
    if s.hand >= 0:
        out[SEEN_LOW + LOW[s.hand]] = 1
        out[SEEN_HIGH + HIGH[s.hand]] = 1
    for k in range(STACKS):
        first = SEEN_STACKS + k * PER_STACK
        height = s.heights[k]
        if height > 0:
            out[first + top(s, k)] = 1
        for i in range(GOAL):
            out[first + ENDS + i] = height > i


@njit
def redraw(s, p, seat, stream):
    """Replace the stream, and shuffle the tiles not turned over among their cells."""
    s.rng = stream
    shuffle_unseen(s)


@njit
def sound(s, p):
    """Return whether tiles and dots exist, and enough cells are left for the game to end."""
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
