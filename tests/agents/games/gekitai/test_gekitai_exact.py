"""Gekitai's `exact` wins positions with a known win, and reports no other values."""

import copy

import numpy as np
import pytest
from plain_wins import fewest_plies, forced

import agents
from agents.games.gekitai.exact import GekitaiExactAgent
from agents.games.gekitai.proofs.solving import Solver
from agents.search.exact import ExactAgent
from boardenvs.gekitai import Gekitai

WORDS = np.random.default_rng(1).integers(0, 2**64, 400, np.uint64)


@pytest.fixture(scope="module")
def exact(gekitai):
    return agents.make("exact", gekitai, seed=1, budget=4000)


@pytest.fixture(scope="module")
def some(gekitai, live_positions):
    """Return positions and the plies, up to 5, in which the player to move can force a win.

    They are positions of random games, and the positions after a winning move if won in 3 or 5.
    """
    states = live_positions(gekitai, 60, 5)
    solver = Solver(gekitai, 16)
    fewest = fewest_plies(solver, states, 5)
    chosen = np.concatenate([np.flatnonzero(fewest == few)[:12] for few in (0, 1, 3, 5)])
    won = states[chosen[24:]]
    gekitai.play(won, [solver.search(state, 10**7, plies=5).action for state in won])
    states = np.concatenate([states[chosen], won])
    return states, fewest_plies(solver, states, 5)


@pytest.fixture(scope="module")
def poor(gekitai):
    return agents.make("exact", gekitai, seed=1, budget=20)


def test_exact_of_gekitai_has_its_own_class(exact):
    assert isinstance(exact, GekitaiExactAgent)
    assert exact.play_version == 4


def test_exact_knows_the_winner_from_the_start(gekitai, exact):
    states = gekitai.new(1)
    assert exact.values(states).tolist() == [[1, -1]]
    assert exact.plies(states).tolist() == [25]
    action = exact.act(states)
    gekitai.play(states, action)
    assert exact.values(states).tolist() == [[1, -1]]
    assert exact.plies(states).tolist() == [24]


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_exact_wins_every_game_from_the_first_seat(gekitai, exact, opponent):
    other = agents.make(opponent, gekitai, seed=2)
    states = gekitai.new(40, 3)
    while len(states):
        before = exact.plies(states)
        gekitai.play(states, exact.act(states), illegal="raise")
        live = ~gekitai.over(states)
        assert (states["returns"][~live, 0] == 1).all()
        states = states[live]
        assert (exact.plies(states) == before[live] - 1).all()
        gekitai.play(states, other.act(states), illegal="raise")
        assert (states["returns"][gekitai.over(states), 0] == 1).all()
        states = states[~gekitai.over(states)]
    assert (before <= 25).all()


def test_exact_delays_its_loss(gekitai, exact):
    states = gekitai.new(1)
    moves = 0
    while not gekitai.over(states)[0]:
        gekitai.play(states, exact.act(states), illegal="raise")
        moves += 1
    # Each of these replies is the best one, so nobody lasts longer against the strategy.
    assert moves == 25
    assert states["returns"].tolist() == [[1, -1]]


def test_values_of_exact_are_correct(gekitai, exact, some):
    states, fewest = some
    values, plies = exact.values(states), exact.plies(states)
    own = values[np.arange(len(states)), states["to_move"]]
    np.testing.assert_array_equal(own[fewest > 0], 1)
    assert (plies[fewest > 0] >= fewest[fewest > 0]).all()
    np.testing.assert_array_equal(np.isnan(own), plies < 0)
    assert (own == -1).sum() >= 24
    solver = Solver(gekitai, 16)
    for state, value, most in zip(states, own, plies, strict=True):
        if value == -1 and most <= 6:  # the other player can force a win after any move
            after = np.repeat(state, gekitai.num_actions)[gekitai.legal(state)[0]]
            gekitai.play(after, np.flatnonzero(gekitai.legal(state)[0]))
            after = after[~gekitai.over(after)]
            assert (fewest_plies(solver, after, 5) > 0).all()


