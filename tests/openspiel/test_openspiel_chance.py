"""Explicit chance agrees with the rules: the same draws, positions and probabilities."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import boardenvs
from boardenvs.core import chance
from boardenvs.core.rules import plain_rules

pyspiel = pytest.importorskip("pyspiel")
import boardenvs.openspiel  # noqa: E402

DRAWING = {
    "goat_race": {"num_players": 2},
    "pizza_order": {"max_pizzas": 2},
}


def load(name, **params):
    arguments = ",".join(f"{key}={value}" for key, value in params.items())
    return pyspiel.load_game(f"python_boardenvs_{name}({arguments})")


def follow(state, draws):
    """Apply the outcomes that the rules drew, and check that no chance node is left."""
    for bound, outcome in draws:
        assert state.chance_outcomes() == [(k, 1 / bound) for k in range(bound)]
        state.apply_action(outcome)
    assert not state.is_chance_node()


def without_stream(record):
    copy = record.copy()
    copy["rng"] = 0
    return copy


@pytest.mark.parametrize("name", DRAWING)
def test_explicit_chance_leads_to_the_positions_of_the_rules(name):
    game = boardenvs.make(name, **DRAWING[name])
    draws = []

    def drawn(s, bound):
        outcome = np.int64(chance.draw(s, bound))  # the type in compiled rules
        if bound > 1:
            draws.append((bound, int(outcome)))
        return outcome

    rules = plain_rules(game.rules, drawn)
    rng = np.random.default_rng(0)
    in_play = 0
    for seed in range(4):
        compiled = game.new(1, seed)
        states = game.start.copy()
        states["rng"] = chance.make_streams(chance.seed_word(seed), 1)
        draws.clear()
        rules["deal"](states[0], game.constants[0])
        state = load(name, **DRAWING[name]).new_initial_state()
        follow(state, draws)
        while True:
            assert compiled[0] == states[0]
            assert state.states[0] == without_stream(states[0])
            if state.is_terminal():
                break
            action = int(rng.choice(state.legal_actions()))
            draws.clear()
            rules["play"](states[0], game.constants[0], action)
            game.play(compiled, [action])
            state.apply_action(action)
            in_play += len(draws)
            follow(state, draws)
        assert state.returns() == game.returns(compiled)[0].tolist()
    assert (in_play > 100) == (name == "goat_race")


def outcomes_after(state, told, probability=1.0):
    """Return the probability of each value of `told` after all chance nodes, as a Counter."""
    if not state.is_chance_node():
        return Counter({told(state.states[0]): probability})
    total = Counter()
    for outcome, share in state.chance_outcomes():
        total.update(outcomes_after(state.child(outcome), told, probability * share))
    return total


def assert_drawn_from(probabilities, counts):
    """Check counts against probabilities by a chi-square test at five standard deviations."""
    assert set(counts) <= set(probabilities)
    assert sum(probabilities.values()) == pytest.approx(1)
    num = sum(counts.values())
    expected = {key: num * p for key, p in probabilities.items()}
    square = sum((counts[key] - e) ** 2 / e for key, e in expected.items())
    freedom = len(expected) - 1
    assert abs(square - freedom) < 5 * (2 * freedom) ** 0.5


def die_and_seat(record):
    return int(record["die"]), int(record["to_move"])


def compare_throws(game, state, action, rng):
    """Check the probabilities of throws after an action against the rules, and return them."""
    states = np.repeat(state.states[0], 3000)
    states["rng"] = rng.integers(0, 2**64, len(states), np.uint64)
    game.play(states, np.full(len(states), action))
    probabilities = outcomes_after(state.child(action), die_and_seat)
    assert_drawn_from(probabilities, Counter(map(die_and_seat, states)))
    return probabilities


def test_throws_have_the_probabilities_of_the_rules():
    game = boardenvs.make("goat_race", num_players=2)
    state = load("goat_race", num_players=2).new_initial_state()
    rng = np.random.default_rng(1)
    compared = 0
    while compared < 10:
        action = int(rng.choice(state.legal_actions()))
        if not state.is_chance_node() and state.child(action).is_chance_node():
            assert len(compare_throws(game, state, action, rng)) == game.height
            compared += 1
        state.apply_action(action)


def test_a_throw_without_a_choice_is_followed_by_another():
    game = boardenvs.make("goat_race", num_players=2)
    state = load("goat_race", num_players=2).new_initial_state(
        {
            "obstacles": [[row, "D"] for row in range(1, 7)],
            "stacks": {"A1": "WWWWBB", "B1": "B", "B2": "B"},
            "order": [0, 1],
            "decision": "forward",
            "die": 1,
            "last_die": 0,
            "to_move": 1,
        }
    )
    # All of White's goats are covered. White must throw a row with a goat to move, or it is Black's
    # turn.
    move = game.action_from_text("B1C1", state.states[0])
    probabilities = compare_throws(game, state, move, np.random.default_rng(0))
    white = {key: p for key, p in probabilities.items() if key[1] == 0}
    assert white == pytest.approx({(1, 0): 1 / 6, (2, 0): 1 / 6})
    assert {key for key in probabilities if key[1] == 1} == {(die, 1) for die in range(1, 7)}


def test_orders_of_play_have_the_probabilities_of_the_rules():
    def order(record):
        return tuple(record["order"].tolist())

    walls = [[row, "D"] for row in range(1, 7)]
    game = boardenvs.make("goat_race", num_players=2, obstacles=walls)
    state = load("goat_race", num_players=2, obstacles="DDDDDD").new_initial_state()
    probabilities = outcomes_after(state, order)
    assert probabilities[1, 0] == pytest.approx(21 / 36)  # the later of equal throws goes first
    assert_drawn_from(probabilities, Counter(map(order, game.new(3000, seed=0))))


def test_tiles_have_the_probabilities_of_a_shuffled_grid():
    game = boardenvs.make("dominoes175")
    state = load("dominoes175").new_initial_state()
    rng = np.random.default_rng(0)
    compared = 0
    for seed in range(6):
        state = load("dominoes175").new_initial_state()
        states = game.new(1, seed)
        while True:
            seen, grid = without_stream(states[0]), states["grid"][0]
            seen["grid"] = state.states[0]["grid"]
            assert state.states[0] == seen
            turned = states["taken"][0] != 0
            assert np.array_equal(state.states[0]["grid"][turned], grid[turned])
            assert np.array_equal(game.observe(state.states[0], 0), game.observe(states, 0))
            if state.is_terminal():
                break
            action = int(rng.choice(state.legal_actions()))
            game.play(states, [action])
            if action < 28:
                unseen = sorted(grid[~turned].tolist())
                after = state.child(action)
                assert after.chance_outcomes() == [(tile, 1 / len(unseen)) for tile in unseen]
                copies = game.conceal(np.repeat(state.states[0], 3000), 0, rng)
                tiles = Counter(copies["grid"][:, action].tolist())
                assert_drawn_from(dict(after.chance_outcomes()), tiles)
                state.apply_action(action)
                action = int(grid[action])
                compared += 1
            state.apply_action(action)
        assert state.returns() == game.returns(states)[0].tolist()
    assert compared > 30


def test_a_game_with_a_deck_has_no_chance_nodes():
    tiles = [(low, high) for low in range(7) for high in range(low, 7)][::-1]
    deck = " ".join(f"{low}/{high}" for low, high in tiles)
    game = load("dominoes175", deck=deck)
    assert game.max_chance_outcomes() == 0
    assert game.game == boardenvs.make("dominoes175", deck=tiles)
    states = game.game.new(1, 0)
    state = game.new_initial_state()
    rng = np.random.default_rng(0)
    while not state.is_terminal():
        assert not state.is_chance_node()
        assert state.states[0] == without_stream(states[0])
        action = int(rng.choice(state.legal_actions()))
        state.apply_action(action)
        game.game.play(states, [action])
    assert state.returns() == game.game.returns(states)[0].tolist()
