"""Gomoku as arrays over many games, see `array_game`."""

from __future__ import annotations

import numpy as np
from array_game import ArrayGame


def longest_and_exact(stones, length):
    """Return whether boards, shape (N, size, size), have runs of at least, or exactly, `length`."""
    num, size, _ = stones.shape
    least, exact = np.zeros(num, bool), np.zeros(num, bool)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        # Number of stones in line up to each cell, row by row or column by column.
        runs = np.zeros((num, size + 2, size + 2), int)
        if down:
            for r in range(1, size + 1):
                before = runs[:, r - 1, 1 - right : size + 1 - right]
                runs[:, r, 1:-1] = np.where(stones[:, r - 1], before + 1, 0)
        else:
            for c in range(1, size + 1):
                runs[:, 1:-1, c] = np.where(stones[:, :, c - 1], runs[:, 1:-1, c - 1] + 1, 0)
        inner = runs[:, 1:-1, 1:-1]
        follows = runs[:, 1 + down : size + 1 + down, 1 + right : size + 1 + right] > 0
        least |= (inner >= length).any((1, 2))
        exact |= ((inner == length) & ~follows).any((1, 2))
    return least, exact


class Games(ArrayGame):
    """Many games. A cell is -1 if empty, else the seat."""

    def __init__(self, game, num):
        super().__init__(game, num)
        self.side = self.params["board_size"]
        self.board = np.zeros((num, self.side, self.side), np.int8)

    def begin(self, which, states):
        self.board[which] = -1

    def answers(self):
        return self.board.reshape(self.num, -1) == -1

    def play(self, which, actions):
        me = self.to_move[which]
        self.board[which, actions // self.side, actions % self.side] = me
        least, exact = longest_and_exact(
            self.board[which] == me[:, None, None], self.params["win_length"]
        )
        won = exact if self.params["exact"] else least
        self.end(which[won], me[won], 1)
        full = (self.board[which] >= 0).all((1, 2))
        self.terminated[which] |= full
        self.to_move[which] = 1 - me

    def seen(self, seats):
        seats = np.asarray(seats)[:, None, None]
        yield self.board == seats
        yield self.board == 1 - seats
        yield self.board == -1


def laws(game, states):
    """Yield each law of unfinished positions: its name, and where it holds."""
    cells = states["cells"][:, : game.num_actions]
    black, white = (cells == 1).sum(1), (cells == 2).sum(1)
    yield "a stone a ply", black + white == states["ply"]
    yield (
        "they take turns",
        (black - white == states["to_move"]) & (states["ply"] % 2 == black - white),
    )
    yield "every empty cell is legal", (game.legal(states) == (cells == 0)).all(1)
    yield "nothing beside the board", (states["cells"][:, game.num_actions :] == 0).all(1)
