"""The rules of Gomoku: place a stone, be the first with five of them in a row.

`s.cells` holds the board row by row, `p.side` cells a row: 0 for an empty
intersection, else the stone, 1 for black and 2 for white. Cells past the board's end
stay empty. Nothing is ever taken off the board, so `s.ply` is the number of stones.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.outcome import end_in_draw, end_ply, end_with_winner


@njit
def wins(p, length):
    """Whether so many stones in a row, bounded at both ends, win."""
    return length == p.line if p.exact else length >= p.line


@njit
def reach(cells, p, row, column, down, right):
    """How many stones of the colour at a cell follow it in one direction."""
    stone = cells[row * p.side + column]
    count = 0
    while True:
        row += down
        column += right
        if row < 0 or column < 0 or row >= p.side or column >= p.side:
            return count
        if cells[row * p.side + column] != stone:
            return count
        count += 1


@njit
def wins_through(cells, p, action):
    """Whether the stone on a cell is part of a row, column or diagonal that wins."""
    row = action // p.side
    column = action - row * p.side
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = reach(cells, p, row, column, down, right)
        length += 1 + reach(cells, p, row, column, -down, -right)
        if wins(p, length):
            return True
    return False


@njit
def deal(s, p):
    """Nothing is left to chance."""


@njit
def legal(s, p, mask):
    """Every empty intersection."""
    cells = s.cells
    for a in range(p.side * p.side):
        mask[a] = cells[a] == 0


@njit
def judge(s, p):
    """Look all over a board that was set up by hand for its end; `play` need not.

    Should both colours have won, which no game leads to, the player who moved last has.
    """
    winner = -1
    full = True
    for a in range(p.side * p.side):
        stone = s.cells[a]
        if stone == 0:
            full = False
        elif wins_through(s.cells, p, a) and winner != 1 - s.to_move:
            winner = stone - 1
    if winner >= 0:
        end_with_winner(s, winner)
    elif full:
        end_in_draw(s)


@njit
def play(s, p, action):
    """Place a stone. Only a line through it can be new."""
    me = s.to_move
    s.cells[action] = me + 1
    s.to_move = 1 - me
    if wins_through(s.cells, p, action):
        end_with_winner(s, me)
    elif s.ply + 1 == p.side * p.side:
        end_in_draw(s)
    end_ply(s, p, action)


@njit
def observe(s, p, seat, out):
    """Planes: the seat's stones, the other player's, empty intersections."""
    cells = s.cells
    size = p.side * p.side
    mine = np.int8(seat + 1)
    theirs = np.int8(2 - seat)
    for a in range(size):
        out[a] = cells[a] == mine
        out[size + a] = cells[a] == theirs
        out[2 * size + a] = cells[a] == 0


@njit
def redraw(s, p, seat, word):
    """Nothing is hidden; the stream is replaced all the same."""
    s.rng = word
