"""Starting positions of the contract's tests."""

from __future__ import annotations

import numpy as np
import pytest

from boardenvs.envs.playout import playout

NUM = 40
"""Default number of positions."""


def start(game, num=NUM, seed=0):
    return game.new(num, seed)


def middle(game, num=NUM, seed=0):
    """Return unfinished games after two plies of random legal actions, or fewer in short games."""
    states = game.new(num, seed)
    for ply in range(2):
        before = states.copy()
        game.play(states, legal_actions(game, states, seed))
        for retry in range(100):  # replay games that ended too early
            over = game.terminated(states) | game.truncated(states)
            if not over.any():
                break
            again = before[over]
            game.play(again, legal_actions(game, again, (seed, ply, retry)))
            states[over] = again
        over = game.terminated(states) | game.truncated(states)
        states[over] = before[over]
    return states


def legal_actions(game, states, seed=0):
    scores = np.random.default_rng(seed).random((len(states), game.num_actions))
    return np.argmax(scores * game.legal(states), 1)


def with_illegal(game, num=NUM):
    """Return games with an illegal action, and an illegal action of each."""
    seen = []

    def choose(live, _):
        seen.append(live.copy())
        return legal_actions(game, live, len(seen))

    playout(game, game.new(num, 3), choose)
    states = np.concatenate(seen)
    states = states[~game.legal(states).all(1)]
    if not len(states):
        pytest.skip("every action is always legal")
    states = states[np.random.default_rng(3).integers(0, len(states), num)]
    masks = game.legal(states)
    return states, (~masks).argmax(1)
