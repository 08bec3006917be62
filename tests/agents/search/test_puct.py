"""Search guided by handmade networks with known policy and value."""

import itertools
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import agents
import boardenvs
from agents.naming.spec import Spec
from agents.search import puct
from agents.search.gumbel import GumbelAgent
from agents.search.puct import PuctAgent
from agents.search.puct_loops import STRAYS
from agents.search.tree import EDGE

WIN_IN_ONE = "XX.... ...... ...... ..O... ...... ....O."


def gekitai_position(game, board, to_move=0):
    return game.arrays.batch(game.from_dict({"board": board.split(), "to_move": to_move}))


def test_visits_follow_the_policy_if_values_are_equal(gekitai, network_file):
    # Values are 0 and no game ends within this depth, so visits follow the priors.
    bias = np.zeros(36)
    bias[[3, 20]] = np.log([12, 4])
    agent = PuctAgent(gekitai, 0, 500, path=network_file(gekitai, bias), decisive=False)
    found = agent.search(gekitai.new(1, 0))
    priors = np.exp(bias) / np.exp(bias).sum()
    assert found.visits.sum() == 500
    assert np.abs(found.visits[0] / 500 - priors).max() < 0.01
    assert found.actions[0] == 3
    assert not found.proven[0]


def test_a_higher_temperature_flattens_the_policy(gekitai, network_file):
    bias = np.zeros(36)
    bias[[3, 20]] = np.log([12, 4])
    agent = PuctAgent(
        gekitai, 0, 500, path=network_file(gekitai, bias), decisive=False, policy_temperature=2
    )
    found = agent.search(gekitai.new(1, 0))
    priors = np.exp(bias / 2) / np.exp(bias / 2).sum()
    assert np.abs(found.visits[0] / 500 - priors).max() < 0.01


def test_a_game_can_declare_the_constants_of_the_search(gekitai, network_file):
    games = gekitai, boardenvs.make("goat_race")
    made = [PuctAgent(game, 0, 10, path=network_file(game)) for game in games]
    assert [(one.exploration, one.policy_temperature) for one in made] == [(1.5, 1), (0.3, 2.5)]
    versions = [Spec.of("puct:10", agent.game).version(agent) for agent in made]
    assert "exploration" not in versions[0]
    assert versions[1].endswith("exploration 0.3, policy temperature 2.5")


def test_illegal_actions_get_no_visits(gekitai, network_file):
    states = gekitai_position(gekitai, WIN_IN_ONE)
    bias = np.zeros(36)
    bias[0] = 50  # an occupied cell
    found = PuctAgent(gekitai, 0, 50, path=network_file(gekitai, bias)).search(states)
    assert found.visits[0, 0] == 0
    assert found.visits.sum() == 50


@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf])
def test_a_network_with_invalid_outputs_plays_legally(junk, gekitai, network_file):
    agent = PuctAgent(gekitai, 0, 30, path=network_file(gekitai, np.full(36, junk)))
    states = gekitai_position(gekitai, WIN_IN_ONE)
    found = agent.search(states)
    assert found.visits.sum() == 30
    assert not found.visits[~gekitai.legal(states)].any()


@pytest.mark.parametrize("to_move", [0, 1])
def test_puct_finds_a_win_in_one_against_the_policy(to_move, gekitai, network_file):
    board = WIN_IN_ONE if to_move == 0 else WIN_IN_ONE.translate(str.maketrans("XO", "OX"))
    bias = np.zeros(36)
    bias[2] = -2
    agent = PuctAgent(gekitai, 0, 300, path=network_file(gekitai, bias))
    found = agent.search(gekitai_position(gekitai, board, to_move))
    assert found.proven[0]
    assert found.actions[0] == 2
    assert found.values[0, to_move] == 1
    assert found.visits.sum() == 300


def no_evaluation(states):
    raise AssertionError("a win at once needs no evaluation")


