"""Common properties of all agents: legal actions that depend only on states and random words."""

import copy
import functools

import numpy as np
import pytest

import agents
import boardenvs
from agents.naming.tables import agents_of
from boardenvs.core.chance import seed_word

# Game and spec; "best", "warm" and "guided" are Gekitai's trained agents.
KINDS = [
    "gekitai random",
    "gekitai greedy",
    "gekitai best",
    "gekitai warm",
    "gekitai guided",
    "gomoku neighbour",
    "gomoku threats:100",
]
KINDS += ["game112 exact", "gekitai mcts:20", "dominoes175 mcts:20"]
KINDS += [
    f"{name} greedy"
    for name in boardenvs.GAMES
    if agents_of(boardenvs.make(name))["greedy"].module != "agents.players.greedy"
]


@pytest.fixture(params=KINDS)
def agent(request, tiny):
    """Return each kind of agent in turn."""
    game, spec = request.param.split()
    if spec in ("best", "warm"):
        return agents.make(tiny.spec, game, 5, temperature=float(spec == "warm"))
    if spec == "guided":
        return agents.make("puct:20", game, 5, path=tiny.network)
    return agents.make(spec, game, seed=5)


@pytest.fixture(scope="module")
def positions_of(live_positions):
    """Return the function `name -> records` of at most 1,000 unfinished positions of a game."""

    @functools.cache
    def positions_of(name):
        live = live_positions(boardenvs.make(name), 60, 8)
        return live[:: 1 + len(live) // 1000].copy()

    return positions_of


@pytest.fixture
def positions(agent, positions_of):
    return positions_of(agent.game.name).copy()


def test_agents_act_legally_in_all_positions(agent, positions):
    before = positions.copy()
    actions = agent.act(positions)
    assert actions.dtype == np.int64
    assert actions.shape == (len(positions),)
    assert agent.game.legal(positions)[np.arange(len(positions)), actions].all()
    np.testing.assert_array_equal(positions, before)


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_baseline_agents_act_legally_in_every_game(spec, game, live_positions):
    states = live_positions(game, 60, 9)
    actions = agents.make(spec, game, seed=1).act(states)
    assert game.legal(states)[np.arange(len(states)), actions].all()


def test_an_action_depends_only_on_its_state_and_random_bits(agent, positions):
    rng = np.random.default_rng(2)
    words = rng.integers(0, 2**64, len(positions), np.uint64)
    chosen = agent.choose(positions, words)
    order = rng.permutation(len(positions))
    np.testing.assert_array_equal(agent.choose(positions[order], words[order]), chosen[order])
    for part in (slice(0, 1), slice(3, 5), slice(100, 207)):
        np.testing.assert_array_equal(agent.choose(positions[part], words[part]), chosen[part])
    # Each state alone.
    alone = [agent.choose(positions[i : i + 1], words[i : i + 1])[0] for i in range(100)]
    np.testing.assert_array_equal(alone, chosen[:100])


def test_threads_do_not_change_actions(gekitai, positions_of, fixed_threads):
    agent, positions = agents.make("greedy", gekitai, 5), positions_of("gekitai")
    words = np.arange(len(positions), dtype=np.uint64) << np.uint64(40)
    fixed_threads(2)
    chosen = agent.choose(positions, words)
    fixed_threads(1)
    np.testing.assert_array_equal(agent.choose(positions, words), chosen)


def test_actions_do_not_depend_on_the_random_stream_of_the_game(agent, positions):
    words = np.arange(len(positions), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    other = positions.copy()
    other["rng"] ^= np.uint64(0xFFFF)
    np.testing.assert_array_equal(agent.choose(other, words), agent.choose(positions, words))


def test_actions_of_deterministic_agents_do_not_depend_on_random_bits(agent, positions):
    zeros = np.zeros(len(positions), np.uint64)
    ones = np.full(len(positions), 2**64 - 1, np.uint64)
    same = (agent.choose(positions, zeros) == agent.choose(positions, ones)).all()
    assert same == agent.deterministic


def test_the_seed_determines_actions(gekitai, positions_of):
    positions = positions_of("gekitai")
    first, again, other = (agents.make("random", gekitai, seed) for seed in (1, 1, 2))
    once, twice = first.act(positions), first.act(positions)
    assert (once != twice).any()
    np.testing.assert_array_equal(again.act(positions), once)
    np.testing.assert_array_equal(again.act(positions), twice)
    assert (other.act(positions) != once).any()


@pytest.mark.parametrize("spec", ["random", "mcts:20", "puct:20"])
def test_a_seed_gives_the_documented_random_bits(spec, gekitai, positions_of):
    positions = positions_of("gekitai")
    rng = np.random.default_rng(int(seed_word(3)))
    agent, by_words = (agents.make(spec, gekitai, seed) for seed in (3, 4))
    for _ in range(2):
        words = rng.integers(0, 2**64, len(positions), np.uint64)
        np.testing.assert_array_equal(agent.act(positions), by_words.choose(positions, words))
    if spec != "random":
        words = rng.integers(0, 2**64, len(positions), np.uint64)
        searched, again = agent.search(positions), by_words.search(positions, words)
        np.testing.assert_array_equal(searched.visits, again.visits)


def test_without_a_seed_two_agents_differ(gekitai, positions_of):
    positions = positions_of("gekitai")
    first, second = (agents.make("random", gekitai).act(positions) for _ in range(2))
    assert (first != second).any()


def test_an_empty_batch_has_no_actions(agent):
    actions = agent.act(agent.game.new(0))
    assert actions.shape == (0,)
    assert actions.dtype == np.int64


def test_a_single_record_is_a_batch_of_one(agent):
    assert agent.act(agent.game.new(1, seed=0)[0]).shape == (1,)


def test_finished_states_are_refused(agent, random_positions, refused):
    states = random_positions(agent.game, 5, 1)
    over = agent.game.over(states)
    with refused(f"states? .*{over.argmax()} is over"):
        agent.act(states)


@pytest.mark.parametrize("junk", [np.zeros(3), [1, 2], "board", None])
def test_invalid_states_are_refused(agent, junk, refused):
    with refused(f"{agent.game.name} records"):
        agent.act(junk)


def test_states_of_another_game_are_refused(agent, gekitai, game112, refused):
    other = gekitai if agent.game == game112 else game112
    with refused(f"{agent.game.name} records"):
        agent.act(other.new(2))


def test_a_copy_acts_identically(agent, positions):
    # Copying an environment during a game also copies its opponents.
    twin = copy.deepcopy(agent)
    words = np.arange(len(positions), dtype=np.uint64) << np.uint64(40)
    np.testing.assert_array_equal(twin.choose(positions, words), agent.choose(positions, words))
