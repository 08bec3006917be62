"""The rules of Dominoes 175: turn over a tile, and put it on a stack that it matches.

A tile is a number from 0 to 27 with the ends `LOW[tile]` and `HIGH[tile]`; an end is a number of
dots. `s.grid` is the tile dealt to each cell, row by row. `s.taken` is 1 for each cell whose tile
was turned over. `s.hand` is the tile in hand or -1. Neighbours on a stack match, so one row of
`s.dots` holds the whole stack: first the bottom end of the lowest tile, then the top end of each
tile, then -1. `s.heights` counts the tiles.

`tiles_left` is a set of bits in a 64-bit word, from which an observation is written fast. Tile `t`
is bit `t`: with tiles 0, 2 and 3 left the word ends in `...0001101`.
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
"""Number of cells of the grid and of tiles in the set."""
STACKS = 3
GOAL = 6
"""Height of a stack that wins."""
ENDS = 7
"""Number of different ends, 0 to 6 dots."""

# The tile with the ends low <= high is number `high * (high + 1) / 2 + low`.
LOW = np.array([low for high in range(ENDS) for low in range(high + 1)], np.int8)
HIGH = np.array([high for high in range(ENDS) for low in range(high + 1)], np.int8)

# First index of each part of the observation.
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
    dots = s.dots[k, np.uint64(height)]  # read in any case, since a selection needs no branch
    return np.int8(-1) if height == 0 else dots


@njit
def fits(s, way):
    """Return whether the tile in hand can be played in a way.

    Way `2 * k` puts the tile on stack `k` with its larger end up, `2 * k + 1` with its smaller one.
    """
    if s.hand < 0:
        return False
    under = top(s, way // 2)
    low = LOW[s.hand]
    high = HIGH[s.hand]
    if way % 2 == 0:
        return under < 0 or under == low
    return low != high and (under < 0 or under == high)  # a double has only one way


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
    """Deal the given deck, or a shuffled set."""
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
    """Shuffle the tiles that were not turned over among their cells."""
    left = 0
    for cell in range(CELLS):
        if s.taken[cell] == 0:
            k = draw(s, left + 1)
            left += 1
            other = -1
            while k >= 0:  # find the k-th cell that is not taken
                other += 1
                k -= s.taken[other] == 0
            swap(s, cell, other)


@njit
def legal(s, p, mask):
    """Mark the cells that are left, or the ways to play the tile in hand."""
    taken = s.taken
    turns = s.hand < 0
    for cell in range(CELLS):
        mask[cell] = turns and taken[cell] == 0
    for way in range(2 * STACKS):
        mask[CELLS + way] = fits(s, way)


@njit
def judge(s, p):
    """End the game if the tile in hand fits nowhere, or a stack has six tiles."""
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
    """Write cells left, unseen tiles, ends of the tile in hand, top and height of each stack."""
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
    """Return whether tiles and dots are valid, and enough cells are left for the game to end."""
    over = is_over(s)
    if s.hand < -1 or s.hand >= CELLS:
        return False
    # A game ends at the latest with one tile more than three stacks of five.
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
