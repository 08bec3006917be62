"""The exact agent of Gomoku, compared with the general exhaustive search."""

import numpy as np
import pytest
from gomoku_positions import late_positions

import agents
from agents.search.exact import ExactAgent
from agents.search.solving import long_search
from boardenvs.gomoku import Gomoku

BUDGET = 2_000  # too small for the exhaustive search's share
GAMES = [
    Gomoku(board_size=5, win_length=4),
    Gomoku(board_size=5, win_length=4, exact=True),
]


@pytest.fixture(scope="module", params=GAMES, ids=repr)
def late(request):
    """Return a game, late positions, and their values for the seat to move."""
    game = request.param
    states = late_positions(game, 40, 13, 5)
    values = ExactAgent(game, budget=10**8).values(states)
    return game, states, values[np.arange(len(states)), states["to_move"]]


def test_bounds_contain_the_value(late):
    game, states, values = late
    solutions = agents.make("exact", game, budget=BUDGET).solve(states)
    for solution, value in zip(solutions, values, strict=True):
        assert solution.low <= value <= solution.high
    assert "proof search" in {solution.source for solution in solutions if solution.settled}
    assert sum(solution.settled for solution in solutions) > 15


def test_actions_keep_the_value(late):
    game, states, values = late
    after = states.copy()
    game.play(after, agents.make("exact", game, seed=1, budget=200_000).act(states))
    judge = ExactAgent(game, budget=10**8)
    np.testing.assert_array_equal(
        judge.values(after)[np.arange(len(after)), states["to_move"]], values
    )


def test_actions_do_not_depend_on_earlier_positions(late):
    game, states, _ = late
    words = np.arange(len(states), dtype=np.uint64) << np.uint64(58)
    actions = agents.make("exact", game, budget=200_000).choose(states, words)
    backwards = agents.make("exact", game, budget=200_000).choose(states[::-1], words[::-1])
    np.testing.assert_array_equal(actions, backwards[::-1])


def test_all_first_moves_with_four_in_a_row_on_5_x_5_draw():
    game = Gomoku(board_size=5, win_length=4)
    assert not agents.make("exact", game).action_values(game.new(1, 0)).any()


def test_a_refusal_names_the_proved_bounds_and_a_larger_budget(refused):
    game = Gomoku(board_size=7)
    agent = agents.make("exact", game, budget=600_000)
    with refused("budget of 6,000,000 positions.* so far proved: Player ● does not lose"):
        agent.values(game.new(1, 0))
    [solution] = agent.solve(game.new(1, 0))
    assert (solution.low, solution.high, solution.text) == (0, 1, "does not lose")


def test_a_search_that_stopped_at_its_budget_continues():
    game = Gomoku(board_size=5, win_length=4)
    agent = agents.make("exact", game, budget=50_000)
    found = [agent.solve(game.new(1, 0))[0] for _ in range(12)]
    assert not found[0].settled
    assert found[-1].settled


def test_a_long_search_prints_its_cost_and_progress(capsys, monkeypatch):
    monkeypatch.setattr(long_search, "_SILENT", 0.0)  # every search is long
    game = Gomoku(board_size=7)
    agents.make("exact", game, budget=1_000_000, progress=True).solve(game.new(1, 0))
    said = capsys.readouterr().err
    assert said.startswith("exact: at most 1,000,000 positions, about ")
    assert "exact: 100% (1.00M of 1.00M positions" in said
