"""Analyses of agents come from the search that chose the action, and do not change the choice."""

from types import SimpleNamespace

import numpy as np
import pytest

import agents
import boardenvs
from agents.networks.onnx_policy import OnnxPolicy
from agents.players.random import RandomAgent
from agents.players.trained import TrainedAgent
from agents.search.gumbel import GumbelAgent
from boardenvs.episode import Episode

WORDS = np.arange(1, 60, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


@pytest.fixture(scope="module")
def positions(gekitai, live_positions):
    return live_positions(gekitai, 2, seed=3)[:8]


@pytest.mark.parametrize(
    "spec",
    ["random", "greedy", "mcts:30", pytest.param("puct:10", marks=pytest.mark.slow), "trained"],
)
def test_consider_returns_the_actions_of_choose(gekitai, positions, spec):
    agent = agents.make(spec, gekitai, seed=1)
    words = WORDS[: len(positions)]
    actions, told = agent.consider(positions, words)
    np.testing.assert_array_equal(actions, agent.choose(positions, words))
    assert len(told) == len(positions)
    if spec in ("random", "greedy"):
        assert told == [None] * len(positions)
        return
    for one, mask, seat in zip(
        told, gekitai.legal(positions), positions["to_move"].tolist(), strict=True
    ):
        one.check(gekitai, mask)
        assert one.values[seat] == -one.values[1 - seat]
    assert agent.consider(positions[:0], words[:0])[1] == []


@pytest.mark.parametrize("spec", ["mcts:30", "puct:10"])
def test_a_search_reports_its_visits_and_searches_once(gekitai, positions, monkeypatch, spec):
    agent = agents.make(spec, gekitai, seed=1)
    searched = []
    search = type(agent).search

    def counted(self, *asked):
        searched.append(search(self, *asked))
        return searched[-1]

    monkeypatch.setattr(type(agent), "search", counted)
    actions, told = agent.consider(positions, WORDS[: len(positions)])
    [found] = searched
    np.testing.assert_array_equal(actions, found.actions)
    for one, visits, values in zip(told, found.visits, found.values, strict=True):
        assert one.kind == "visits"
        assert one.weights == {a: n for a, n in enumerate(visits.tolist()) if n}
        assert one.values == pytest.approx(values, abs=1e-4)


def test_a_network_reports_its_policy_and_runs_once(gekitai, positions, monkeypatch):
    agent = agents.make("trained", gekitai)
    runs = []
    evaluate = OnnxPolicy.evaluate

    def counted(self, states):
        runs.append(evaluate(self, states))
        return runs[-1]

    monkeypatch.setattr(OnnxPolicy, "evaluate", counted)
    actions, told = agent.consider(positions, WORDS[: len(positions)])
    [(logits, values)] = runs
    masks = gekitai.legal(positions)
    for k, one in enumerate(told):
        assert one.kind == "probabilities"
        shares = np.exp(logits[k, masks[k]].astype(float))
        expected = dict(zip(np.flatnonzero(masks[k]).tolist(), shares / shares.sum(), strict=True))
        assert one.weights == pytest.approx(
            {a: share for a, share in expected.items() if share >= 0.001}, abs=1e-4
        )
        assert next(iter(one.shares)) == actions[k]
        assert one.values[positions["to_move"][k]] == pytest.approx(values[k], abs=1e-4)


def test_exact_reports_the_best_moves(game112, live_positions):
    agent = agents.make("exact", game112, seed=1)
    states = live_positions(game112, 4, seed=2)
    actions, told = agent.consider(states, WORDS[: len(states)])
    np.testing.assert_array_equal(actions, agent.choose(states, WORDS[: len(states)]))
    values = agent.values(states)
    worth = agent.action_values(states)
    for k, one in enumerate(told):
        assert one.values == tuple(values[k])
        assert actions[k] in one.weights
        assert set(one.weights.values()) == {round(1 / len(one.weights), 4)}
        assert {worth[k, a] for a in one.weights} == {np.nanmax(worth[k])}


def test_a_network_with_one_value_reports_no_values_of_three_seats():
    """A network evaluates only the seat to move, so it gives no values for three seats."""
    game = boardenvs.make("goat_race", num_players=3)
    agent = TrainedAgent.__new__(TrainedAgent)
    RandomAgent.__init__(agent, game, 1)
    agent.temperature = 0.0
    agent.network = SimpleNamespace(
        evaluate=lambda states: (
            np.zeros((len(states), game.num_actions), np.float32),
            np.full(len(states), 0.5, np.float32),
        )
    )
    states = game.new(1, 2)
    [one] = agent.consider(states, WORDS[:1])[1]
    seat = int(states["to_move"][0])
    assert one.values == tuple(0.5 if k == seat else None for k in range(3))
    one.check(game, game.legal(states)[0])


def test_gumbel_reports_its_visits(gekitai, positions):
    agent = GumbelAgent(gekitai, seed=1, simulations=8)
    _, told = agent.consider(positions[:2], WORDS[:2])
    assert [sum(one.weights.values()) for one in told] == [8, 8]


def test_an_analysis_does_not_change_the_game(gekitai):
    def played(analysis):
        pair = [agents.make(spec, gekitai, 5) for spec in ("mcts:20", "trained")]
        return Episode.play(gekitai, pair, seed=9, analysis=analysis)

    told, plain = played(True), played(False)
    assert told.actions == plain.actions
    assert all(told.analysis)
    assert not any(plain.analysis)
    assert {one.kind for one in told.analysis[::2]} == {"visits"}
    assert {one.kind for one in told.analysis[1::2]} == {"probabilities"}
