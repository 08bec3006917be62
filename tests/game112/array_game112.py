"""The 112 game as arrays over many games, see `array_game`."""

from __future__ import annotations

import numpy as np
from array_game import ArrayGame


class Games(ArrayGame):
    """Many games. A row contains 0 for empty positions, else the value."""

    def __init__(self, game, num):
        super().__init__(game, num)
        self.row = np.zeros((num, self.params["board_size"]), int)

    def begin(self, which, states):
        self.row[which] = 0

    def answers(self):
        return np.repeat(self.row == 0, 2, 1)

    def play(self, which, actions):
        me = self.to_move[which]
        self.row[which, actions // 2] = actions % 2 + 1
        row = self.row[which]
        won = ((row[:, :-2] == 1) & (row[:, 1:-1] == 1) & (row[:, 2:] == 2)).any(1)
        self.end(which[won], me[won], 1)
        self.terminated[which] |= (row > 0).all(1)
        self.to_move[which] = 1 - me

    def seen(self, seats):
        for value in (1, 2, 0):
            yield self.row == value


def laws(game, states):
    """Yield each law of unfinished positions: its name, and where it holds."""
    filled = (states["cells"] > 0).sum(1)
    yield "a value a ply", filled == states["ply"]
    yield "they take turns", states["ply"] % 2 == states["to_move"]
    yield (
        "both values on every empty position",
        game.legal(states).sum(1) == 2 * (game.params["board_size"] - filled),
    )
