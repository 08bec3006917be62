"""The `exact` of 112, which does not search, compared with searches."""

import sys
from pathlib import Path

import numpy as np
import pytest

import agents
import boardenvs
from agents.dev.values.game112_values import positions, value
from agents.games.game112.exact import Game112ExactAgent
from agents.search.exact import ExactAgent

sys.path.append(str(Path(__file__).parents[3] / "game112"))
from reachable_game112 import reachable

CASES = [
    *((size, 9) for size in range(1, 8)),
    *((7, plies) for plies in range(2, 7)),
    pytest.param(9, 9, marks=pytest.mark.slow),
    pytest.param(9, 6, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("size", "max_plies"), CASES)
def test_every_position_has_the_values_and_best_actions_of_a_search(size, max_plies):
    game = boardenvs.make("game112", board_size=size, max_plies=max_plies)
    boards = [b for b in reachable(size) if "112" not in b and "8" in b]
    boards = [b for b in boards if size - b.count("8") < max_plies]
    dicts = [{"board": [int(digit) % 8 for digit in board]} for board in boards]
    states = np.array([game.from_dict(position) for position in dicts], game.state_dtype)
    searching, agent = ExactAgent(game), agents.make("exact", game)
    np.testing.assert_array_equal(agent.values(states), searching.values(states))
    np.testing.assert_array_equal(agent.plies(states), searching.plies(states))
    np.testing.assert_array_equal(agent.action_values(states), searching.action_values(states))
    np.testing.assert_array_equal(agent.policies(states), searching.policies(states))
    bits = np.random.default_rng(0).integers(0, 2**64, len(states), np.uint64)
    np.testing.assert_array_equal(agent.choose(states, bits), searching.choose(states, bits))
    actions, analyses = agent.consider(states[:50], bits[:50])
    same, others = searching.consider(states[:50], bits[:50])
    np.testing.assert_array_equal(actions, same)
    assert analyses == others


def test_the_agent_is_the_one_that_does_not_search(refused, game112):
    assert type(agents.make("exact", game112)) is Game112ExactAgent
    assert Game112ExactAgent.play_version == ExactAgent.play_version
    with refused("agent 'exact' of 112 .*gomoku"):
        Game112ExactAgent(boardenvs.make("gomoku"))


@pytest.mark.parametrize("size", range(1, 8))
def test_the_program_solves_the_game_and_its_misere_form(size):
    boards = [board for board in reachable(size) if "112" not in board]
    assert positions(size) >= len(boards)
    assert value("0" * size, 1) == value("0" * size, -1) == 0
    game = boardenvs.make("game112", board_size=size)
    for board in boards[:: 1 + len(boards) // 60]:
        row = board.replace("8", "0")
        one = game.from_dict({"board": [int(digit) for digit in row]})
        if "0" in row:
            own = agents.make("exact", game).values(one)[0, int(one["to_move"])]
            assert value(row, 1) == own


def test_a_player_who_must_complete_112_wins_the_game_and_loses_the_misere_game():
    for row in ("11012212", "1102"):
        assert value(row, 1) == 1
    assert value("11012212", -1) == -1  # both values complete 1, 1, 2
    assert value("110", -1) == 0 == value("220", -1)


def test_all_rows_without_112_are_counted():
    rows = [np.base_repr(k, 3).zfill(7) for k in range(3**7)]
    assert positions(7) == sum("112" not in row for row in rows) == 1791
    assert positions(9) == 14_849  # number on the game's page
