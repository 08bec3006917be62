"""The share of wins that players keep."""

import functools

import numpy as np
import pytest

import agents
import boardenvs
from agents.analysis.grading import Grade, grade


@pytest.fixture(scope="module")
def grade_of(gekitai):
    @functools.cache
    def graded(spec):
        players = [agents.make(one, gekitai, seed=1) for one in (spec, "greedy")]
        return grade(gekitai, *players, games=8, seed=1, budget=1000)

    return graded


@pytest.mark.slow
def test_the_exact_agent_keeps_every_win(grade_of):
    found = grade_of("exact")
    assert found.won == found.kept > 20  # four games of the first seat, all won
    assert found.share_kept == 1


def test_random_play_gives_wins_away(grade_of):
    found = grade_of("random")
    assert 0 < found.kept < found.won
    assert found.given_away > 0
    assert found.won == found.kept + found.given_away + found.unclear
    assert found.lost + found.unsettled > 0
    assert str(found).startswith(f"kept {found.kept} of {found.won} wins: ")


def test_an_immediate_win_counts_as_kept(gekitai):
    class FirstCell:
        def act(self, states):
            return np.argmax(gekitai.legal(states), axis=1)

    found = grade(gekitai, agents.make("exact", gekitai, seed=1), FirstCell(), 1, 1, budget=1000)
    assert (found.kept, found.lost, found.unsettled) == (found.won, 0, 0)


def test_every_position_of_112_is_settled():
    game = boardenvs.make("game112")
    players = [agents.make("random", game, seed) for seed in (1, 2)]
    found = grade(game, *players, games=40, seed=1)
    assert found.unsettled == found.unclear == 0
    assert found.given_away > 0
    assert found.drawn > 0
    assert grade(game, agents.make("exact", game, 0), players[0], 40, 1).given_away == 0


def test_gomoku_is_graded_if_exact_proves_something_about_its_start():
    game = boardenvs.make("gomoku", board_size=5, win_length=4)
    found = agents.exploitability("random", game, games=2)
    assert isinstance(found, Grade)
    assert found.lost + found.drawn + found.won > 0


def test_a_grade_without_wins_reports_no_share():
    none = Grade(lost=3, drawn=1, unsettled=0, kept=0, given_away=0, unclear=0)
    assert str(none) == "had no win to keep; 3 positions lost, 1 drawn, 0 not settled"


def test_a_game_with_chance_is_refused(refused):
    game = boardenvs.make("goat_race", num_players=2, width=5, height=2)
    with refused("agent 'exact' .*goat_race has chance$"):
        grade(game, *(agents.make("random", game, seed) for seed in (1, 2)), games=2, seed=1)
