"""Positions of Gomoku for tests of proofs."""

import numpy as np


def late_positions(game, num, empty, seed):
    """Return unfinished positions of random games with `empty` empty intersections."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < num:
        states = game.new(200, seed)
        for _ in range(game.num_actions - empty):
            states = states[~game.over(states)]
            legal = game.legal(states)
            game.play(states, np.argmax(rng.random(legal.shape) * legal, axis=1))
        found.extend(states[~game.over(states)])
    return np.array(found[:num], game.state_dtype)
