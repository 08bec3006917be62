"""The pizza order as arrays over many games, see `array_game`."""

from __future__ import annotations

import numpy as np
from array_game import ArrayGame

FLAVORS = np.zeros((5, 15), bool)
for number, ingredients in enumerate([(1, 13), (6, 7, 8, 9, 10), (2, 3, 4, 5), (3, 12)]):
    FLAVORS[number, np.array(ingredients) - 1] = True
FLAVOR, INGREDIENTS, MORE, NOTHING = range(4)


class Games(ArrayGame):
    """Many games. `wanted`, `taken` and `hand` mark ingredients; numbers count the valid pizzas."""

    def __init__(self, game, num):
        super().__init__(game, num)
        self.most = self.params["max_pizzas"]
        self.wanted = np.zeros((num, self.most, 15), bool)
        self.taken = np.zeros((num, self.most, 15), bool)
        self.hand = np.zeros((num, 15), bool)
        self.num_wanted = np.zeros(num, int)
        self.num_taken = np.zeros(num, int)
        self.asks = np.zeros(num, int)

    def begin(self, which, states):
        sets = states["wanted"][:, : self.most, None]
        self.wanted[which] = sets >> np.arange(15, dtype=np.uint16) & np.uint16(1)
        self.num_wanted[which] = states["num_wanted"]
        self.taken[which] = False
        self.hand[which] = False
        self.num_taken[which] = 0
        self.asks[which] = FLAVOR

    def answers(self):
        asks = self.asks[:, None]
        flavors = np.repeat(asks == FLAVOR, 5, 1)
        done = (asks == INGREDIENTS) & self.hand.any(1, keepdims=True)
        more = np.repeat(asks == MORE, 2, 1)
        return np.concatenate([flavors, (asks == INGREDIENTS) & ~self.hand, done, more], 1)

    def play(self, which, actions):
        preset, custom = which[actions < 4], which[actions == 4]
        self.finish(preset, FLAVORS[actions[actions < 4]])
        self.asks[custom] = INGREDIENTS
        named = (actions >= 5) & (actions < 20)
        self.hand[which[named], actions[named] - 5] = True
        done = which[actions == 20]
        self.finish(done, self.hand[done])
        self.hand[done] = False
        self.asks[which[actions == 21]] = FLAVOR
        self.asks[which[actions == 22]] = NOTHING
        ended = which[self.asks[which] == NOTHING]
        self.end(ended, 0, self.right(ended))

    def finish(self, which, pizzas):
        self.taken[which, self.num_taken[which]] = pizzas
        self.num_taken[which] += 1
        self.asks[which] = np.where(self.num_taken[which] < self.most, MORE, NOTHING)

    def right(self, which):
        """Return whether these orders contain the wanted pizzas, in any order."""
        sorted_lists = []
        for pizzas, number in ((self.wanted, self.num_wanted), (self.taken, self.num_taken)):
            codes = (pizzas[which] << np.arange(15)).sum(2)
            codes[np.arange(self.most) >= number[which, None]] = -1
            sorted_lists.append(np.sort(codes, 1))
        return (sorted_lists[0] == sorted_lists[1]).all(1)

    def seen(self, seats):
        for pizzas, number in ((self.wanted, self.num_wanted), (self.taken, self.num_taken)):
            there = np.arange(self.most) < number[:, None]
            yield np.concatenate([pizzas & there[:, :, None], there[:, :, None]], 2)
        asked = self.asks == INGREDIENTS
        yield np.concatenate([self.hand & asked[:, None], asked[:, None]], 1)
        yield self.asks[:, None] == np.arange(16)


def laws(game, states):
    """Yield each law of unfinished positions: its name, and where it holds."""
    most = game.params["max_pizzas"]
    wanted, taken, asks = states["num_wanted"], states["num_taken"], states["asks"]
    places = np.arange(9)
    there = places < wanted[:, None]
    yield "an order of some pizzas", (wanted >= 1) & (wanted <= most)
    yield "with something on each", ((states["wanted"] > 0) == there).all(1)
    yield "of fifteen ingredients", ((states["wanted"] | states["taken"]) < 1 << 15).all(1)
    yield "the shop takes no more than it can", (taken >= 0) & (taken < most)
    yield "it asks for something", (asks >= FLAVOR) & (asks < NOTHING)
    in_hand = places == np.where(asks == INGREDIENTS, taken, -1)[:, None]
    yield (
        "nothing on what was not taken",
        (((states["taken"] == 0) | (places < taken[:, None])) | in_hand).all(1),
    )
    legal = game.legal(states)
    expected = np.select(
        [asks == FLAVOR, asks == MORE], [np.full(len(states), 5), np.full(len(states), 2)], -1
    )
    held = np.bitwise_count(np.where(in_hand, states["taken"], 0).sum(1)).astype(int)
    expected = np.where(asks == INGREDIENTS, 15 - held + (held > 0), expected)
    yield "as many answers as the question has", legal.sum(1) == expected
