"""Trees that are parted while they grow: they grow on as they would have."""

import numpy as np
import pytest

import boardenvs
from agents.search.grove import Grove
from agents.search.gumbel import GumbelAgent
from agents.search.puct import PuctAgent
from agents.work_stealing import WorkStealing


class Plain:
    """A policy and values that depend on the position and nothing else."""

    concurrent = True

    def __init__(self, game):
        self.game = game
        rng = np.random.default_rng(5)
        size = game.observation_size
        self.policy = rng.normal(size=(size, game.num_actions)).astype(np.float32)
        self.value = rng.normal(size=size).astype(np.float32)

    def evaluate(self, states, threads=None):
        seen = self.game.observe_to_move(states).reshape(len(states), -1).astype(np.float32)
        # One by one: the sum of a row must not depend on how many there are.
        logits = np.stack([row @ self.policy for row in seen])
        return logits, np.tanh(np.array([row @ self.value for row in seen]))


@pytest.fixture
def often_parted(monkeypatch):
    """Trees are parted whenever they can be; counts how often."""
    parted = []
    part = Grove.part

    def counted(self, slot):
        other = part(self, slot)
        if other is not None:
            parted.append((len(self.states), len(other.states)))
        return other

    monkeypatch.setattr(WorkStealing, "is_wanted", lambda _: True)
    monkeypatch.setattr(Grove, "part", counted)
    return parted


def searched(agent, states, noise):
    words = np.arange(len(states), dtype=np.uint64)
    found = agent.search(states, words, noise) if noise is not None else agent.search(states, words)
    return {name: np.asarray(value) for name, value in vars(found).items()}


@pytest.mark.parametrize("kind", [GumbelAgent, PuctAgent])
@pytest.mark.parametrize(
    "name", ["gekitai", "dominoes175", pytest.param("goat_race", marks=pytest.mark.slow)]
)
def test_parted_trees_find_the_same(name, kind, live_positions, often_parted, monkeypatch):
    game = boardenvs.make(name)
    states = live_positions(game, 6, 2)[:23].copy()
    noise = None
    if kind is GumbelAgent:
        noise = np.random.default_rng(0).gumbel(size=(len(states), game.num_actions))
        noise = noise.astype(np.float32)
    monkeypatch.setattr("agents.search.puct._SIDE_BY_SIDE", 9)
    agent = kind(game, 0, simulations=40, evaluator=Plain(game), threads=2)
    found = searched(agent, states, noise)
    again = searched(agent, states, noise)  # in the trees that were kept
    assert len(often_parted) > 10
    monkeypatch.setattr(WorkStealing, "is_wanted", lambda _: False)
    alone = searched(kind(game, 0, simulations=40, evaluator=Plain(game), threads=1), states, noise)
    for key, value in alone.items():
        np.testing.assert_array_equal(found[key], value)
        np.testing.assert_array_equal(again[key], value)


def test_trees_that_others_may_still_grow_are_not_kept_too_early(
    live_positions, often_parted, monkeypatch
):
    game = boardenvs.make("game112")
    agent = GumbelAgent(game, 0, simulations=20, evaluator=Plain(game), threads=2)
    kept = []
    keep = agent._keep
    monkeypatch.setattr(agent, "_keep", lambda grove: (kept.append(grove.forest), keep(grove)))
    states = live_positions(game, 20, 2)[:64].copy()
    for _ in range(3):
        kept.clear()
        agent.search(states)
        assert often_parted
        rows = [forest.used for forest in kept]
        assert not any(
            np.shares_memory(rows[i], rows[k]) for i in range(len(rows)) for k in range(i)
        )
