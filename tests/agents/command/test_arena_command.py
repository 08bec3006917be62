"""`boardenvs arena`: tables, files, interruptions and stored games."""

import json
import re
import sys

import pytest

import agents
import boardenvs
from agents.arena.storage.store import Store
from boardenvs.episode import Episode

STOPS = """
class Stops:
    def __init__(self, game, seed):
        self.game = game
        self.most = 0

    def act(self, states):
        self.most = max(self.most, len(states))
        if 2 * len(states) < self.most:  # more than half of the games have ended
            raise KeyboardInterrupt
        return self.game.legal(states).argmax(1)
"""


def untimed(done):
    """Return the result of a command without the agents' times per move."""
    status, out, err = done
    return status, re.sub(r"\nTime per move: .*\n", "", out), err


def test_arena_prints_results_and_ratings(command, tmp_path, game):
    path = tmp_path / "results.json"
    arguments = ["arena", game.name, "random", "greedy", "random", "--games", "20", "--seed", "3"]
    status, out, err = command(*arguments, "--json", path)
    assert (status, err) == (0, "")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert {k: data[k] for k in ("game", "params", "seed")} == {
        "game": game.name,
        "params": game.params,
        "seed": 3,
    }
    if game.num_players == 1:
        assert data["pairs"] == []
        results, names = data["solos"], ["agent"]
        assert [r["agent"] for r in results] == ["random", "greedy", "random"]
    else:
        results, names = data["pairs"], ["a", "b"]
        assert [(r["a"], r["b"]) for r in results] == [
            ("random", "greedy"),
            ("random", "random"),
            ("greedy", "random"),
        ]
    rated = {rating["agent"] for rating in data["ratings"]}
    assert rated == (set() if game.num_players == 1 else {"random", "greedy"})
    assert list(data["seconds_per_move"]) == ["random", "greedy"]
    assert min(data["seconds_per_move"].values()) > 0
    last = out.splitlines()[-1]
    assert re.fullmatch(r"Time per move: random [\d.]+ (µs|ms|s), greedy [\d.]+ (µs|ms|s)\.", last)
    _, out, _ = untimed((status, out, err))
    table, _, ratings = out.partition("\n\n")
    assert {line.split()[0] for line in ratings.splitlines()[2:]} == rated
    lines = table.splitlines()
    head = [*names, "games", "won", "drawn", "lost"]
    assert lines[0].split()[: len(head)] == head
    for result, line in zip(results, lines[2:], strict=True):
        counted = ["games", "wins", "draws", "losses", "first", "forfeits"]
        assert list(result) == [*names, *counted]
        assert result["games"] == 20 == result["wins"] + result["draws"] + result["losses"]
        shown = list(result.values())[: len(head)]
        assert line.split()[: len(head)] == [str(value) for value in shown]
        if game.num_players <= 2:
            scores = agents.play_match(game, [result[name] for name in names], 20, 3)
            assert result["wins"] == scores.wins[0]
    assert untimed(command(*arguments, "--json", path)) == (0, out, "")
    again = json.loads(path.read_text(encoding="utf-8"))
    assert {**again, "seconds_per_move": data["seconds_per_move"]} == data
    if any(0 < result["wins"] < 20 for result in results):  # else seeds may agree
        arguments[-1] = "4"
        assert command(*arguments)[1] != out


def test_arena_accepts_parameters(command, tmp_path):
    path = tmp_path / "results.json"
    command(
        "arena", "gekitai", "random", "greedy", "--games", "2", "-p", "pieces=9", "--json", path
    )
    params = json.loads(path.read_text(encoding="utf-8"))["params"]
    assert params == boardenvs.make("gekitai", pieces=9).params


@pytest.mark.parametrize("value", ["true", "True"])
def test_parameters_are_written_as_in_json_or_python(command, tmp_path, value):
    path = tmp_path / "results.json"
    agents = ["arena", "gomoku", "random", "greedy", "--games", "2", "--json", path]
    command(*agents, "-p", "board_size=5", "-p", f"exact={value}", "-p", "max_plies=None")
    params = json.loads(path.read_text(encoding="utf-8"))["params"]
    assert params == boardenvs.make("gomoku", board_size=5, exact=True).params


def test_arena_with_a_store_continues_its_games(command, fails, tmp_path):
    store, path = tmp_path / "games.db", tmp_path / "results.json"
    arguments = ["arena", "gekitai", "random", "greedy", "--seed", "3", "--games"]
    _, whole, _ = untimed(command(*arguments, 20))
    command(*arguments, 6, "--store", store)
    status, out, err = untimed(command(*arguments, 20, "--store", store, "--json", path))
    assert (status, out, err) == (0, whole, "")
    assert json.loads(path.read_text(encoding="utf-8"))["pairs"][0]["games"] == 20
    said = fails("games.db .*seed 3.* 4", *arguments[:5], 4, "--store", store)
    assert said == ""


def test_arena_stops_when_decided(command, tmp_path):
    path = tmp_path / "results.json"
    arguments = ["arena", "gekitai", "random", "greedy", "random", "--games", "300"]
    status, out, _ = command(*arguments, "--until", "decided", "--json", path)
    assert status == 0
    pairs = json.loads(path.read_text(encoding="utf-8"))["pairs"]
    assert [pair["decided"] for pair in pairs] == [True, False, True]
    assert [pair["games"] < 300 for pair in pairs] == [True, False, True]
    lines = out.partition("\n\n")[0].splitlines()
    assert lines[0].endswith("  decided")
    assert [line.split()[-1] for line in lines[2:]] == ["yes", "no", "yes"]


