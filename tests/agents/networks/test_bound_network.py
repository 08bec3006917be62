"""Networks bound to arrays: the same evaluations, and the same search results."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from two_games import others_slow

import agents
import boardenvs
from agents.networks.onnx_policy import OnnxPolicy
from agents.search.gumbel import GumbelAgent
from agents.search.puct import PuctAgent

SHIPPED = [
    ("gekitai", False),
    ("gekitai", True),
    ("gomoku", False),
    ("game112", False),
    ("goat_race", True),
    ("dominoes175", False),
    ("pizza_order", False),
]


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize(("name", "int8"), SHIPPED)
def test_a_bound_network_computes_the_same_bits(name, int8, threads, live_positions):
    game = boardenvs.make(name)
    states = live_positions(game, 3, 1)[:30].copy()
    network = OnnxPolicy(game, int8=int8)
    bound = network.bind_to_arrays(len(states))
    for num in (1, 7, len(states), 7):
        some = np.roll(states, num)[:num].copy()
        observations = network.observed_game.observe_to_move(some).astype(np.float32)
        bound.seen[:num] = observations.reshape(num, -1)
        bound.evaluate(num, threads)
        logits, values = network.evaluate_observations(observations, threads)
        np.testing.assert_array_equal(bound.logits[:num], logits)
        np.testing.assert_array_equal(bound.values[:num].reshape(values.shape), values)


def found(agent, states):
    words = np.arange(len(states), dtype=np.uint64)
    return {name: np.asarray(value) for name, value in vars(agent.search(states, words)).items()}


def check_alike(game, states, kind, simulations, path=None):
    """Check that bound and unbound networks agree, with one or two threads and as copies."""
    network = OnnxPolicy(game, path, int8=True)
    plain = SimpleNamespace(evaluate=network.evaluate)
    expected = found(kind(game, 0, simulations, evaluator=plain), states)
    for threads in (1, 2):
        agent = kind(game, 0, simulations, evaluator=network, threads=threads)
        for one in (agent, agent, pickle.loads(pickle.dumps(agent))):
            for key, value in found(one, states).items():
                np.testing.assert_array_equal(value, expected[key])


@pytest.mark.parametrize(("kind", "simulations"), [(PuctAgent, 250), (GumbelAgent, 32)])
@pytest.mark.parametrize(
    "name",
    others_slow([name for name, int8 in SHIPPED if not int8], ("gekitai", "dominoes175")),
)
def test_a_search_with_a_bound_network_finds_the_same(name, kind, simulations, live_positions):
    game = boardenvs.make(name)
    states = live_positions(game, 3, 2)
    check_alike(game, states[:1].copy(), kind, simulations)
    check_alike(game, states[-9:].copy(), kind, simulations)


@pytest.mark.slow
@pytest.mark.parametrize("remembered", [True, False], ids=["trained with", "trained without"])
def test_a_bound_network_observes_as_in_training(remembered, network_file, live_positions):
    trained_on = boardenvs.make("goat_race", num_players=2, memory=remembered)
    played = boardenvs.make("goat_race", num_players=2, memory=not remembered)
    size = int(np.prod(trained_on.observation_shape)), played.num_actions
    weights = np.random.default_rng(0).normal(size=size).astype(np.float32)
    states = live_positions(played, 3, 4)[50:62].copy()
    check_alike(played, states, PuctAgent, 30, network_file(trained_on, weights=weights))


@pytest.mark.parametrize("num", [1, 40])
def test_buffers_are_reused_by_the_next_search(num, gekitai, monkeypatch):
    made = []
    agent = agents.make("puct:250", gekitai, seed=0)
    bind = agent.evaluator.bind_to_arrays
    monkeypatch.setattr(
        agent.evaluator, "bind_to_arrays", lambda capacity: made.append(capacity) or bind(capacity)
    )
    for _ in range(3):
        agent.act(gekitai.new(num, 0))
    agent.act(gekitai.new(1, 0))
    assert 2 <= len(made) <= 4  # two slots, with at most one per thread


@pytest.mark.parametrize("capacity", [0, -1, 2.5, 2**40, None])
def test_an_invalid_capacity_is_refused(capacity, game112, refused):
    with refused("capacity .*1048576"):
        OnnxPolicy(game112).bind_to_arrays(capacity)


@pytest.mark.parametrize("num", [0, 4, -1])
def test_numbers_beyond_the_capacity_are_refused(num, game112, refused):
    with refused("num .*1 to 3"):
        OnnxPolicy(game112).bind_to_arrays(3).evaluate(num)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("seen", lambda array: array.astype(np.float64)),
        ("logits", lambda array: array[:, ::2]),
        ("logits", lambda array: np.asfortranarray(np.zeros(array.shape, np.float32))),
        ("values", lambda array: array[:-1]),
        ("values", lambda array: np.broadcast_to(np.float32(0), array.shape)),
    ],
)
def test_invalid_arrays_of_an_evaluator_are_refused(name, change, gekitai, refused):
    network = OnnxPolicy(gekitai)

    def bind(capacity):
        bound = network.bind_to_arrays(capacity)
        setattr(bound, name, change(getattr(bound, name)))
        return bound

    evaluator = SimpleNamespace(evaluate=network.evaluate, bind_to_arrays=bind)
    agent = PuctAgent(gekitai, 0, 250, evaluator=evaluator)
    with refused(f"evaluator's {name} .*float32"):
        agent.act(gekitai.new(1, 0))
