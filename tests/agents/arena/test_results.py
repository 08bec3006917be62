"""Results as a table and as JSON."""

import json

import numpy as np
import pytest

from agents.arena import PairResult, Scores, report, results_table


@pytest.fixture
def two_results():
    returns = np.array([[1, -1]] * 5 + [[-1, 1]] * 2 + [[0, 0]] * 3, np.float32)
    plies = np.ones(10, np.int32)
    return [
        PairResult("random", "a:b", Scores(returns, plies)),
        PairResult("random", "greedy", Scores(-returns, plies)),
    ]


def test_the_report(gekitai, two_results):
    data = report(gekitai, 7, two_results)
    assert json.loads(json.dumps(data)) == data
    assert {k: data[k] for k in ("game", "params", "seed", "pairs")} == {
        "game": "gekitai",
        "params": {"board_size": 6, "pieces": 8, "line_length": 3, "max_plies": 200},
        "seed": 7,
        "pairs": [
            {"a": "random", "b": "a:b", "games": 10, "wins": 5, "draws": 3, "losses": 2},
            {"a": "random", "b": "greedy", "games": 10, "wins": 2, "draws": 3, "losses": 5},
        ],
    }


def test_the_table(two_results):
    assert results_table(two_results) == (
        "a       b       games  won  drawn  lost  score    95% interval\n"
        "--------------------------------------------------------------\n"
        "random  a:b        10    5      3     2  0.650  0.354 to 0.863\n"
        "random  greedy     10    2      3     5  0.350  0.137 to 0.646\n"
    )
