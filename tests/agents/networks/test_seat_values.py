"""Networks with a value for every seat, in games for three and more players."""

import numpy as np
import pytest
import torch

import boardenvs
from agents.networks.export import export_policy
from agents.networks.onnx_policy import OnnxPolicy
from agents.networks.policy_networks import BoardPolicy
from agents.networks.seat_values import by_seat, in_turn, num_values
from agents.players.trained import TrainedAgent
from agents.search import PuctAgent


@pytest.fixture(scope="module")
def race():
    return boardenvs.make("goat_race", num_players=4)


@pytest.fixture(scope="module")
def states(race):
    return played(race, 12)


def played(game, num):
    """Positions after a few random plies."""
    rng = np.random.default_rng(0)
    states = game.new(num, 0)
    for _ in range(7):
        legal = game.legal(states)
        game.play(states, np.argmax(rng.random(legal.shape) * legal, axis=1))
    return states


@pytest.fixture(scope="module")
def network(race, tmp_path_factory):
    """A network with random weights, and the policy it was exported from."""
    from gymnasium import spaces

    torch.manual_seed(0)
    space = spaces.Box(0, 1, race.observation_shape, np.int8)
    policy = BoardPolicy(
        space,
        spaces.Discrete(race.num_actions),
        lambda _: 1e-3,
        net_arch=[8],
        features_extractor_kwargs={"channels": 8, "blocks": 1},
        num_values=num_values(race),
    )
    path = tmp_path_factory.mktemp("network") / "agent.onnx"
    export_policy(policy, (race,), path, {})
    return path, policy


def test_games_for_one_or_two_players_have_a_single_value():
    assert num_values(boardenvs.make("gekitai")) == num_values(boardenvs.make("pizza_order")) == 1


def test_values_are_ordered_by_seat_and_by_turn(race, states):
    by_turn = np.arange(len(states) * 4).reshape(-1, 4)
    seats = by_seat(race, states, by_turn)
    np.testing.assert_array_equal(in_turn(race, states, seats), by_turn)
    rows = np.arange(len(states))
    np.testing.assert_array_equal(seats[rows, states["to_move"]], by_turn[:, 0])
    assert len(np.unique(states["order"], axis=0)) > 3


@pytest.mark.parametrize("name", ["gekitai", "pizza_order"])
def test_seats_play_in_turn(name):
    game = boardenvs.make(name)
    states = game.new(3, 0)
    expected = np.tile(np.arange(game.num_players), (3, 1))
    np.testing.assert_array_equal(game.seats_in_turn(states), expected)


def test_observations_list_the_players_in_turn(race, states):
    n = race.num_players
    turns = race.seats_in_turn(states)
    assert (np.sort(turns, axis=1) == np.arange(n)).all()
    seen = race.observe_to_move(states)
    for place in range(n):
        own = race.observe(states, turns[:, place])
        np.testing.assert_array_equal(own[:, 0], seen[:, place])  # the tops of that player


def test_a_network_returns_the_values_of_all_seats(race, states, network):
    path, policy = network
    found = OnnxPolicy(race, path)
    logits, values = found.evaluate(states)
    with torch.no_grad():
        seen = torch.from_numpy(race.observe_to_move(states))
        own = policy.predict_values(seen.float()).numpy()
    assert logits.shape == (len(states), race.num_actions)
    assert values.shape == (len(states), 4)
    rows = np.arange(len(states))
    np.testing.assert_allclose(values[rows, states["to_move"]], own[:, 0], atol=1e-5)
    _, analyses = TrainedAgent(race, path=path).consider(states, np.zeros(12, np.uint64))
    assert analyses[0].values == pytest.approx(values[0], abs=1e-3)


class Unbound:
    """A network that is called with records."""

    def __init__(self, network):
        self.evaluate = network.evaluate


def test_a_search_takes_the_values_of_all_seats(race, states, network):
    path, _ = network
    bound = PuctAgent(race, 0, 30, path=path).search(states)
    found = PuctAgent(race, 0, 30, evaluator=Unbound(OnnxPolicy(race, path))).search(states)
    np.testing.assert_array_equal(found.visits, bound.visits)
    np.testing.assert_allclose(found.values, bound.values, atol=1e-5)
    # One value would leave a sum of 0, and this network was not trained.
    assert np.abs(found.values.sum(1)).min() > 1e-3
