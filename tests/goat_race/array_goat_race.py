"""Goat Race as arrays over many games, see `array_game`."""

from __future__ import annotations

import numpy as np
from array_game import ArrayGame

PLACE, SIDEWAYS, FORWARD = range(3)


class Games(ArrayGame):
    """Many games. `stack[game, row, column, k]` is the seat of the k-th goat from below.

    `height` is the number of goats on a cell, `top` the seat of the top goat or -1. The start
    records contain order of play and obstacles. The random stream provides the throws.
    """

    def __init__(self, game, num):
        super().__init__(game, num)
        n, height, width = self.players, self.params["height"], self.params["width"]
        self.shape = height, width
        self.stack = np.zeros((num, height, width, 4 * n + 1), np.int8)
        self.height = np.zeros((num, height, width), int)
        self.top = np.zeros((num, height, width), np.int8)
        self.wall = np.zeros((num, height, width), bool)
        self.order = np.zeros((num, n), int)
        self.turn, self.die, self.asks = (np.zeros(num, int) for _ in range(3))

    def begin(self, which, states):
        self.stack[which] = -1
        self.height[which] = 0
        self.top[which] = -1
        columns = np.arange(self.shape[1])
        self.wall[which] = states["blocked"][:, :, None] >> columns & 1
        self.order[which] = states["order"]
        self.turn[which] = self.die[which] = 0
        self.asks[which] = PLACE
        self.to_move[which] = self.order[which, 0]

    # Legal actions.

    def forward(self, which):
        """Return where a goat can move forward: shape (M, height, width)."""
        goes = self.top[which] >= 0
        goes[:, :, :-1] &= ~self.wall[which][:, :, 1:]
        goes[:, :, -1] = False
        return goes

    def sideways(self, which, seats):
        """Return where a seat's goat can move up and down: shape (M, height, width, 2)."""
        mine = self.top[which] == seats[:, None, None]
        wall = np.pad(self.wall[which], ((0, 0), (1, 1), (0, 0)), constant_values=True)
        return np.stack([mine & ~wall[:, :-2], mine & ~wall[:, 2:]], 3)

    def answers(self):
        gate = self.height[:, :, 0]
        places = gate == gate.min(1, keepdims=True)
        moves = self.sideways(self.rows, self.to_move).reshape(self.num, -1)
        stay = np.ones((self.num, 1), bool)
        ahead = self.forward(self.rows)[self.rows, np.maximum(self.die, 1) - 1]
        asks = self.asks[:, None]
        return np.concatenate(
            [
                places & (asks == PLACE),
                moves & (asks == SIDEWAYS),
                stay & (asks == SIDEWAYS),
                ahead & (asks == FORWARD),
            ],
            1,
        )

    # Effects of actions.

    def put(self, which, row, column, seats):
        self.stack[which, row, column, self.height[which, row, column]] = seats
        self.height[which, row, column] += 1
        self.top[which, row, column] = seats

    def move(self, which, row, column, to_row, to_column):
        seats = self.top[which, row, column]
        self.height[which, row, column] -= 1
        left = self.height[which, row, column]
        self.stack[which, row, column, left] = -1
        under = self.stack[which, row, column, np.maximum(left - 1, 0)]
        self.top[which, row, column] = np.where(left > 0, under, -1)
        self.put(which, to_row, to_column, seats)

    def play(self, which, actions):
        rows, columns = self.shape
        asks = self.asks[which]
        here, row = which[asks == PLACE], actions[asks == PLACE]
        self.put(here, row, 0, self.to_move[here])
        last = self.ply[here] + 1 == 4 * self.players
        self.pass_on(here[~last])
        done = [here[last]]

        here, move = which[asks == SIDEWAYS], actions[asks == SIDEWAYS] - rows
        goes = move < 2 * rows * columns
        cell, down = np.divmod(move[goes], 2)
        row, column = np.divmod(cell, columns)
        self.move(here[goes], row, column, row + 2 * down - 1, column)
        self.asks[here] = FORWARD
        self.judge(here)
        here = here[~self.terminated[here]]
        done.append(here[~self.forward(here)[np.arange(len(here)), self.die[here] - 1].any(1)])

        here, move = which[asks == FORWARD], actions[asks == FORWARD]
        column, row = move - (rows + 2 * rows * columns + 1), self.die[here] - 1
        self.move(here, row, column, row, column + 1)
        done.append(here)
        self.end_turn(np.concatenate(done))

    def pass_on(self, which):
        self.turn[which] = (self.turn[which] + 1) % self.players
        self.to_move[which] = self.order[which, self.turn[which]]

    def end_turn(self, which):
        self.pass_on(which)
        self.die[which] = 0
        self.asks[which] = SIDEWAYS
        self.judge(which)
        which = which[~self.terminated[which]]
        while len(which):
            self.die[which] = 1 + self.draw(which, self.shape[0])
            sideways = self.sideways(which, self.to_move[which]).any((1, 2, 3))
            forward = self.forward(which)[np.arange(len(which)), self.die[which] - 1].any(1)
            self.asks[which] = np.where(sideways, SIDEWAYS, FORWARD)
            which = which[~(sideways | forward)]
            self.pass_on(which)

    def judge(self, which):
        """End won games (three goats in the last column) and drawn ones (no goat can move on)."""
        there = self.stack[which, :, -1]
        arrived = np.stack([(there == seat).sum((1, 2)) for seat in range(self.players)], 1) >= 3
        won = arrived.any(1)
        self.end(which[won], arrived[won].argmax(1), 1)
        stuck = ~self.forward(which).any((1, 2))
        if self.params["draw_rule"] == "jump":
            for seat in range(self.players):
                seats = np.full(len(which), seat)
                stuck &= ~self.sideways(which, seats).any((1, 2, 3))
        self.terminated[which] |= stuck

    def seen(self, seats):
        n = self.players
        first = (self.order == np.asarray(seats)[:, None]).argmax(1)
        viewed = self.order[self.rows[:, None], (first[:, None] + np.arange(n)) % n]
        everywhere = np.ones((self.num, 1, *self.shape), bool)
        yield self.top[:, None] == viewed[:, :, None, None]
        yield self.wall
        throw = np.arange(self.shape[0])[:, None] == self.die[:, None, None] - 1
        yield throw & everywhere[:, 0]
        yield (self.asks[:, None] == np.arange(3))[:, :, None, None] & everywhere
        yield (viewed == self.to_move[:, None])[:, :, None, None] & everywhere
        if self.params["memory"]:
            deepest = int(self.height.max())
            for depth in range(1, deepest):
                below = self.height - 1 - depth
                goat = np.take_along_axis(self.stack, np.maximum(below, 0)[..., None], 3)[..., 0]
                goat = np.where(below >= 0, goat, -1)
                yield goat[:, None] == viewed[:, :, None, None]
            yield np.zeros((self.num, (4 * n - max(deepest, 1)) * n, *self.shape), bool)


