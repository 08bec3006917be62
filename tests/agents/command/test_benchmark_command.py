"""`boardenvs benchmark`: the score card, its files and errors."""

import json

import pytest


def test_benchmark_prints_and_writes_a_card(command, tmp_path):
    card, page = tmp_path / "card.json", tmp_path / "page.html"
    arguments = ["benchmark", "greedy", "--tasks", "game112", "--minutes", "0.02", "--workers", "1"]
    status, out, err = command(*arguments, "--json", card, "--html", page)
    assert (status, err) == (0, "")
    assert "Interquartile mean of the scores" in out
    assert out.splitlines()[-1].startswith("| greedy | ")
    told = json.loads(card.read_text(encoding="utf-8"))
    assert told["command"].startswith("boardenvs benchmark greedy --tasks game112")
    assert [task["task"] for task in told["tasks"]] == ["game112"]
    text = page.read_text(encoding="utf-8")
    assert "▶ greedy" in text
    assert "mixed:60:greedy" in text
    assert "{{" not in text


def test_tasks_without_games_are_reported(command, tmp_path):
    card = tmp_path / "card.json"
    words = ["--tasks", "game112,gekitai", "--minutes", "0", "--workers", "1", "--json", card]
    status, out, err = command("benchmark", "random", *words)
    assert status == 1
    assert "Elo" not in out
    assert err.splitlines() == [
        "boardenvs: no game was played in game112, gekitai: give more --minutes"
    ]
    told = json.loads(card.read_text(encoding="utf-8"))
    assert [task["rated"] for task in told["tasks"]] == [False, False]


def test_a_game_for_one_player_is_rated(command, tmp_path):
    page = tmp_path / "page.html"
    words = ("--tasks", "pizza_order", "--minutes", "0.02", "--workers", "1", "--html", page)
    status, out, err = command("benchmark", "random", *words)
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].startswith("| random | 0.")
    text = page.read_text(encoding="utf-8")
    assert "▶ random" in text
    assert "Shares of games won" in text


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--tasks", "chess"], "suite v1 has no task 'chess'"),
        (["--tasks", "game112", "chess"], "suite v1 has no task 'chess'"),
        (["--tasks", "game112,chess"], "suite v1 has no task 'chess'"),
        (["--suite", "v0"], "suite must be "),
        (["--minutes", "-1"], "minutes"),
        (["--workers", "0"], "workers"),
        (["--address", "x:1"], "--address"),
    ],
)
def test_invalid_arguments_are_refused(command, more, message):
    status, out, err = command("benchmark", "random", "--tasks", "game112", *more)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("more", [("--workers", "2"), ("--engine", "ray")])
def test_an_agent_that_uses_all_cores_requires_one_process(command, more):
    status, out, err = command("benchmark", "mcts:10ms", "--tasks", "gekitai", *more)
    assert (status, out) == (2, "")
    assert "mcts:10ms" in err
    assert len(err.splitlines()) == 1
