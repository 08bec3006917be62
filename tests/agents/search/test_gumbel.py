"""Sequential halving at the root: a plain implementation and known positions."""

from types import SimpleNamespace

import numpy as np
import pytest

import boardenvs
from agents.search.gumbel import GumbelAgent
from agents.search.halving import halving_schedule


@pytest.fixture(scope="module")
def gomoku():
    return boardenvs.make("gomoku", board_size=5, win_length=5)


class Judge:
    """An evaluator with fixed logits, and values for positions with one stone by its cell."""

    def __init__(self, game, logits=None, values=None):
        self.logits = np.zeros(game.num_actions) if logits is None else np.asarray(logits)
        self.values = np.zeros(game.num_actions) if values is None else np.asarray(values)

    def evaluate(self, states):
        values = np.where(states["ply"] == 1, self.values[states["last_action"]], 0)
        return np.tile(self.logits, (len(states), 1)).astype(np.float32), values.astype(np.float32)


def softmax(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


def test_the_schedule_halves_the_considered_actions():
    rows = halving_schedule(8, 24)
    assert rows.shape == (9, 25)
    # Three rounds of eight simulations: eight actions once, four twice, then two for the rest.
    assert rows[8].tolist() == [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6] + [7]
    assert rows[1].tolist() == [*range(25)]
    assert rows[2][:6].tolist() == [0, 0, 1, 1, 2, 2]


def test_each_considered_action_gets_its_share_of_simulations(gomoku):
    logits = np.linspace(0, 1, 25)
    agent = GumbelAgent(gomoku, 0, 24, considered=8, evaluator=Judge(gomoku, logits))
    visits = agent.search(gomoku.new(1)).visits[0]
    assert visits[:17].sum() == 0
    # All values are equal, so higher logits win.
    assert visits[17:].tolist() == [1, 1, 1, 1, 3, 3, 7, 7]


def test_noise_determines_the_considered_and_played_actions(gomoku):
    noise = np.zeros((1, 25), np.float32)
    noise[0, [3, 9]] = [5, 4]
    agent = GumbelAgent(gomoku, 0, 10, considered=2, evaluator=Judge(gomoku))
    found = agent.search(gomoku.new(1), noise=noise)
    assert found.visits[0, [3, 9]].tolist() == [5, 5]
    assert found.actions[0] == 3
    # The learned policy does not contain the noise.
    np.testing.assert_allclose(found.policies[0], np.full(25, 1 / 25), rtol=1e-5)


def test_equal_values_keep_the_policy(gomoku):
    logits = np.random.default_rng(0).normal(size=25)
    agent = GumbelAgent(gomoku, 0, 20, evaluator=Judge(gomoku, logits))
    np.testing.assert_allclose(agent.search(gomoku.new(1)).policies[0], softmax(logits), rtol=1e-4)


@pytest.mark.parametrize("considered", [25, 10])
def test_the_improved_policy_agrees_with_the_paper(considered, gomoku):
    rng = np.random.default_rng(1)
    logits, values = rng.normal(size=25), rng.uniform(-1, 1, 25)
    judge = Judge(gomoku, logits, values)
    agent = GumbelAgent(
        gomoku, 0, considered, considered=considered, value_scale=0.2, evaluator=judge
    )
    states = gomoku.new(1)
    found = agent.search(states)
    # There are as many simulations as actions. Halving continues only if simulations are left, so
    # some actions are tried twice, and their value is the mean with zeros.
    visits = found.visits[0]
    assert visits.sum() == considered
    prior = softmax(logits)
    worth = np.where(visits > 0, -values / np.maximum(visits, 1), 0)
    tried = visits > 0
    mean = (worth * prior)[tried].sum() / prior[tried].sum()
    unknown = (0 + visits.sum() * mean) / (1 + visits.sum())
    completed = np.where(tried, worth, unknown)
    expected = softmax(np.log(prior) + (50 + visits.max()) * 0.2 * completed)
    np.testing.assert_allclose(found.policies[0], expected, rtol=2e-3, atol=1e-6)


def test_gumbel_prefers_actions_with_better_values(gomoku):
    values = np.zeros(25)
    values[7] = -0.9  # bad for the opponent, who moves next
    agent = GumbelAgent(gomoku, 0, 32, considered=25, evaluator=Judge(gomoku, values=values))
    found = agent.search(gomoku.new(1))
    assert found.actions[0] == 7
    assert found.policies[0, 7] > 5 / 25
    assert found.policies[0].sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("considered", [1, 3, 25])
def test_illegal_actions_are_not_considered(considered, gomoku):
    states = gomoku.new(1)
    for action in range(6):
        gomoku.play(states, [action])
    logits = np.where(np.arange(25) < 6, 9, 0)
    agent = GumbelAgent(gomoku, 0, 30, considered=considered, evaluator=Judge(gomoku, logits))
    found = agent.search(states)
    assert found.visits.sum() == 30
    assert np.count_nonzero(found.visits[0, 6:]) == min(considered, 19)
    assert not found.visits[0, :6].any()
    assert not found.policies[0, :6].any()
    assert found.actions[0] >= 6


def test_an_immediate_win_is_played_without_being_considered():
    game = boardenvs.make("gomoku", board_size=5, win_length=4)
    states = game.new(1)
    for action in (0, 10, 1, 11, 2, 12, 20, 24):
        game.play(states, [action])
    logits = np.where(np.arange(25) == 3, -9, 0)
    found = GumbelAgent(game, 0, 5, considered=2, evaluator=Judge(game, logits)).search(states)
    assert found.proven[0]
    assert found.actions[0] == 3
    assert found.policies[0, 3] == 1


def test_proven_losses_are_avoided(gekitai, live_positions):
    # The policy prefers the losing actions, and there are enough simulations to try all of them.
    states = live_positions(gekitai, 40, 2)
    judge = SimpleNamespace(
        evaluate=lambda s: (np.zeros((len(s), 36), np.float32), np.zeros(len(s), np.float32))
    )
    found = GumbelAgent(gekitai, 0, 80, considered=36, evaluator=judge).search(states)
    after = states.copy()
    gekitai.play(after, found.actions)
    ended = after["terminated"]
    lost = ended & (after["returns"][np.arange(len(states)), states["to_move"]] < 0)
    assert ended.any()
    assert not (lost & ~found.proven).any()


def test_batches_do_not_change_a_search(gekitai, tiny, live_positions):
    from agents.networks.onnx_policy import OnnxPolicy

    states = live_positions(gekitai, 10, 3)[:30].copy()
    words = np.arange(len(states), dtype=np.uint64)
    noise = np.random.default_rng(0).gumbel(size=(len(states), 36)).astype(np.float32)
    agent = GumbelAgent(gekitai, 0, 20, evaluator=OnnxPolicy(gekitai, tiny.network))
    together = agent.search(states, words, noise)
    for i in range(len(states)):
        part = slice(i, i + 1)
        alone = agent.search(states[part], words[part], noise[part])
        np.testing.assert_array_equal(alone.visits[0], together.visits[i])
        assert alone.actions[0] == together.actions[i]
        np.testing.assert_allclose(alone.policies[0], together.policies[i], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"considered": 0}, "considered .*got 0"),
        ({"value_scale": -1}, "value_scale .*got -1"),
        ({"simulations": 0}, "simulations .*got 0"),
    ],
)
def test_bad_options_are_refused(options, message, gekitai, refused):
    with refused(message):
        GumbelAgent(gekitai, **options)


def test_noise_of_other_types_is_converted_and_other_shapes_refused(gekitai, refused):
    agent = GumbelAgent(gekitai, 0, 16, evaluator=Judge(gekitai))
    states = gekitai.new(3, 0)
    words = np.arange(3, dtype=np.uint64)
    noise = np.random.default_rng(0).gumbel(size=(36, 3)).astype(np.float32).T
    found = agent.search(states, words, noise)
    for same in (np.ascontiguousarray(noise), noise.astype(np.float64), noise.tolist()):
        np.testing.assert_array_equal(agent.search(states, words, same).visits, found.visits)
    with refused(r"noise .*\(3, 36\), got \(2, 36\)"):
        agent.search(states, words, noise[:2])
