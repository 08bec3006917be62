"""The rules of connect four.

`s.cells` holds the board row by row, from the top: 0, or 1 + the seat whose piece is there.
"""

import numpy as np

from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner


def legal(s, p, mask):
    """Any column that has room."""
    for c in range(p.columns):
        mask[c] = s.cells[c] == 0


def play(s, p, action):
    """Drop a piece into a column. Only a line through it can be new."""
    me = s.to_move
    cell = (p.rows - 1) * p.columns + action
    while s.cells[cell] != 0:
        cell -= p.columns
    s.cells[cell] = 1 + me
    s.to_move = 1 - me
    if wins(s.cells, p, cell):
        end_with_winner(s, me)
    elif s.ply + 1 == p.rows * p.columns:
        end_in_draw(s)
    end_ply(s, p, action)


def wins(cells, p, cell):
    """Whether the piece of a cell is one of four in a column, a row or a diagonal."""
    up, left = cell // p.columns, cell % p.columns
    down, right = p.rows - 1 - up, p.columns - 1 - left
    if follow(cells, cell, p.columns, down) >= 3:  # above it there is none
        return True
    for step, ahead, behind in (
        (1, right, left),
        (p.columns + 1, min(down, right), min(up, left)),
        (p.columns - 1, min(down, left), min(up, right)),
    ):
        if follow(cells, cell, step, ahead) + follow(cells, cell, -step, behind) >= 3:
            return True
    return False


def follow(cells, cell, step, most):
    """How many pieces like that of a cell follow it, each `step` cells on, at most `most`."""
    piece = cells[cell]
    count = 0
    while count < most and cells[cell + step] == piece:
        cell += step
        count += 1
    return count


def judge(s, p):
    """Look all over a board that was set up by hand for its end; `play` need not."""
    last = 1 - s.to_move
    full = True
    for cell in range(p.rows * p.columns):
        if s.cells[cell] == 0:
            full = False
        elif s.cells[cell] == 1 + last and wins(s.cells, p, cell):
            end_with_winner(s, last)
            return
    if full:
        end_in_draw(s)


def observe_row(s, p, seat, row):
    """Planes, written as one row: own pieces, the other's, empty cells."""
    size = p.rows * p.columns
    mine, theirs = np.int8(1 + seat), np.int8(2 - seat)
    for cell in range(size):
        row[cell] = s.cells[cell] == mine
        row[size + cell] = s.cells[cell] == theirs
        row[2 * size + cell] = s.cells[cell] == 0
