"""Reports of an arena: ratings, the shortest and the longest game, the page."""

from __future__ import annotations

import json

import pytest

import boardenvs
from agents.arena import rated, report, round_robin, solos
from agents.arena.page import arena_page_html
from agents.arena.tables import arena_text
from agents.command import main


def lengths(result):
    return [len(episode.actions) for episode in result.extremes]


@pytest.mark.parametrize("name", ["gekitai", "goat_race"])
def test_pairs_have_their_shortest_and_longest_game(name):
    game = boardenvs.make(name)
    (result,) = round_robin(game, ["random", "greedy"], 12, 0)
    plies = result.scores.plies
    assert lengths(result) == [plies.min(), plies.max()]
    for episode in result.extremes:
        assert {player.split(" (")[0] for player in episode.players} == {"random", "greedy"}


def test_single_agents_have_their_shortest_and_longest_game():
    (result,) = solos(boardenvs.make("dominoes175"), ["random"], 12, 0)
    assert lengths(result) == [result.scores.plies.min(), result.scores.plies.max()]


def test_extreme_games_are_the_same_if_the_store_has_all_games(tmp_path):
    game = boardenvs.make("gekitai")
    asked = (game, ["random", "greedy"], 12, 0)
    (first,) = round_robin(*asked, store=tmp_path / "games.db")
    (again,) = round_robin(*asked, store=tmp_path / "games.db")
    watched = [[(e.players, e.actions) for e in one.extremes] for one in (first, again)]
    assert watched[0] == watched[1]
    assert lengths(again) == lengths(first)


def test_games_for_more_than_two_players_are_rated_one_by_one():
    game = boardenvs.make("goat_race")
    (result,) = round_robin(game, ["random", "greedy"], 12, 0)
    assert len(result.seated) == 12
    for agents, returns in result.seated:
        assert set(agents) == {"random", "greedy"}
        assert sum(returns) == pytest.approx(0)
    best, last = rated([result])
    assert (best.agent, last.agent, last.elo) == ("greedy", "random", 0)
    assert best.low < best.elo < best.high


def test_the_report_has_ratings():
    game = boardenvs.make("game112")
    results = list(round_robin(game, ["random", "greedy"], 20, 0))
    found = report(game, 0, results)
    assert [list(rating) for rating in found["ratings"]] == [["agent", "elo", "low", "high"]] * 2
    assert {rating["agent"] for rating in found["ratings"]} == {"random", "greedy"}
    alone = boardenvs.make("dominoes175")
    assert report(alone, 0, list(solos(alone, ["random"], 4, 0)))["ratings"] == []


def test_groups_that_never_met_are_named():
    game = boardenvs.make("game112")
    specs = [["random", "greedy"], ["exact", "mixed:50:greedy"]]
    results = [one for pair in specs for one in round_robin(game, pair, 10, 0)]
    found = report(game, 0, results)
    assert [sorted(group) for group in found["groups"]] == [sorted(group) for group in specs]
    assert [list(rating) for rating in found["ratings"]] == [["agent", "elo", "low", "high"]] * 4
    ratings = rated(results)
    for text in (arena_text(found, results, ratings), arena_page_html(found, ratings)):
        assert "never met: greedy, random; " in text
    connected = [*results, *round_robin(game, ["greedy", "exact"], 10, 0)]
    assert "groups" not in report(game, 0, connected)
    assert "never met" not in arena_text(report(game, 0, connected), connected, rated(connected))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["game112", "random", "greedy"], ["Ratings", "Everyone against everyone"]),
        (["dominoes175", "random"], ["random"]),
    ],
)
def test_the_command_writes_a_page(arguments, expected, tmp_path, capsys):
    page, figures = tmp_path / "arena.html", tmp_path / "arena.json"
    command = ["arena", *arguments, "--games", "6", "--html", str(page), "--json", str(figures)]
    assert main(command) == 0
    text = page.read_text(encoding="utf-8")
    for words in [*expected, "<svg", "shortest", "longest"]:
        assert words in text
    assert json.loads(figures.read_text())["game"] == arguments[0]
    assert ("Elo" in capsys.readouterr().out) == (len(arguments) > 2)


def test_a_page_that_cannot_be_written_is_refused_first(tmp_path, capsys):
    command = ["arena", "game112", "random", "greedy", "--html", str(tmp_path / "a" / "b")]
    assert main(command) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "cannot be written" in captured.err