def test_arena_accepts_random_openings(command):
    arguments = ["arena", "gekitai", "random", "random", "--games", "40"]
    plain = untimed(command(*arguments))
    assert untimed(command(*arguments, "--opening-plies", "0")) == plain
    assert untimed(command(*arguments, "--opening-plies", "5")) != plain


def test_arena_accepts_an_agent_against_itself(command, tmp_path):
    path, page = tmp_path / "results.json", tmp_path / "arena.html"
    arguments = ["arena", "gekitai", "random", "random", "random", "--games", "4"]
    status, out, err = untimed(command(*arguments, "--json", path, "--html", page))
    assert (status, err) == (0, "")
    assert out.endswith("\n\nThere are no ratings: random met only itself; name another agent.\n")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert [pair["games"] for pair in data["pairs"]] == [4, 4, 4]
    assert page.is_file()


def test_arena_in_two_processes_prints_the_same(command):
    arguments = ["arena", "gekitai", "random", "greedy", "--games", "40"]
    assert untimed(command(*arguments, "--workers", "2")) == untimed(command(*arguments))


def test_arena_accepts_time_limits(command, fails, tmp_path):
    path, page, store = (tmp_path / name for name in ("results.json", "arena.html", "games.db"))
    arguments = ["arena", "gekitai", "random", "mcts", "--games", "2", "--time", "20ms"]
    said = "mcts:20ms thinks by the clock: such games differ from run to run and from machine to"
    status, out, err = command(*arguments, "--json", path, "--html", page, "--store", store)
    assert (status, err) == (0, "")
    assert said in out
    assert said in page.read_text(encoding="utf-8")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["by_the_clock"] == ["mcts:20ms"]
    assert data["seconds_per_move"]["mcts:20ms"] > 0.01
    assert "Time per move: random" in page.read_text(encoding="utf-8")
    with Store.read(store) as kept:
        assert "by the clock on " in kept.matches()[0].versions[1]
        (result,) = kept.results()
    assert result.scores.seconds_per_move[1] == pytest.approx(
        data["seconds_per_move"]["mcts:20ms"], rel=1e-3
    )
    fails("--time .*random, greedy", *arguments[:2],
          "random", "greedy", "--time", "1s")  # fmt: skip
    fails("time .*'soon'", *arguments[:4], "--time", "soon")
    alone = "--workers .*mcts:20ms.* got 2"
    fails(alone, *arguments, "--workers", "2")
    fails("--engine .*mcts:20ms", *arguments,
          "--engine", "ray")  # fmt: skip


@pytest.mark.parametrize("asked", [["arena", "gekitai", "random", "greedy"], ["train", "gekitai"]])
def test_arena_on_ray_without_ray_is_refused(fails, monkeypatch, asked):
    monkeypatch.setitem(sys.modules, "ray", None)
    arguments = [*asked, "--engine", "ray"]
    fails(r"needs the extra \[ray\]", *arguments)


def test_ctrl_c_ends_an_arena_in_one_line(command, tmp_path, own_module):
    own_module("mine", STOPS)
    store = tmp_path / "games.db"
    arguments = ["arena", "gekitai", "random", "mine:Stops", "--games", "20", "--store", store]
    status, out, err = command(*arguments)
    assert (status, out) == (130, "")
    assert err.endswith("boardenvs: stopped\n")
    kept = [line for line in command("watch", "--store", store)[1].splitlines() if "games" in line]
    finished = int(re.fullmatch(r"1\. random - mine:Stops: (\d+) games", kept[0])[1])
    assert 0 < finished < 20


def test_watch_replays_a_stored_game(command, fails, tmp_path):
    store, page, saved = (tmp_path / name for name in ("games.db", "game.html", "game.json"))
    command("arena", "gekitai", "random", "greedy", "--games", "4", "--store", store)
    status, out, err = command("watch", "--store", store)
    assert (status, err) == (0, "")
    assert "\n1. random - greedy: 4 games\n" in out
    status, out, err = command(
        "watch", "--store", store, "--game", "1.3", "--html", page, "--save", saved
    )
    assert (status, err) == (0, "")
    assert "\n1. greedy: " in out
    assert "\nResult: " in out
    episode = Episode.load(saved)
    assert episode.players == ["greedy", "random"]
    assert out.startswith(episode.to_text())
    assert page.read_text(encoding="utf-8").startswith("<!")
    fails("games.db .*game 1.4", "watch", "--store", store, "--game", "1.4")
    saved.rename(store)
    fails("games.db .*store", "watch", "--store", store)


def test_arena_reports_losing_moves(command, fails, tmp_path):
    path, page = tmp_path / "results.json", tmp_path / "arena.html"
    arguments = ["arena", "game112", "random", "greedy", "-p", "board_size=7", "--games", "20"]
    plain = untimed(command(*arguments))
    status, out, err = untimed(command(*arguments, "--judge", "--json", path, "--html", page))
    assert (status, err) == (0, "")
    told = [line for line in out.splitlines() if " games: a win given away in " in line]
    assert out.startswith(plain[1].rstrip("\n"))
    [pair] = json.loads(path.read_text(encoding="utf-8"))["pairs"]
    assert len(pair["lost"]) == pair["wins"] + pair["losses"] > 0
    assert f"random lost {pair['losses']} games: a win given away in " in told[0]
    assert f"<p>{told[0]}</p>" in page.read_text(encoding="utf-8")
    refusal = "exact.* goat_race .*chance"
    fails(refusal, "arena", "goat_race", "-p", "num_players=2", "random", "greedy", "--judge")
    refusal = "two players .*pizza_order"
    fails(refusal, "arena", "pizza_order", "random", "greedy", "--judge")
