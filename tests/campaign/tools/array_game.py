"""The second implementation of the games: NumPy arrays over many games at once.

The file `tests/<game>/array_<game>.py` implements the rules from the game's page and uses no code
of the package. It only receives the initial random setup and the random stream. This module
contains what all games share.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np

__all__ = ["ArrayGame", "array_game"]

GAMMA, MIX_1, MIX_2 = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


class ArrayGame:
    """A batch of N games. Subclasses define `begin`, `answers`, `play` and `seen`."""

    def __init__(self, game, num):
        self.params = game.params
        self.players = game.num_players
        self.num = num
        self.rows = np.arange(num)
        self.size = game.observation_size
        self.to_move = np.zeros(num, int)
        self.ply = np.zeros(num, int)
        self.returns = np.zeros((num, self.players), np.float32)
        self.terminated = np.zeros(num, bool)
        self.truncated = np.zeros(num, bool)
        self.words = np.zeros(num, np.uint64)

    def start(self, which, states):
        """Restart the games with indices `which` from these new records."""
        for field in (self.to_move, self.ply, self.returns, self.terminated, self.truncated):
            field[which] = 0
        self.words[which] = states["rng"]
        self.begin(which, states)

    @property
    def over(self):
        return self.terminated | self.truncated

    def legal(self):
        """Return the legal actions, bool of shape (N, num_actions)."""
        return self.answers() & ~self.over[:, None]

    def step(self, actions, masks):
        """Play one action in each unfinished game; `masks` is the result of `legal`."""
        fine = masks[self.rows, actions]
        wrong = ~fine & ~self.over
        here = np.flatnonzero(fine)
        self.play(here, actions[here])
        self.ply[here] += 1
        self.truncated[here] = ~self.terminated[here] & (self.ply[here] >= self.params["max_plies"])
        self.end(np.flatnonzero(wrong), self.to_move[wrong], -1)

    def end(self, which, seats, result):
        """End these games with this result of one seat; the others share the opposite."""
        if self.players > 1:
            self.returns[which] = np.float32(-result / (self.players - 1))
        self.returns[which, seats] = result
        self.terminated[which] = True

    def draw(self, which, bound):
        """Sample integers from 0 to `bound - 1` from the streams of some games (SplitMix64)."""
        self.words[which] += np.uint64(GAMMA)
        z = self.words[which]
        z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
        z ^= z >> np.uint64(31)
        return ((z >> np.uint64(32)) * np.uint64(bound) >> np.uint64(32)).astype(int)

    def observation(self, seats):
        """Return the observations of the given seats, int8 of shape (N, size)."""
        return np.concatenate(
            [np.asarray(part, np.int8).reshape(self.num, -1) for part in self.seen(seats)], 1
        )


def array_game(game, num):
    """Return the array implementation of `num` games."""
    folder = str(Path(__file__).parents[2] / game.name)
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(f"array_{game.name}").Games(game, num)
