"""Tables of agents' results as text."""

from agents.arena.ratings import Lead, Rating, rate
from agents.arena.tables import ratings_table, tally

PAIRS = [
    {"a": "random", "b": "x", "games": 10, "wins": 1, "draws": 2, "losses": 7},
    {"a": "x", "b": "trained:a.onnx", "games": 20, "wins": 5, "draws": 0, "losses": 15},
]


def test_tally_adds_up_the_results_of_each_agent():
    assert tally(PAIRS) == {"random": (10, 0.2), "x": (30, 13 / 30), "trained:a.onnx": (20, 0.75)}


def test_self_play_and_pairs_without_games_do_not_count():
    idle = [
        {"a": "x", "b": "x", "games": 10, "wins": 5, "draws": 0, "losses": 5},
        {"a": "y", "b": "z", "games": 0, "wins": 0, "draws": 0, "losses": 0},
    ]
    assert tally([*PAIRS, *idle]) == tally(PAIRS)


def test_the_table_has_scores_and_intervals():
    ratings = [
        Rating("trained:a.onnx", 412.3, 301.2, 530, Lead("x", 190, 80.4, 310)),
        Rating("x", 222, 100, 360, Lead("random", 222, 100, 360)),
        Rating("random", 0, 0, 0, None),
        Rating("idle", -0.2, -1122, 1122, None),
    ]
    assert ratings_table(ratings, PAIRS).rows == [
        ("trained:a.onnx", "+412", "+301 to +530", "+190", "+80 to +310", "20", "0.750"),
        ("x", "+222", "+100 to +360", "+222", "+100 to +360", "30", "0.433"),
        ("random", "0", "fixed", "", "", "10", "0.200"),
        ("idle", "0", "-1122 to +1122", "", "", "0", ""),
    ]


def test_the_table_accepts_computed_ratings():
    table = ratings_table(rate(PAIRS, ["random", "x", "trained:a.onnx"]), PAIRS)
    assert [row[0] for row in table.rows] == ["trained:a.onnx", "x", "random"]
