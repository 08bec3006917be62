"""Statistics of a match: means, intervals, draws, and their JSON."""

import json

import numpy as np
import pytest
from players import Last

import agents
import boardenvs
from agents.arena import Scores, play_match, wilson


@pytest.mark.parametrize(
    ("successes", "games", "low", "high"),
    [
        # R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
        # Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (0, 10, 0.0000, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0000),
    ],
)
def test_wilsons_interval_agrees_with_published_values(successes, games, low, high):
    found = wilson(successes, games)
    assert found == pytest.approx((low, high), abs=5e-5)
    assert 0 <= found[0] <= found[1] <= 1
    mirrored = wilson(games - successes, games)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx(found)


def test_wilsons_interval_of_no_games_is_the_whole_range():
    assert wilson(0, 0) == (0, 1)


@pytest.mark.parametrize("games", [1, 7, 1000, 4321])
def test_wilsons_interval_of_one_sided_results_ends_at_the_bound(games):
    assert wilson(0, games)[0] == 0
    assert wilson(games, games)[1] == 1


def test_scores_count_wins_draws_and_losses():
    returns = np.array([[1, -1]] * 5 + [[-1, 1]] * 2 + [[0, 0]] * 3, np.float32)
    scores = Scores(returns, np.arange(10, dtype=np.int32))
    assert scores.games == 10
    assert (scores.wins, scores.draws, scores.losses) == ([5, 2], [3, 3], [2, 5])
    assert list(scores) == [0.65, 0.35]
    assert len(scores) == 2
    assert (scores[0], scores[1], scores[-1]) == (0.65, 0.35, 0.35)
    assert scores.interval(0) == wilson(6.5, 10)
    assert scores.interval(-1) == wilson(3.5, 10)
    with pytest.raises(IndexError):
        scores[2]
    assert str(scores).splitlines() == [
        "agent 0: 0.650 (0.354 to 0.863), 5 won, 3 drawn, 2 lost",
        "agent 1: 0.350 (0.137 to 0.646), 2 won, 3 drawn, 5 lost",
    ]


def test_a_draw_of_three_is_a_third_each():
    returns = np.array([[1, -0.5, -0.5], [0, 0, 0], [-0.5, 1, -0.5]], np.float32)
    scores = Scores(returns, np.ones(3, np.int32))
    assert list(scores) == pytest.approx([4 / 9, 4 / 9, 1 / 9])
    assert sum(scores) == pytest.approx(1)
    assert (scores.wins, scores.draws, scores.losses) == ([1, 1, 0], [1, 1, 1], [1, 1, 2])


def test_a_game_cut_short_counts_as_drawn():
    game = boardenvs.make("gekitai", max_plies=4)
    scores = play_match(game, ["random", "random"], 20, seed=0)
    assert scores.plies.tolist() == [4] * 20
    assert scores.draws == [20, 20]
    assert list(scores) == [0.5, 0.5]


def test_scores_can_be_compared(gekitai):
    one, again, other = (play_match(gekitai, ["random", "random"], 9, s) for s in (1, 1, 2))
    assert one == again
    assert one != other


def test_the_scores_of_a_match_name_its_agents(gekitai):
    trained, own = agents.make("trained", gekitai), Last(gekitai)
    scores = play_match(gekitai, [trained, own], 2, seed=0)
    assert scores.to_dict()["names"] == ["trained", "agent 1"]
    assert [line.partition(":")[0] for line in str(scores).splitlines()] == ["trained", "agent 1"]
    alike = play_match(gekitai, ["random", "random"], 2, seed=0)
    assert alike.names == ["random (agent 0)", "random (agent 1)"]


def test_scores_convert_to_json():
    returns = np.array([[1, -1]] * 5 + [[-1, 1]] * 2 + [[0, 0]] * 3, np.float32)
    offenders = np.array([1, 1, -1, -1, -1, 0, -1, -1, -1, -1])
    told = Scores(returns, np.arange(10, dtype=np.int32), offenders).to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told == {
        "games": 10,
        "names": ["agent 0", "agent 1"],
        "scores": [0.65, 0.35],
        "intervals": [list(wilson(6.5, 10)), list(wilson(3.5, 10))],
        "wins": [5, 2],
        "draws": [3, 3],
        "losses": [2, 5],
        "forfeits": [1, 2],
        "seconds_per_move": [None, None],
        "plies": list(range(10)),
    }


def test_scores_of_no_games_convert_to_json():
    told = Scores(np.zeros((0, 2), np.float32), np.zeros(0, np.int32)).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["scores"] == [None, None]


def test_scores_of_a_match_convert_to_json(game):
    scores = play_match(game, ["random"] * game.num_players, 6, seed=0)
    told = json.loads(json.dumps(scores.to_dict(), allow_nan=False))
    assert told["scores"] == list(scores)
    assert told["games"] == 6
