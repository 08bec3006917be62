"""Helpers that play the single-seat environment in tests."""

import itertools

import numpy as np
from random_play import pick, position


class Answers:
    """A player that calls a function."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, states):
        return self.answer(states)


class Illegal:
    """A player of the first illegal action."""

    def __init__(self, game):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmin(1)


def play_out(env, mask, seed=0):
    """Play randomly to the end of the game and return all results of `step`."""
    rng = np.random.default_rng(seed)
    returned = []
    over = False
    while not over:
        step = env.step(pick(mask, rng))
        returned.append(step)
        over, mask = step[2] or step[3], step[4]["action_mask"]
    return returned


def position_with_illegal(game):
    """Return the earliest `position` with seat 0 to move and an illegal action."""
    turns = (position(game, n * game.num_players, seat=0) for n in itertools.count(2))
    return next(states for states in turns if not game.legal(states).all())


def reach_illegal(env, mask):
    """Play to a position with an illegal action and return this action."""
    rng = np.random.default_rng(0)
    while mask.all() or not mask.any():  # the game may end before an action is illegal
        info = env.step(pick(mask, rng))[4] if mask.any() else env.reset()[1]
        mask = info["action_mask"]
    return int(mask.argmin())
