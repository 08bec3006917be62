"""An arena's results as Markdown."""

from agents.arena.markdown import overview_markdown, report_markdown

PAIRS = {
    "pairs": [{"a": "random", "b": "mcts:10", "games": 10, "wins": 1, "draws": 2, "losses": 7}],
    "ratings": [
        {"agent": "mcts:10", "elo": 222.4, "low": 100.0, "high": 360.5},
        {"agent": "random", "elo": 0.0, "low": 0.0, "high": 0.0},
    ],
}
ALONE = {
    "pairs": [],
    "ratings": [],
    "solos": [
        {"agent": "random", "games": 100, "wins": 1, "draws": 9, "losses": 90},
        {"agent": "greedy", "games": 100, "wins": 4, "draws": 0, "losses": 96},
    ],
}


def test_pairs():
    assert report_markdown(PAIRS) == (
        "| agent | Elo | 95% interval | games | score |\n"
        "|---|---|---|---|---|\n"
        "| `mcts:10` | +222 | +100 to +360 | 10 | 0.800 |\n"
        "| `random` | 0 | fixed | 10 | 0.200 |\n"
        "\n"
        "| a | b | won | drawn | lost | score | 95% interval |\n"
        "|---|---|---|---|---|---|---|\n"
        "| `random` | `mcts:10` | 1 | 2 | 7 | 0.200 | 0.057 to 0.510 |\n"
    )


def test_agents_alone_win_or_do_not():
    assert report_markdown(ALONE) == (
        "| agent | games | won | share won | 95% interval |\n"
        "|---|---|---|---|---|\n"
        "| `random` | 100 | 1 | 0.010 | 0.002 to 0.054 |\n"
        "| `greedy` | 100 | 4 | 0.040 | 0.016 to 0.098 |\n"
    )


def test_the_overview():
    assert overview_markdown({"Game": PAIRS, "Game for one": ALONE}) == (
        "| game | agent | Elo (95% interval) | games | score |\n"
        "|---|---|---|---|---|\n"
        "| Game | `mcts:10` | +222 (+100 to +360) | 10 | 0.800 |\n"
        "| | `random` | 0 | 10 | 0.200 |\n"
        "| Game for one | `greedy` | | 100 | 0.040 (0.016 to 0.098) |\n"
        "| | `random` | | 100 | 0.010 (0.002 to 0.054) |\n"
    )
