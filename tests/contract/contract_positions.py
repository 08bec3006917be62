"""Positions that the contract's tests begin with."""

from __future__ import annotations

import numpy as np

NUM = 40
"""How many, unless a test says otherwise."""


def start(game, num=NUM, seed=0):
    return game.new(num, seed)


def middle(game, num=NUM, seed=0):
    """Games after two plies, with legal actions chosen by chance; all still on."""
    states = game.new(num, seed)
    for ply in range(2):
        before = states.copy()
        game.play(states, legal_actions(game, states, seed))
        for retry in range(100):  # games that ended too soon are played otherwise
            over = game.terminated(states) | game.truncated(states)
            if not over.any():
                break
            again = before[over]
            game.play(again, legal_actions(game, again, (seed, ply, retry)))
            states[over] = again
    assert not (game.terminated(states) | game.truncated(states)).any()
    return states


def legal_actions(game, states, seed=0):
    scores = np.random.default_rng(seed).random((len(states), game.num_actions))
    return np.argmax(scores * game.legal(states), 1)


def with_illegal(game, num=NUM):
    """Games in each of which some action is illegal, and such an action for each."""
    states = middle(game, num)
    masks = game.legal(states)
    assert not masks.all(1).any()
    return states, (~masks).argmax(1)
