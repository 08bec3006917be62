"""OpenSpiel's simulation test on every game, and its search algorithms on some games."""

from __future__ import annotations

import numpy as np
import pytest
from two_games import others_slow

import agents
import boardenvs

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import mcts, minimax  # noqa: E402

import boardenvs.openspiel  # noqa: E402

GAMES = [*boardenvs.GAMES, "goat_race(num_players=2)", "pizza_order(max_pizzas=1)"]


def load(name):
    return pyspiel.load_game(f"python_boardenvs_{name}")


def decided(state, rng):
    """Resolve all chance nodes and return the state."""
    while state.is_chance_node():
        outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=probabilities)))
    return state


@pytest.mark.parametrize("name", others_slow(GAMES))
def test_the_games_pass_the_random_simulation_test(name):
    pyspiel.random_sim_test(load(name), num_sims=2, serialize=True, verbose=False)


def test_a_finished_state_has_no_legal_actions():
    state = load("game112(board_size=4)").new_initial_state()
    while not state.is_terminal():
        assert any(state.legal_actions_mask())
        state.apply_action(state.legal_actions()[0])
    assert state.legal_actions() == []
    assert not any(state.legal_actions_mask(0))


# Positions with one move that wins at once, or leads to the wanted order.
ONE_MOVE = {
    "gekitai": ({"board": ["XX....", ".....O", "......", "..O...", "......", "......"]}, "C1"),
    "gomoku(board_size=9)": (
        {"board": ["XXXX.....", *[9 * "."] * 6, ".OOO....O", 9 * "."], "to_move": 0},
        "0 E",
    ),
    "game112": ({"board": [1, 1, 0, 0, 0, 0, 0, 0, 0], "to_move": 0}, "3 2"),
    "pizza_order(max_pizzas=1)": ({"wanted": [[3, 12]], "answers": []}, "Carbonara"),
}


@pytest.mark.parametrize("name", ONE_MOVE)
def test_mcts_of_open_spiel_finds_a_winning_move(name):
    position, expected = ONE_MOVE[name]
    game = load(name)
    state = game.new_initial_state(position)
    rng = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(game, 2, 200, evaluator, solve=True, random_state=rng)
    assert state.action_to_string(bot.step(state)) == expected


@pytest.mark.parametrize("name", ["goat_race(num_players=2)", "dominoes175"])
def test_mcts_of_open_spiel_plays_games_with_chance(name):
    game = load(name)
    rng = np.random.RandomState(0)
    bot = mcts.MCTSBot(game, 1, 4, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    state = decided(game.new_initial_state(), rng)
    for _ in range(6):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
        if decided(state, rng).is_terminal():
            break
    assert len(state.history()) > 6


def test_alpha_beta_agrees_with_the_exact_agent(random_positions):
    game = load("game112(board_size=5)")
    exact = agents.make("exact", game.game)
    positions = random_positions(game.game, 6, 0)
    positions = positions[(positions["ply"] > 1) & ~positions["terminated"]]
    worth = exact.values(positions)
    for record, values in zip(positions, worth, strict=True):
        state = game.new_initial_state(game.game.to_dict(record))
        value, _ = minimax.alpha_beta_search(game, state=state)
        assert value == values[record["to_move"]]
    assert len(np.unique(worth)) == 3


def test_expectiminimax_weighs_tiles_by_their_probability():
    # The top of a stack of five has 6 dots. Every unseen tile with a 6 wins.
    five = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 6]]
    tiles = [[low, high] for high in range(7) for low in range(high + 1)]
    rest = [tile for tile in tiles if tile not in five]
    game = load("dominoes175")
    position = {"grid": five + rest, "taken": [0, 1, 2, 3, 4], "stacks": [five, [], []]}
    state = game.new_initial_state(position)
    value, action = minimax.expectiminimax(state, 2, lambda state: 0, 0)
    wins = sum(6 in tile for tile in rest)
    assert value == pytest.approx(wins / len(rest))
    assert action == 5
