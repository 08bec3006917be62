"""Named openings: their files and their matches."""

import hashlib
import json
import pickle
import re

import numpy as np
import pytest

import boardenvs
from agents.arena import named_openings as module
from agents.arena import play_match, rated, report, round_robin
from agents.arena.match import Match
from agents.arena.named_openings import named_openings, openings_of
from agents.arena.opening_files import write_openings
from agents.arena.page import arena_page_html
from agents.arena.schedule import Entry, Schedule
from agents.arena.storage.store import Store
from agents.arena.workers.batch import play_batch
from agents.naming.spec import specs_of

MOVES = np.array([[0, 7, 14], [3, 4, 5], [35, 1, 2], [6, 7, 8], [20, 9, 12]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder that replaces the folder of the game."""
    folder = tmp_path / "players"
    folder.mkdir()
    monkeypatch.setattr(module, "files", lambda game, pattern: sorted(folder.glob(pattern)))
    return folder


@pytest.fixture
def path(folder, gekitai):
    path = folder / "fair.openings.json"
    write_openings(path, gekitai, "fair", ["board_size"], MOVES, {"command": "by hand"})
    return path


def test_a_file_is_found_by_its_name_and_parameters(path, gekitai, refused):
    found = named_openings(gekitai, "fair")
    np.testing.assert_array_equal(found.moves, MOVES)
    assert found.version == f"fair {found.sha256[:12]}"
    told = json.loads(path.read_text())
    assert told["made"] == {"command": "by hand"}
    assert told["params"] == {"board_size": 6}
    assert told["openings"][1] == ["D1", "E1", "F1"]
    assert sum(line.startswith("  [") for line in path.read_text().splitlines()) == len(MOVES)
    named_openings(boardenvs.make("gekitai", pieces=6), "fair")  # not fixed by the file
    assert openings_of(gekitai) == {"fair": path}
    large = boardenvs.make("gekitai", board_size=7)
    with refused(f"{re.escape(repr(large))} .*openings 'fair'"):
        named_openings(large, "fair")
    with refused(r"openings 'Fair'.*\['fair'\]"):
        play_match(gekitai, ["random", "random"], openings="Fair")
    # The same name for openings of another board size.
    write_openings(path.with_name("b.openings.json"), large, "fair", ["board_size"], [[1]], {})
    assert named_openings(large, "fair").moves.tolist() == [[1]]
    np.testing.assert_array_equal(named_openings(gekitai, "fair").moves, MOVES)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"D1"', '"D2"', "fair.openings.json .*checksum"),
        ('"openings"', '"moves"', "fair.openings.json .*keys"),
        ("boardenvs openings", "x", "fair.openings.json .*format"),
        ("{", "", "fair.openings.json "),
    ],
)
def test_a_damaged_file_is_refused(path, gekitai, old, new, message, refused):
    path.write_text(path.read_text().replace(old, new, 1))
    with refused(message):
        named_openings(gekitai, "fair")


def test_invalid_openings_are_refused(folder, gekitai, refused):
    file = folder / "x.openings.json"
    with refused("illegal"):
        write_openings(file, gekitai, "x", [], [[0, 0]], {})
    over = [gekitai.action_from_text(move) for move in ["A1", "A6", "C3", "D4", "C3"]]
    with refused("opening .*A1, A6, C3, D4, C3"):
        write_openings(file, gekitai, "x", [], [over], {})
    assert list(folder.iterdir()) == []
    write_openings(file, gekitai, "x", [], np.zeros((1, 0), int), {})
    with refused("x.openings.json .*openings"):
        named_openings(gekitai, "x")


def test_each_opening_starts_a_game_in_both_seatings(path, gekitai, tmp_path):
    store = tmp_path / "games.db"
    [result] = round_robin(gekitai, ["random", "greedy"], 14, 5, openings="fair", store=store)
    with Store.read(store) as held:
        games = [held.game_of(result.agents, number) for number in range(14)]
    begun = [tuple(game.actions[:3]) for game in games]
    assert begun[::2] == begun[1::2]
    assert sorted(begun[:10:2]) == sorted(map(tuple, MOVES.tolist()))
    assert begun[10:] == begun[:4]  # then from the first opening again
    assert [game.players[0] for game in games[:2]] == ["random", "greedy"]
    assert result.scores.plies.tolist() == [len(game) for game in games]
    # The seed determines the order of openings.
    scores = play_match(gekitai, ["random", "greedy"], 14, 5, openings="fair")
    np.testing.assert_array_equal(scores.plies, result.scores.plies)
    orders = {
        tuple(Match(gekitai, [None] * 2, seed, 0, "fair")._moves[:, 0].tolist())
        for seed in range(9)
    }
    assert len(orders) > 3
    assert play_match(gekitai, ["random"] * 2, seed=0, openings="fair").games == 2 * len(MOVES)


def test_random_plies_can_follow_an_opening(path, gekitai, tmp_path):
    store = tmp_path / "games.db"
    arguments = {"openings": "fair", "opening_plies": 2, "store": store}
    [result] = round_robin(gekitai, ["greedy", "random"], 10, 5, **arguments)
    with Store.read(store) as held:
        begun = [tuple(held.game_of(result.agents, k).actions[:5]) for k in range(10)]
    assert begun[::2] == begun[1::2]
    assert sorted(moves[:3] for moves in begun[::2]) == sorted(map(tuple, MOVES.tolist()))
    assert len({moves[3:] for moves in begun}) > 2


def test_without_random_plies_deterministic_agents_start_from_the_openings(path, gekitai):
    [result] = round_robin(gekitai, ["trained", "trained"], 4, 5, openings="fair")
    match = Match(gekitai, [None] * 2, 5, None, "fair")
    assert match.opening_plies == 0
    assert result.scores.plies[:2].tolist() == result.scores.plies[:1].tolist() * 2


def test_a_batch_has_the_same_openings_in_every_process(path, gekitai):
    match = Match(gekitai, [None] * 2, 5, None, "fair")
    schedule = Schedule(5, [Entry(tuple(specs_of(["random", "greedy"], gekitai)), match, 6, False)])
    batch = pickle.loads(pickle.dumps(schedule.take(6)))
    games = [game for game in play_batch(batch) if game is not None]
    begun = {tuple(row[:3]) for part in games for row in part.moves.tolist()}
    assert begun == set(map(tuple, match._moves[:3].tolist()))


def test_a_store_with_other_openings_is_refused(path, gekitai, tmp_path, refused):
    def play(store, **openings):
        return list(round_robin(gekitai, ["random", "greedy"], 4, 5, store=store, **openings))

    named, plain = tmp_path / "named.db", tmp_path / "plain.db"
    play(named, openings="fair")
    play(named, openings="fair")
    play(plain)
    version = named_openings(gekitai, "fair").version
    with refused(f"named.db .*openings {version}"):
        play(named)
    with refused(f"plain.db .*openings {version}"):
        play(plain, openings="fair")
    write_openings(path, gekitai, "fair", [], MOVES[:3], {})
    with refused(f"named.db .*openings {version}.* fair "):
        play(named, openings="fair")


def test_the_report_and_page_name_the_openings(path, gekitai):
    results = list(round_robin(gekitai, ["random", "greedy"], 4, 5, openings="fair"))
    told = report(gekitai, 5, results, "fair")
    assert told["openings"] == "fair"
    assert "openings" not in report(gekitai, 5, results)
    assert "openings “fair”" in arena_page_html(told, rated(results))


@pytest.mark.parametrize("move", [1.5, None, ["A1"], {}])
def test_a_move_that_is_not_text_is_refused(path, gekitai, refused, move):
    told = json.loads(path.read_text())
    told["openings"][0] = [move]
    told["sha256"] = hashlib.sha256(json.dumps(told["openings"]).encode()).hexdigest()
    path.write_text(json.dumps(told))
    with refused(rf"fair\.openings\.json .*move .*{re.escape(repr(move))}"):
        named_openings(gekitai, "fair")
