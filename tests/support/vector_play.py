"""How the tests of the vector environment play it, and compare what it tells."""

import itertools

import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from players import Last


class Drawing:
    """An action drawn from the words it is given, as `boardenvs.envs.opponents.Opponent` allows."""

    def __init__(self, game):
        self.game = game

    def act(self, states):
        raise AssertionError("choose goes first")

    def choose(self, states, words):
        wanted = (words >> np.uint64(40)).astype(np.int64)
        return choose(self.game.legal(states), wanted)


OPPONENTS = {
    "random": lambda game: "random",
    "object": Last,
    "object that draws": Drawing,
    "list": lambda game: [
        (Drawing(game), "random", Last(game))[k % 3] for k in range(game.num_players - 1)
    ],
}


def choose(masks, k):
    """A legal action of every row, by the row and `k` alone; 0 where there is none."""
    wanted = (7 * k + 3) % np.maximum(masks.sum(1), 1)
    return (masks.cumsum(1) > wanted[:, None]).argmax(1)


def rollout(envs, start, steps, first=0):
    """Legal play: the list of everything that was returned, `start` at its head."""
    told = [start]
    for k in range(first, first + steps):
        told.append(envs.step(choose(told[-1][-1]["action_mask"], k)))
    return told


def rows(told, num):
    """What `rollout` returned about the first `num` games, as bytes."""
    return [
        [array[:num].tobytes() for array in step[:-1]]
        + [
            step[-1][key][:num].tobytes()
            for key in sorted(step[-1])
            if isinstance(step[-1][key], np.ndarray)
            and step[-1][key].dtype != object
            # Absent from a step in which no game of a smaller batch ended.
            and "final" not in key
        ]
        for step in told
    ]


def same(one, other):
    return data_equivalence(tuple(one), tuple(other), exact=True)


def position(game, plies, seat=None):
    """A live position after so many random plies, as an array of one; `seat` to move."""
    for seed in itertools.count():
        states = game.new(1, seed)
        for k in range(plies):
            if game.legal(states).any():
                game.play(states, choose(game.legal(states), k + seed))
        if game.legal(states).any() and seat in (None, states["to_move"][0]):
            break
    return states
