"""Results as a table and as JSON."""

import json

import numpy as np
import pytest
from two_games import others_slow

import boardenvs
from agents.arena import PairResult, Scores, report, results_table, round_robin, solos
from agents.naming.spec import specs_of


@pytest.fixture
def two_results(gekitai):
    returns = np.array([[1, -1]] * 5 + [[-1, 1]] * 2 + [[0, 0]] * 3, np.float32)
    plies = np.arange(30, 40, dtype=np.int32)
    return [
        PairResult(tuple(specs_of(["random", "a:b"], gekitai)), Scores(returns, plies)),
        PairResult(tuple(specs_of(["random", "greedy"], gekitai)), Scores(-returns, plies)),
    ]


def test_the_report_has_its_documented_keys(gekitai, two_results):
    data = report(gekitai, 7, two_results)
    assert json.loads(json.dumps(data)) == data
    assert {k: data[k] for k in ("game", "params", "seed", "pairs")} == {
        "game": "gekitai",
        "params": {"board_size": 6, "pieces": 8, "line_length": 3, "max_plies": 200},
        "seed": 7,
        "pairs": [
            {
                "a": "random",
                "b": "a:b",
                "games": 10,
                "wins": 5,
                "draws": 3,
                "losses": 2,
                "first": "w30 w31 w32 w33 w34 l35 l36 d37 d38 d39",
                "forfeits": [0, 0],
            },
            {
                "a": "random",
                "b": "greedy",
                "games": 10,
                "wins": 2,
                "draws": 3,
                "losses": 5,
                "first": "l30 l31 l32 l33 l34 w35 w36 d37 d38 d39",
                "forfeits": [0, 0],
            },
        ],
    }


@pytest.mark.parametrize(
    "name", others_slow(["gekitai", "goat_race", "dominoes175"], ["gekitai", "dominoes175"])
)
def test_the_first_games_are_those_of_a_shorter_match(name):
    # Games with draws, games for any number of seats, and games for one player.
    game = boardenvs.make(name)
    play = solos if game.num_players == 1 else round_robin
    long, short = (list(play(game, ["random", "greedy"], n, 3)) for n in (30, 7))
    for more, few in zip(long, short, strict=True):
        games = more.to_dict()["first"].split()
        assert len(games) == 20
        assert games[:7] == few.to_dict()["first"].split()


def test_the_table_lists_pairs_and_ratings(two_results):
    assert [row[:8] for row in results_table(two_results).rows] == [
        ("random", "a:b", "10", "5", "3", "2", "0.650", "0.354 to 0.863"),
        ("random", "greedy", "10", "2", "3", "5", "0.350", "0.137 to 0.646"),
    ]
