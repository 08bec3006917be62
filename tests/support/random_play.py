"""Random legal play and comparisons, for tests of environments."""

import itertools

import numpy as np
from gymnasium.utils.env_checker import data_equivalence


def pick(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def equal(one, other):
    """Return whether two calls of an environment returned equal values."""
    return data_equivalence(tuple(one), tuple(other), exact=True)


def position(game, plies, seat=None):
    """Return an unfinished position after `plies` random plies, with `seat` to move if given.

    The array has length 1.
    """
    for seed in itertools.count():
        rng = np.random.default_rng(seed)
        states = game.new(1, seed)
        for _ in range(plies):
            if game.legal(states).any():
                game.play(states, [pick(game.legal(states)[0], rng)])
        if game.legal(states).any() and seat in (None, states["to_move"][0]):
            break
    return states
