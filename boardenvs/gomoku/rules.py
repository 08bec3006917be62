"""The rules of Gomoku: place a stone; the first player with five stones in a row wins.

`s.cells` holds the board row by row, `p.side` cells a row: 0 for an empty intersection, 1 for a
black stone, 2 for a white one. Cells past the board's end stay empty. Stones stay on the board, so
`s.ply` is their number.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner, is_over


@njit
def wins(p, length):
    """Return whether a line of exactly `length` stones wins."""
    return length == p.line if p.exact else length >= p.line


@njit
def reach(cells, cell, step, room):
    """Return the number of stones of a cell's colour that follow it in steps of `step`.

    The search stops after `room` steps.
    """
    stone = cells[cell]
    count = 0
    while count < room and cells[cell + step] == stone:
        cell += step
        count += 1
    return count


@njit
def lines(p, cell):
    """Return the step, the room ahead and the room behind of each line through a cell."""
    side = p.side
    up = cell // side
    left = cell - up * side
    down = side - 1 - up
    right = side - 1 - left
    return (
        (1, right, left),
        (side, down, up),
        (side + 1, min(down, right), min(up, left)),
        (side - 1, min(down, left), min(up, right)),
    )


@njit
def wins_through(cells, p, action):
    """Return whether the stone on a cell is part of a row, column or diagonal that wins."""
    for step, ahead, behind in lines(p, action):
        length = 1 + reach(cells, action, step, ahead) + reach(cells, action, -step, behind)
        if wins(p, length):
            return True
    return False


@njit
def legal(s, p, mask):
    """Mark every empty intersection."""
    cells = s.cells
    for a in range(p.side * p.side):
        mask[a] = cells[a] == 0


@njit
def judge(s, p):
    """End the game of a board that was set up by hand, if it has a line or is full.

    If both colours have a line, which no game leads to, the player who moved last wins.
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
    """Place a stone, and check the lines through it."""
    me = s.to_move
    s.cells[action] = me + 1
    s.to_move = 1 - me
    if wins_through(s.cells, p, action):
        end_with_winner(s, me)
    elif s.ply + 1 == p.side * p.side:
        end_in_draw(s)
    end_ply(s, p, action)


@njit
def observe_row(s, p, seat, out):
    """Write the planes: the seat's stones, the other player's stones, empty intersections."""
    cells = s.cells
    size = p.side * p.side
    mine = np.int8(seat + 1)
    theirs = np.int8(2 - seat)
    for a in range(size):
        out[a] = cells[a] == mine
        out[size + a] = cells[a] == theirs
        out[2 * size + a] = cells[a] == 0


@njit
def sound(s, p):
    """Return whether each intersection is empty or a stone, with one stone for each ply."""
    cells = s.cells
    size = p.side * p.side
    stones = 0
    other = 0
    for a in range(size):
        stones += cells[a] != 0
        other |= cells[a] < 0
        other |= cells[a] > 2
    return other == 0 and stones == s.ply and (stones < size or is_over(s))