def test_a_win_at_once_is_played_without_an_evaluation(gekitai):
    evaluator = SimpleNamespace(evaluate=no_evaluation)
    found = PuctAgent(gekitai, 0, 50, evaluator=evaluator).search(
        gekitai_position(gekitai, WIN_IN_ONE)
    )
    assert found.visits[0, 2] == 50
    assert found.proven[0]
    np.testing.assert_array_equal(found.values[0], [1, -1])


def test_a_leaf_that_wins_at_once_is_proven_without_an_evaluation():
    # Two stones already are an open three in a row, so Black's move does not matter.
    game = boardenvs.make("gomoku", board_size=5, win_length=3)
    states = game.new(1)
    for action in (0, 12, 4, 13):
        game.play(states, [action])
    asked = []

    def evaluate(leaves):
        asked.extend(leaves.copy())
        return np.zeros((len(leaves), game.num_actions), np.float32), np.zeros(len(leaves))

    evaluator = SimpleNamespace(evaluate=evaluate)
    found = PuctAgent(game, 0, 100, evaluator=evaluator).search(states)
    assert found.proven[0]
    assert found.values[0, 0] == -1
    assert len(asked) == 1  # only the root
    asked.clear()
    plain = PuctAgent(game, 0, 100, decisive=False, evaluator=evaluator).search(states)
    assert not plain.proven[0]
    assert len(asked) > 50


class Uniform:
    """An evaluator that gives every position the value 0."""

    def __init__(self, game):
        self.num_actions = game.num_actions

    def evaluate(self, states):
        return np.zeros((len(states), self.num_actions), np.float32), np.zeros(len(states))


def test_threads_do_not_change_a_search(gekitai, live_positions, fixed_threads):
    states = live_positions(gekitai, 10, 3)[:40].copy()
    words = np.arange(len(states), dtype=np.uint64)
    agent = PuctAgent(gekitai, 0, 40, evaluator=Uniform(gekitai))
    visits = []
    for threads in (1, 2):
        fixed_threads(threads)
        visits.append(agent.search(states, words).visits)
    np.testing.assert_array_equal(*visits)


def test_batches_do_not_change_a_search(gekitai, tiny, live_positions, monkeypatch):
    states = live_positions(gekitai, 10, 3)[:40].copy()
    words = np.arange(len(states), dtype=np.uint64)
    agent = PuctAgent(gekitai, 0, 40, path=tiny.network)
    together = agent.search(states, words)
    monkeypatch.setattr("agents.search.puct._SIDE_BY_SIDE", 7)
    np.testing.assert_array_equal(agent.search(states, words).visits, together.visits)
    alone = [agent.search(states[i], words[i : i + 1]).visits[0] for i in range(len(states))]
    np.testing.assert_array_equal(alone, together.visits)


@pytest.mark.parametrize("name", [pytest.param("goat_race", marks=pytest.mark.slow), "dominoes175"])
def test_games_with_chance_hidden_information_and_several_players_are_searched(
    name, network_file, live_positions
):
    game = boardenvs.make(name)
    states = live_positions(game, 4, 1)[:20].copy()
    words = np.arange(len(states), dtype=np.uint64)
    agent = PuctAgent(game, 0, 60, path=network_file(game))
    found = agent.search(states, words)
    assert (found.visits.sum(1) == 60).all()
    assert not found.visits[~game.legal(states)].any()
    other = states.copy()
    other["rng"] ^= np.uint64(1234567)
    np.testing.assert_array_equal(agent.search(other, words).visits, found.visits)


