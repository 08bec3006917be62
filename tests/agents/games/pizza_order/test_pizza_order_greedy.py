"""The greedy customer: single answers, correct and short orders, and good ends of bad orders."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import agents
import boardenvs
from agents.arena import solos
from agents.games.pizza_order.greedy import PizzaOrderGreedyAgent
from boardenvs.envs.playout import playout

GAMES = {most: boardenvs.make("pizza_order", max_pizzas=most) for most in (1, 2, 3, 9)}
PRESETS = [[1, 13], [6, 7, 8, 9, 10], [2, 3, 4, 5], [3, 12]]


def chosen(wanted, *answers):
    """Return the possible next answers after the given answers, as a player types them."""
    game = GAMES[3]
    known = {game.action_to_text(a).lower(): a for a in range(game.num_actions)}
    said = [known[answer.lower()] for answer in answers]
    state = np.repeat(game.restore({"wanted": wanted, "answers": said}), 400)
    actions = agents.make("greedy", game, seed=0).act(state)
    return {game.action_to_text(action) for action in set(actions.tolist())}


def played(game, num, seed):
    """Return orders played to the end, where the agent receives only what it may know."""
    agent = agents.make("greedy", game, seed)
    rng = np.random.default_rng(seed)
    states = game.new(num, seed)

    def choose(part, _):
        return agent.act(game.conceal(part, 0, rng))

    playout(game, states, choose, illegal="raise")
    return states


CHOICES = [
    ([[1, 13]], "", "Hawaiian"),
    ([[2, 3, 4, 5], [3, 12], [1]], "", "Meat Festival,Carbonara,Custom"),
    ([[2], [3]], "", "Custom"),
    ([[2], [3]], "Custom", "Sausage,Bacon"),
    ([[2], [2, 3]], "Custom", "Sausage,Bacon"),
    ([[2], [2, 3]], "Custom,Sausage", "Bacon,done"),  # one ingredient now, the other one later
    ([[2], [2, 3]], "Custom,Bacon", "Sausage"),
    ([[2], [2, 3]], "Custom,Sausage,done", "y"),
    ([[2], [2, 3]], "Custom,Sausage,done,y,Custom", "Sausage,Bacon"),
    ([[2], [2, 3]], "Custom,Sausage,Bacon,done,y,Custom", "Sausage"),
    ([[1, 13], [1, 13]], "Hawaiian", "y"),
    ([[1, 13], [1, 13]], "Hawaiian,y", "Hawaiian"),
    ([[1, 13], [1, 13]], "Hawaiian,y,Hawaiian", "n"),
    # A preset is shorter by flavour, so custom ingredients go to the other pizza,
    ([[1, 13], [1, 13, 15]], "Custom", "Ham,Pineapple,Caper"),
    ([[1, 13], [1, 13, 15]], "Custom,Ham,Pineapple", "Caper"),
    ([[2, 3, 4, 5], [3, 12]], "Custom,Bacon", "Cheese"),  # or the smaller one.
    ([[3, 12]], "Custom,Bacon,Cheese", "done"),
    ([[3, 12]], "Custom,Bacon,Cheese,done", "n"),
    # The order is already wrong.
    ([[1, 13]], "Carbonara", "n"),
    ([[1, 13], [3, 12]], "Garden Feast", "n"),
    ([[1, 13]], "Hawaiian,y", "Hawaiian,Garden Feast,Meat Festival,Carbonara"),
    ([[1, 13]], "Carbonara,y", "Hawaiian,Garden Feast,Meat Festival,Carbonara"),
    ([[1, 13]], "Hawaiian,y,Custom,Ham", "done"),
    ([[1, 13]], "Custom,Ham,Bacon", "done"),
    ([[1, 13], [1, 13]], "Hawaiian,y,Carbonara", "n"),
]


@pytest.mark.parametrize(("wanted", "answers", "expected"), CHOICES)
def test_greedy_gives_the_expected_answers(wanted, answers, expected):
    assert chosen(wanted, *filter(None, answers.split(","))) == set(expected.split(","))


def test_a_lost_custom_pizza_gets_any_single_ingredient():
    assert len(chosen([[1, 13]], "Hawaiian", "y", "Custom")) == 15


def test_make_returns_the_greedy_agent_of_the_game():
    agent = agents.make("greedy", "pizza_order", seed=1)
    assert type(agent) is PizzaOrderGreedyAgent
    assert not agent.deterministic


def fewest_answers(wanted, most):
    """Return the number of answers of an order whose presets are named by flavour."""
    pizzas = [1 if ids in PRESETS else len(ids) + 2 for ids in wanted]
    return sum(pizzas) + len(pizzas) - (len(pizzas) == most)


@pytest.mark.parametrize("most", GAMES)
def test_every_order_is_right_and_as_short_as_possible(most):
    # When measured, all of 80,000 orders of up to three pizzas were right.
    game = GAMES[most]
    states = played(game, 3000, most)
    assert (states["returns"] == 1).all()
    assert states["offender"].max() == -1
    expected = [fewest_answers(game.to_dict(state)["wanted"], most) for state in states]
    assert states["ply"].tolist() == expected


def can_be_right(game, state):
    """Return whether further answers can make the order right."""
    data = game.to_dict(state)
    missing = Counter(tuple(ids) for ids in data["wanted"])
    hand = None
    for answer in data["answers"]:
        if answer == 4:
            hand = set()
        elif answer < 4:
            missing[tuple(PRESETS[answer])] -= 1
        elif answer < 20:
            hand.add(answer - 4)
        elif answer == 20:
            missing[tuple(sorted(hand))] -= 1
            hand = None
    left = [set(ids) for ids, count in missing.items() if count > 0]
    if min(missing.values()) < 0:
        return False
    if hand is not None:
        return any(hand <= ids for ids in left)
    asked_for_a_flavor = data["answers"][-1:] in ([], [21])
    return bool(left) or not asked_for_a_flavor


@pytest.mark.parametrize("most", GAMES)
def test_greedy_completes_the_order_from_any_position_that_allows_it(most, live_positions):
    game = GAMES[most]
    states = live_positions(game, 150, most)
    # Random play soon fails. These positions also lead to the right order.
    agent = agents.make("greedy", game, seed=1)
    good = game.new(150, most)
    for _ in range(3):
        good = good[game.legal(good).any(1)]
        states = np.concatenate([states, good])
        game.play(good, agent.act(good))
    hoped = np.array([can_be_right(game, state) for state in states])
    assert 50 < hoped.sum() < len(states) - 50
    ends = states.copy()
    playout(game, ends, lambda part, _: agent.act(part), illegal="raise")
    np.testing.assert_array_equal(ends["returns"][:, 0] == 1, hoped)
    # A lost order ends with a flavour, or an ingredient and "done", and at most one "no".
    assert (ends["ply"] - states["ply"])[~hoped].max() <= 3


def test_greedy_scores_more_than_random():
    greedy, random = solos(GAMES[3], ["greedy", "random"], 3000, seed=4)
    assert greedy.scores[0] == 1.0
    assert random.scores.interval(0)[0] < 0.0317 < random.scores.interval(0)[1]
