"""Tournaments of all pairs or of single agents, new or continued."""

import pytest

import boardenvs
from agents.arena import play_match, round_robin, solos
from agents.arena.match import Match


def test_round_robin_plays_every_pair(gekitai, tiny):
    specs = ["random", "greedy", tiny.spec]
    finished = {}

    def progress(pair, games):
        finished[pair] = finished.get(pair, 0) + games

    results = list(round_robin(gekitai, specs, 20, 5, progress=progress))
    assert [(r.a, r.b) for r in results] == [
        ("random", "greedy"),
        ("random", tiny.spec),
        ("greedy", tiny.spec),
    ]
    assert finished == {f"{r.a} - {r.b}": 20 for r in results}
    for result in results:
        assert result.scores == play_match(gekitai, [result.a, result.b], 20, 5)


def test_round_robin_accepts_an_agent_against_itself(gekitai):
    (result,) = round_robin(gekitai, ["greedy", "greedy"], 40, 0)
    assert (result.a, result.b) == ("greedy", "greedy")
    assert result.scores.games == 40


def test_round_robin_needs_two_agents(gekitai, refused):
    for specs in ([], ["random"]):
        with refused(f"2 agents.* {len(specs)}"):
            list(round_robin(gekitai, specs, 10, 0))


def test_round_robin_and_solos_refuse_each_others_games(gekitai, refused):
    alone = boardenvs.make("dominoes175")
    with refused("round_robin .*dominoes175"):
        list(round_robin(alone, ["random", "greedy"], 10, 0))
    with refused("solos .*gekitai"):
        list(solos(gekitai, ["random", "greedy"], 10, 0))


def test_an_unknown_agent_is_refused_before_any_game(gekitai, refused, monkeypatch):
    monkeypatch.setattr(Match, "play", lambda *_args: pytest.fail("played"))
    with refused("agent 'gready'"):
        list(round_robin(gekitai, ["random", "greedy", "gready"], 10, 0))