@pytest.mark.parametrize("simulations", [9, 120, 240])
def test_threads_that_share_a_tree_do_not_change_a_search(
    simulations, gekitai, tiny, live_positions
):
    states = live_positions(gekitai, 10, 3)[:9].copy()
    words = np.arange(len(states), dtype=np.uint64)
    found = {
        threads: PuctAgent(gekitai, 0, simulations, path=tiny.network, threads=threads)
        for threads in (1, 2, 5)
    }
    alone = [found[1].search(states[i], words[i : i + 1]).visits[0] for i in range(len(states))]
    for agent in found.values():
        for size in (1, 3, 9):
            for low in range(0, 9, size):
                part = slice(low, low + size)
                visits = agent.search(states[part], words[part]).visits
                np.testing.assert_array_equal(visits, alone[part])


class Asked(Uniform):
    """An evaluator that records the sizes of its batches and its threads."""

    def __init__(self, game, concurrent):
        super().__init__(game)
        self.concurrent = concurrent
        self.sizes = []
        self.threads = set()

    def evaluate(self, states, threads=None):
        self.sizes.append(len(states))
        self.threads.add(threading.get_ident())
        return super().evaluate(states)


def asked_sizes(game, simulations):
    """Return the batch sizes of the evaluations of one search, in order."""
    asked = Asked(game, False)
    agent = PuctAgent(game, 0, simulations, decisive=False, evaluator=asked)
    assert agent.search(game.new(1, 0)).visits.sum() == simulations
    assert sum(asked.sizes) == simulations + 1
    return asked.sizes


def test_leaves_of_one_tree_are_evaluated_together(gekitai):
    sizes = asked_sizes(gekitai, 400)
    assert sizes[:3] == [1, 1, 1]
    assert max(sizes) == 8
    assert len(sizes) < 75
    # The slots alternate: their sizes differ by at most one leaf.
    assert all(after <= before + 1 for before, after in itertools.pairwise(sizes))


def test_more_simulations_evaluate_more_leaves_together(gekitai):
    assert max(asked_sizes(gekitai, 240)) == 5
    assert max(asked_sizes(gekitai, 1600)) == 16


def test_pending_visits_fit_into_the_counter_of_an_edge():
    assert np.iinfo(EDGE["under_way"]).max >= STRAYS + puct._MOST_AWAITED


def test_few_simulations_evaluate_few_leaves_together(gekitai):
    sizes = asked_sizes(gekitai, 200)
    assert sizes[:16] == [1] * 16
    assert max(sizes) == 6
    assert asked_sizes(gekitai, 8) == [1] * 9


def test_the_version_includes_the_number_of_leaves_evaluated_together(gekitai, tiny):
    made = {n: PuctAgent(gekitai, 0, n, path=tiny.network).play_version for n in (200, 201)}
    assert made == {200: 3, 201: 5}
    assert PuctAgent(gekitai, 0, path=tiny.network, time_limit=1).play_version == 5
    assert GumbelAgent(gekitai, 0, 100, evaluator=Uniform(gekitai)).play_version == 2
    assert PuctAgent.play_version == 5


@pytest.mark.parametrize("num", [1, 40])
@pytest.mark.parametrize("concurrent", [True, False])
def test_only_concurrent_evaluators_are_called_by_several_threads(num, concurrent, gekitai):
    asked = Asked(gekitai, concurrent)
    PuctAgent(gekitai, 0, 200, evaluator=asked, threads=2).search(gekitai.new(num, 0))
    assert len(asked.threads) == 1 + concurrent


@pytest.mark.parametrize("num", [1, 40])
def test_an_error_in_another_thread_is_raised(num, gekitai, refused):
    asked = Asked(gekitai, True)
    here = threading.get_ident()

    def evaluate(states, threads=None):
        if threading.get_ident() != here:
            raise ValueError("a bad cable")
        return Uniform.evaluate(asked, states)

    asked.evaluate = evaluate
    agent = PuctAgent(gekitai, 0, 200, evaluator=asked, threads=2)
    with refused("a bad cable"):
        agent.search(gekitai.new(num, 0))


