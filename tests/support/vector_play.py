"""Helpers that play the vector environment in tests."""

import numpy as np
from players import Last, other_seats


class Drawing:
    """A player that samples from given words, as `boardenvs.envs.opponents.Opponent` allows."""

    def __init__(self, game):
        self.game = game

    def act(self, states):
        raise AssertionError("choose goes first")

    def choose(self, states, words):
        wanted = (words >> np.uint64(40)).astype(np.int64)
        return choose(self.game.legal(states), wanted)


OPPONENTS = {
    "random": lambda game: "random",
    "object": lambda game: other_seats(game, Last(game)),
    "object that draws": lambda game: other_seats(game, Drawing(game)),
    "list": lambda game: [
        (Drawing(game), "random", Last(game))[k % 3] for k in range(game.num_players - 1)
    ],
}


def choose(masks, k):
    """Return a legal action of each row, determined by the row and `k`; 0 if there is none."""
    wanted = (7 * k + 3) % np.maximum(masks.sum(1), 1)
    return (masks.cumsum(1) > wanted[:, None]).argmax(1)


def rollout(envs, start, steps, first=0):
    """Play legal actions and return `start`, followed by each result of `step`."""
    returned = [start]
    for k in range(first, first + steps):
        returned.append(envs.step(choose(returned[-1][-1]["action_mask"], k)))
    return returned


def rows(returned, num):
    """Return the bytes of the first `num` games in the result of `rollout`."""
    return [
        [array[:num].tobytes() for array in step[:-1]]
        + [
            step[-1][key][:num].tobytes()
            for key in sorted(step[-1])
            if isinstance(step[-1][key], np.ndarray)
            and step[-1][key].dtype != object
            # A smaller batch omits these keys at steps where none of its games ends.
            and "final" not in key
        ]
        for step in returned
    ]
