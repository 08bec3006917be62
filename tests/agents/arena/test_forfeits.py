"""All reports count games lost by illegal moves, and a line warns of them."""

import json

import numpy as np
import pytest

import boardenvs
from agents.arena import (
    Scores,
    forfeit_lines,
    play_match,
    rated,
    report,
    results_table,
    round_robin,
    solos,
)
from agents.arena.page import arena_page_html
from agents.command import main

BAD = """
import numpy as np

class Bad:
    deterministic = True

    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        return self.game.legal(states).argmin(1)  # the first illegal action, if there is one

def fair(game, seed):
    bad = Bad(game, seed)
    bad.act = lambda states: game.legal(states).argmax(1)
    return bad
"""


class Every:
    """A player of one illegal action in every `number` decisions, else the first legal action."""

    def __init__(self, game, number):
        self.game = game
        self.number = number

    def act(self, states):
        masks = self.game.legal(states)
        bad = (states["ply"] // 2 % self.number == self.number - 1) & ~masks.all(1)
        return np.where(bad, masks.argmin(1), masks.argmax(1))


@pytest.fixture
def bad(own_module):
    own_module("mine", BAD)


def test_scores_count_forfeits(gekitai):
    scores = play_match(gekitai, [Every(gekitai, 2), "random"], 40, seed=0)
    assert scores.forfeits[0] == scores.losses[0] > 30
    assert scores.forfeits[1] == 0
    assert (
        str(scores)
        .splitlines()[0]
        .endswith(f"{scores.losses[0]} lost, {scores.forfeits[0]} of them by illegal moves")
    )
    assert "illegal" not in str(scores).splitlines()[1]
    assert scores != Scores(scores.returns, scores.plies)


def test_forfeits_are_counted_in_every_seat(versus):
    others = ["random"] * (versus.num_players - 1)
    for place in range(versus.num_players):
        players = [*others[:place], Every(versus, 1), *others[place:]]
        scores = play_match(versus, players, 12, seed=0)
        # All actions may be legal at the start of a game.
        assert scores.forfeits[place] == scores.losses[place] > 0
        assert sum(scores.forfeits) == scores.forfeits[place]


def test_games_without_illegal_actions_have_no_forfeits(game):
    scores = play_match(game, ["random"] * game.num_players, 20, seed=0)
    assert scores.forfeits == [0] * game.num_players


def test_forfeits_of_two_agents_in_more_than_two_seats_are_counted(bad):
    game = boardenvs.make("goat_race")
    (result,) = round_robin(game, ["random", "mine:Bad"], 12, 0)
    assert result.scores.forfeits == [0, 12]
    assert result.scores.losses == [0, 12]


def test_forfeits_in_a_game_for_one_player_are_counted(bad):
    game = boardenvs.make("dominoes175")
    (result,) = solos(game, ["mine:Bad"], 5, 0)
    assert result.scores.forfeits == [5]
    assert result.to_dict()["forfeits"] == 5
    assert forfeit_lines(report(game, 0, [result])) == [
        "mine:Bad lost 5 of 5 games by illegal moves"
    ]


def test_the_table_json_and_page_show_forfeits(gekitai, bad):
    specs = ["random", "mine:Bad", "mine:fair"]
    results = list(round_robin(gekitai, specs, 10, 0, opening_plies=1))
    told = report(gekitai, 0, results)
    assert [pair["forfeits"] for pair in told["pairs"]] == [[0, 10], [0, 0], [10, 0]]
    assert told["pairs"][0]["wins"] == 10
    head, _, *rows = str(results_table(results)).splitlines()
    assert head.endswith("forfeits")
    assert [row.split("  ")[-1].strip() for row in rows] == ["0 / 10", "0 / 0", "10 / 0"]
    line = "mine:Bad lost 20 of 20 games by illegal moves"
    assert forfeit_lines(told) == [line]
    page = arena_page_html(told, rated(results))
    assert f'<p class="warning">{line}.</p>' in page
    assert page.count("<span>10 forfeited</span>") == 2


def test_the_command_warns_of_forfeits(bad, capsys, tmp_path):
    arguments = ["arena", "gekitai", "random", "mine:Bad", "--games", "6", "--opening-plies", "1"]
    told = tmp_path / "told.json"
    for _ in range(2):  # played first, then read from the store
        assert main([*arguments, "--store", "s.db", "--json", str(told)]) == 0
        captured = capsys.readouterr()
        line = "boardenvs: warning: mine:Bad lost 6 of 6 games by illegal moves\n"
        assert captured.err.endswith(line)
        assert "0 / 6" in captured.out
        assert json.loads(told.read_text(encoding="utf-8"))["pairs"][0]["forfeits"] == [0, 6]