def test_outputs_of_an_evaluator_with_a_wrong_shape_are_refused(gekitai, refused):
    evaluator = SimpleNamespace(evaluate=lambda states: (np.zeros((1, 35)), np.zeros(1)))
    with refused("evaluator .*logits"):
        PuctAgent(gekitai, 0, 5, evaluator=evaluator).act(gekitai.new(1, 0))


def test_puct_is_deterministic_if_the_game_is(gekitai, network_file):
    goat_race = boardenvs.make("goat_race")
    assert PuctAgent(gekitai, path=network_file(gekitai)).deterministic
    assert not PuctAgent(goat_race, path=network_file(goat_race)).deterministic


def test_simulations_are_set_by_spec_or_option(gekitai, tiny):
    made = agents.make("puct:7", "gekitai", 0, path=tiny.network, exploration=3)
    assert (made.simulations, made.exploration, made.spec) == (7, 3.0, "puct:7")
    assert agents.make("puct", gekitai).simulations == 400


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("gekitai", {"simulations": 0}, "simulations"),
        ("gekitai", {"threads": 0}, "threads"),
        ("gekitai", {"exploration": "much"}, "exploration"),
        ("goat_race", {"decisive": True}, "decisive .*goat_race"),
        ("gekitai", {"decisive": 1}, "decisive .*got 1"),
        ("gekitai", {"path": "nowhere.onnx"}, "nowhere.onnx .*not exist"),
        (boardenvs.make("goat_race", num_players=5, width=11), {}, "trained agent .*GoatRace"),
    ],
)
def test_bad_options_are_refused(game, options, message, refused):
    with refused(message):
        agents.make("puct", game, **options)


def test_path_and_evaluator_together_are_refused(gekitai, refused):
    with refused("path .*evaluator .*'a.onnx'"):
        PuctAgent(gekitai, path="a.onnx", evaluator=Uniform(gekitai))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit_ends_a_search(threads, gekitai, tiny):
    agent = PuctAgent(gekitai, 0, time_limit=0.2, path=tiny.network, threads=threads)
    assert not agent.repeatable
    assert not agent.deterministic
    state = gekitai.new(1, 0)
    agent.search(state)
    spent = []
    for _ in range(3):
        began = time.perf_counter()
        found = agent.search(state)
        spent.append(time.perf_counter() - began)
        assert found.visits.sum() > 100
        assert not found.visits[~gekitai.legal(state)].any()
    assert min(spent) < 0.22  # the best of several, since the machine may be busy
    assert max(spent) > 0.19


def test_an_unreached_time_limit_does_not_change_a_search(gekitai, tiny):
    states = gekitai.new(2, 0)
    words = np.arange(2, dtype=np.uint64)
    free = PuctAgent(gekitai, 0, 120, path=tiny.network).search(states, words)
    bound = PuctAgent(gekitai, 0, 120, path=tiny.network, time_limit=1e6).search(states, words)
    np.testing.assert_array_equal(bound.visits, free.visits)
    np.testing.assert_array_equal(bound.values, free.values)


def test_a_time_limit_of_zero_still_gives_a_legal_action(gekitai, tiny):
    state = gekitai.new(1, 0)
    found = PuctAgent(gekitai, 0, time_limit=0, path=tiny.network).search(state)
    assert gekitai.legal(state)[0, found.actions[0]]


@pytest.mark.slow
def test_the_time_limit_is_kept_if_every_simulation_ends_the_game(network_file):
    # With three players nothing is proven, so simulations never stop early.
    game = boardenvs.make("goat_race", num_players=3)
    states = game.new(1, 0)
    rng = np.random.default_rng(0)
    while True:
        after = states.copy()
        game.play(after, [rng.choice(np.flatnonzero(game.legal(after)[0]))])
        if game.over(after)[0]:
            break
        states = after
    agent = PuctAgent(game, 0, time_limit=0.1, path=network_file(game))
    agent.search(states)
    began = time.perf_counter()
    agent.search(states)
    assert time.perf_counter() - began < 5