def laws(game, states):
    """Yield each law of unfinished positions: its name, and where it holds."""
    n, width, height = game.num_players, game.params["width"], game.params["height"]
    goats, arrived = np.zeros((len(states), n), int), np.zeros((len(states), n), int)
    left, sound = states["stacks"].copy(), np.ones(len(states), bool)
    while left.any():
        top = left & 7
        sound &= (top <= n).all((1, 2)) & ((top > 0) == (left > 0)).all((1, 2))
        for seat in range(n):
            goats[:, seat] += (top == seat + 1).sum((1, 2))
            arrived[:, seat] += (top[:, :, -1] == seat + 1).sum(1)
        left >>= 3
    placing = states["decision"] == PLACE
    yield "stacks are of goats", sound
    yield "a goat a ply, then all", goats.sum(1) == np.where(placing, states["ply"], 4 * n)
    yield "four goats each", (goats <= 4).all(1) & (placing | (goats == 4).all(1))
    yield "arrivals are counted", (arrived == states["arrived"]).all(1)
    yield "nobody has three there", (arrived < 3).all(1) | placing
    yield "everybody plays", (np.sort(states["order"], 1) == np.arange(n)).all(1)
    walls = np.bitwise_count(states["blocked"]) == 1
    inside = (states["blocked"] & 1 == 0) & (states["blocked"] >> (width - 1) == 0)
    yield "an obstacle a row", (walls & inside).all(1)
    blocked = states["blocked"][:, :, None] >> np.arange(width) & 1
    yield "no goat on one", (states["stacks"] * blocked == 0).all((1, 2))
    die = states["die"]
    yield "a throw in a race", (die == 0) == placing
    yield "of such a die", (die >= 0) & (die <= height)