def test_unsettled_positions_have_no_value(gekitai, poor, some):
    states, fewest = some
    states = states[fewest == 0]
    unsettled = np.isnan(poor.values(states)[:, 0])
    states = states[unsettled]
    assert len(states) >= 5
    assert (poor.plies(states) == -1).all()
    # It avoids visible losses as long as there is another move.
    after = states.copy()
    gekitai.play(after, poor.choose(states, WORDS[: len(states)]), illegal="raise")
    assert (after["returns"][np.arange(len(after)), states["to_move"]] >= 0).all()
    assert not forced(gekitai, after, after["to_move"], 1).any()


@pytest.mark.slow
def test_a_choice_depends_only_on_its_position(gekitai, exact, some):
    states, _ = some
    words = WORDS[: len(states)]
    together = exact.choose(states, words)
    fresh = copy.deepcopy(exact)
    order = np.random.default_rng(2).permutation(len(states))
    np.testing.assert_array_equal(fresh.choose(states[order], words[order]), together[order])
    actions, told = exact.consider(states, words)
    np.testing.assert_array_equal(actions, together)
    values = exact.values(states)
    for k, one in enumerate(told):
        assert actions[k] in one.weights
        assert one.values == tuple(None if np.isnan(v) else v for v in values[k])


def test_a_win_must_fit_into_max_plies(gekitai):
    # The win takes 25 plies, which are more than the game allows.
    short = Gekitai(max_plies=24)
    agent = agents.make("exact", short, seed=1, budget=2000)
    assert np.isnan(agent.values(short.new(1))).all()
    assert agents.make("exact", Gekitai(max_plies=25), budget=2000).plies(short.new(1))[0] == 25
    late = gekitai.new(1)
    late["ply"] = 176
    agent = agents.make("exact", gekitai, budget=2000)
    assert np.isnan(agent.values(late)).all()
    assert gekitai.legal(late)[0, agent.act(late)[0]]


def test_values_near_the_longest_game_agree_with_an_exhaustive_search(live_positions):
    game = Gekitai(max_plies=17)
    states = live_positions(game, 300, 3)
    states = states[states["ply"] >= game.max_plies - 3][::7]
    generic = ExactAgent(game)
    agent = agents.make("exact", game, budget=20_000)
    known = agent.values(states)
    settled = ~np.isnan(known[:, 0])
    assert 0 < settled.sum() < len(states)
    np.testing.assert_array_equal(known[settled], generic.values(states)[settled])
    # Unsettled positions are draws by truncation.
    assert not generic.values(states)[~settled].any()


def test_action_values_rate_winning_actions_best(gekitai, exact):
    values = exact.action_values(gekitai.new(1))[0]
    assert np.nanmax(values) == 1
    assert values[exact.act(gekitai.new(1))[0]] == 1
    over = gekitai.new(1)
    for move in ("B2", "A1", "D4", "E5", "D4"):
        gekitai.play(over, [gekitai.action_from_text(move)])
    assert gekitai.over(over)[0]
    assert np.isnan(exact.action_values(over)).all()
    assert exact.plies(over).tolist() == [0]
    assert exact.values(over).tolist() == over["returns"].tolist()


def test_exact_plays_other_sizes_without_a_strategy(live_positions):
    game = Gekitai(board_size=8, line_length=4)
    agent = agents.make("exact", game, seed=1, budget=500)
    assert np.isnan(agent.values(game.new(1))).all()
    assert game.legal(game.new(1))[0, agent.act(game.new(1))[0]]


@pytest.mark.parametrize("budget", [0, -1, 1.5, "many", None, True])
def test_an_invalid_budget_is_refused(budget, refused):
    with refused("^budget "):
        agents.make("exact", "gekitai", budget=budget)
