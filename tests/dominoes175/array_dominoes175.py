"""Dominoes 175 as arrays over many games, see `array_game`."""

from __future__ import annotations

import numpy as np
from array_game import ArrayGame

TILES = np.array([(low, high) for high in range(7) for low in range(high + 1)])


class Games(ArrayGame):
    """Many games. `hand` holds the smaller and the larger end, or -1; `top` is -1 if empty."""

    def __init__(self, game, num):
        super().__init__(game, num)
        self.deck = np.zeros((num, 28), int)
        self.down = np.zeros((num, 28), bool)
        self.unseen = np.zeros((num, 28), bool)
        self.hand = np.zeros((num, 2), int)
        self.top = np.zeros((num, 3), int)
        self.height = np.zeros((num, 3), int)

    def begin(self, which, states):
        self.deck[which] = states["grid"]
        self.down[which] = True
        self.unseen[which] = True
        self.hand[which] = -1
        self.top[which] = -1
        self.height[which] = 0

    def ways(self):
        """Return the legal placements: shape (N, 3, 2), larger end on top first."""
        fits = (self.top[:, :, None] < 0) | (self.top[:, :, None] == self.hand[:, None, :])
        fits[:, :, 1] &= (self.hand[:, 0] != self.hand[:, 1])[:, None]
        return fits & (self.hand[:, 0] >= 0)[:, None, None]

    def answers(self):
        turns = self.down & (self.hand[:, :1] < 0)
        return np.concatenate([turns, self.ways().reshape(self.num, 6)], 1)

    def play(self, which, actions):
        turns = actions < 28
        here, cells = which[turns], actions[turns]
        self.down[here, cells] = False
        tiles = self.deck[here, cells]
        self.unseen[here, tiles] = False
        self.hand[here] = TILES[tiles]
        lost = here[~self.ways()[here].any((1, 2))]
        here, stacks, small_up = which[~turns], *np.divmod(actions[~turns] - 28, 2)
        self.top[here, stacks] = self.hand[here, 1 - small_up]
        self.height[here, stacks] += 1
        self.hand[here] = -1
        self.end(here[self.height[here, stacks] == 6], 0, 1)
        self.end(lost, 0, -1)

    def seen(self, seats):
        yield self.down
        yield self.unseen
        dots = np.arange(7)
        yield self.hand[:, :1] == dots
        yield self.hand[:, 1:] == dots
        for stack in range(3):
            yield self.top[:, stack, None] == dots
            yield self.height[:, stack, None] > dots[:6]


def laws(game, states):
    """Yield each law of unfinished positions: its name, and where it holds."""
    taken, held = states["taken"].sum(1), states["hand"] >= 0
    yield "all tiles are there", (np.sort(states["grid"], 1) == np.arange(28)).all(1)
    yield "tiles are conserved", states["heights"].sum(1) == taken - held
    yield "two plies a tile", states["ply"] == 2 * taken - held
    yield "no stack of six", (states["heights"] < 6).all(1)
    legal = game.legal(states)
    yield "cells without a tile in hand", legal[:, :28].sum(1) == np.where(held, 0, 28 - taken)
    yield "stacks with one", legal[:, 28:].any(1) == held
    if game.params["deck"] is not None:
        deck = [tuple(sorted(pair)) for pair in game.params["deck"]]
        yield "the deck is the one given", (TILES[states["grid"]] == deck).all((1, 2))
