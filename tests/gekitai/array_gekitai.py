"""Gekitai as arrays over many games, see `array_game`."""

from __future__ import annotations

import numpy as np
from array_game import ArrayGame

STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def in_line(marked, length):
    """Return which boards, bool of shape (N, size, size), have `length` cells in a line."""
    size = marked.shape[1]
    found = np.zeros(len(marked), bool)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        rows, columns = size - down * (length - 1), size - abs(right) * (length - 1)
        first = length - 1 if right < 0 else 0
        run = np.ones((len(marked), max(rows, 0), max(columns, 0)), bool)
        for k in range(length):
            top, left = k * down, first + k * right
            run &= marked[:, top : top + rows, left : left + columns]
        found |= run.any((1, 2))
    return found


class Games(ArrayGame):
    """Many games. A cell is -1 if empty, else the seat. A rim of -2 surrounds the board."""

    def __init__(self, game, num):
        super().__init__(game, num)
        self.side = self.params["board_size"]
        self.board = np.full((num, self.side + 2, self.side + 2), -2)

    def begin(self, which, states):
        self.board[which, 1:-1, 1:-1] = -1

    @property
    def cells(self):
        return self.board[:, 1:-1, 1:-1]

    def answers(self):
        return self.cells.reshape(self.num, -1) == -1

    def play(self, which, actions):
        me = self.to_move[which]
        row, column = actions // self.side + 1, actions % self.side + 1
        self.board[which, row, column] = me
        for down, right in STEPS:
            near = self.board[which, row + down, column + right]
            r, c = row + 2 * down, column + 2 * right
            # Two steps from a neighbour on the rim, the cell does not matter.
            inside = (r >= 0) & (r < self.side + 2) & (c >= 0) & (c < self.side + 2)
            beyond = np.where(inside, self.board[which, r * inside, c * inside], -2)
            goes = (near >= 0) & (beyond < 0)
            self.board[which[goes], row[goes] + down, column[goes] + right] = -1
            lands = goes & (beyond == -1)
            self.board[which[lands], r[lands], c[lands]] = near[lands]
        self.to_move[which] = 1 - me
        won = []
        for seat in (0, 1):
            theirs = self.cells[which] == seat
            all_placed = theirs.sum((1, 2)) == self.params["pieces"]
            won.append(in_line(theirs, self.params["line_length"]) | all_placed)
        mine, theirs = np.where(me == 0, won, won[::-1])
        winner = np.where(mine, me, 1 - me)
        ended = mine | theirs
        self.end(which[ended], winner[ended], 1)

    def seen(self, seats):
        seats = np.asarray(seats)[:, None, None]
        yield self.cells == seats
        yield self.cells == 1 - seats
        yield self.cells == -1


def laws(game, states):
    """Yield each law of unfinished positions: its name, and where it holds."""
    pieces, over = states["pieces"], states["terminated"] | states["truncated"]
    counts = np.bitwise_count(pieces).astype(int)
    side = game.params["board_size"]
    board = sum(((1 << side) - 1) << 8 * row for row in range(side))
    yield "a cell holds one piece", pieces[:, 0] & pieces[:, 1] == 0
    yield "pieces are on the board", ((pieces[:, 0] | pieces[:, 1]) & ~np.uint64(board)) == 0
    yield "nobody has placed all", (counts < game.params["pieces"]).all(1) | over
    yield "they take turns", states["ply"] % 2 == states["to_move"]
    yield "pieces come one a ply", counts.sum(1) <= states["ply"]
    yield "every empty cell is legal", game.legal(states).sum(1) == side**2 - counts.sum(1)
