"""States searched in parallel on several threads give the same as one by one."""

import numpy as np
import pytest

import boardenvs
from agents.search.gumbel import GumbelAgent
from agents.search.puct import PuctAgent


class Plain:
    """An evaluator whose policy and values depend only on the position."""

    concurrent = True

    def __init__(self, game):
        self.game = game
        rng = np.random.default_rng(5)
        size = game.observation_size
        self.policy = rng.normal(size=(size, game.num_actions)).astype(np.float32)
        self.value = rng.normal(size=size).astype(np.float32)

    def evaluate(self, states, threads=None):
        seen = self.game.observe_to_move(states).reshape(len(states), -1).astype(np.float32)
        # Row by row, because sums must not depend on the number of rows.
        logits = np.stack([row @ self.policy for row in seen])
        return logits, np.tanh(np.array([row @ self.value for row in seen]))


def searched(agent, states, noise):
    words = np.arange(len(states), dtype=np.uint64)
    found = agent.search(states, words, noise) if noise is not None else agent.search(states, words)
    return {name: np.asarray(value) for name, value in vars(found).items()}


@pytest.mark.parametrize("kind", [GumbelAgent, PuctAgent])
@pytest.mark.parametrize(
    "name", ["gekitai", "dominoes175", pytest.param("goat_race", marks=pytest.mark.slow)]
)
def test_threads_do_not_change_a_search(name, kind, live_positions, monkeypatch):
    game = boardenvs.make(name)
    states = live_positions(game, 6, 2)[:23].copy()
    noise = None
    if kind is GumbelAgent:
        noise = np.random.default_rng(0).gumbel(size=(len(states), game.num_actions))
        noise = noise.astype(np.float32)
    monkeypatch.setattr("agents.search.puct._SIDE_BY_SIDE", 9)
    agent = kind(game, 0, simulations=40, evaluator=Plain(game), threads=2)
    found = searched(agent, states, noise)
    again = searched(agent, states, noise)  # in the reused trees
    alone = searched(kind(game, 0, simulations=40, evaluator=Plain(game), threads=1), states, noise)
    for key, value in alone.items():
        np.testing.assert_array_equal(found[key], value)
        np.testing.assert_array_equal(again[key], value)
