"""The rules of connect four.

`s.cells` holds the rows from the top: 0 for an empty cell, or 1 + the seat of its piece.
"""

import numpy as np

from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner


def legal(s, p, mask):
    """Set the mask of the columns that are not full."""
    for c in range(p.columns):
        mask[c] = s.cells[c] == 0


def play(s, p, action):
    """Drop a piece into a column. A new line or a full board ends the game."""
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
    """Return whether the piece in a cell is part of four in a line."""
    up, left = cell // p.columns, cell % p.columns
    down, right = p.rows - 1 - up, p.columns - 1 - left
    if follow(cells, cell, p.columns, down) >= 3:  # no piece is above it
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
    """Count the equal pieces that follow a cell in steps of `step`, at most `most`."""
    piece = cells[cell]
    count = 0
    while count < most and cells[cell + step] == piece:
        cell += step
        count += 1
    return count


def judge(s, p):
    """End the game of a board that was set up by hand, if it has a line or is full."""
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
    """Write the planes: own pieces, the other player's pieces, empty cells."""
    size = p.rows * p.columns
    mine, theirs = np.int8(1 + seat), np.int8(2 - seat)
    for cell in range(size):
        row[cell] = s.cells[cell] == mine
        row[size + cell] = s.cells[cell] == theirs
        row[2 * size + cell] = s.cells[cell] == 0
