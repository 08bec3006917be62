"""The store neither loses nor repeats finished games, and does not touch foreign files."""

import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
import time

import onnx
import pytest
from store_files import rows

import agents
import boardenvs
from agents.arena import match, play_match, round_robin, solos
from agents.arena.match import Match
from agents.arena.storage.store import Store
from agents.naming.spec import Spec
from agents.search.mcts import MctsAgent
from boardenvs import Episode

# While the file `hold` exists, play stops when the store has as many games as the file says.
HELD = """
import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace
import numpy as np

def held():
    try:
        enough = int(Path("hold").read_text())
    except FileNotFoundError:
        return False
    connection = sqlite3.connect("killed.db", timeout=60)
    (kept,) = connection.execute("SELECT COUNT(*) FROM games").fetchone()
    connection.close()
    return kept >= enough

class Held:
    deterministic = False

    def __init__(self, game, seed):
        self.game = game

    def act(self, states):
        raise AssertionError("asked without words")

    def choose(self, states, words):
        while held():
            time.sleep(0.01)
        bits = words[:, None] >> np.arange(self.game.num_actions, dtype=np.uint64)
        return (self.game.legal(states) * (1 + bits % 5)).argmax(1)
"""

BAD = """
class Bad:
    def __init__(self, game, seed):
        pass

    def act(self, states):
        return [max(0, int(state["last_action"])) for state in states]
"""


def results(path):
    with Store.read(path) as store:
        return store.results()


# -- Contents ---------------------------------------------------------------------------


def test_stored_results_are_read_again(game, path):
    specs = ["random", "greedy"]
    kind = round_robin if game.num_players > 1 else solos
    played = list(kind(game, specs, 20, 3, store=path))
    assert played == list(kind(game, specs, 20, 3))
    assert results(path) == played
    with Store.read(path) as store:
        assert store.game == game
        assert store.seed == 3
        assert [m.games for m in store.matches()] == [20] * len(played)
    assert [p.name for p in path.parent.iterdir()] == ["games.db"]


def test_every_stored_game_can_be_replayed(game, path):
    specs = ["random", "greedy"]
    kind = round_robin if game.num_players > 1 else solos
    played = list(kind(game, specs, 6, 3, opening_plies=1, store=path))
    with Store.read(path) as store:
        for number in range(6):
            episode = store.episode(f"1.{number}")
            assert len(episode.players) == game.num_players
            assert episode.terminated or episode.truncated
            assert len(episode.states()) - 1 == played[0].scores.plies[number]
            if game.num_players == 2:
                first = episode.players.index("random")
                assert episode.returns[first] == played[0].scores.returns[number, 0]
                assert first == number % 2


@pytest.mark.parametrize("suffix", [".json", ".psq", ".sgf"])
def test_every_stored_game_can_be_exported(path, tmp_path, suffix):
    game = boardenvs.make("gomoku", board_size=5)
    list(round_robin(game, ["random", "greedy", "neighbour"], 4, 3, store=path))
    folder = tmp_path / "games"
    with Store.read(path) as store:
        assert store.export(folder, suffix) == 12
        assert len(list(folder.iterdir())) == 12
        for file in folder.iterdir():
            episode, held = Episode.load(file), store.episode(file.stem)
            assert episode.game == game
            assert (episode.actions, episode.players) == (held.actions, held.players)
            assert episode.result == held.result


def test_exports_in_formats_of_other_games_are_refused(filled, tmp_path, refused):
    with Store.read(filled) as store, refused("suffix must be "):
        store.export(tmp_path / "games", ".psq")
    assert not (tmp_path / "games").exists()


def test_games_that_were_not_played_cannot_be_replayed(filled, gekitai, refused):
    with Store.read(filled) as store:
        assert len(store.game_of(("random", "greedy"), 0)) > 0
        with refused("match .*greedy - greedy"):
            store.game_of(("greedy", "greedy"), 0)


def test_a_stored_forfeit_can_be_replayed(gekitai, path, own_module):
    own_module("mine", BAD)
    list(round_robin(gekitai, ["random", "mine:Bad"], 4, 0, opening_plies=1, store=path))
    with Store.read(path) as store:
        assert store.episode("1.0").result == "mine:Bad loses by an illegal action"
    assert results(path)[0].scores.forfeits == [0, 4]


def test_an_agent_in_two_seats_has_two_names(gekitai, path):
    list(round_robin(gekitai, ["random", "random"], 2, 0, store=path))
    with Store.read(path) as store:
        assert len(set(store.episode("1.0").players)) == 2


# -- Continuing -------------------------------------------------------------------------


def test_a_second_run_plays_nothing(filled, gekitai, monkeypatch):
    before = rows(filled)
    seen = []
    monkeypatch.setattr(Match, "play", lambda *_: pytest.fail("played"))
    again = round_robin(
        gekitai, ["random", "greedy", "random"], 10, 3, store=filled,
        progress=lambda name, num: seen.append((name, num)),
    )  # fmt: skip
    assert list(again) == results(filled)
    assert rows(filled) == before
    assert sum(num for _, num in seen) == 30


def test_a_store_can_be_extended_by_games_and_agents(filled, gekitai, path):
    before = rows(filled)
    specs = ["random", "greedy", "random", "greedy"]
    long = list(round_robin(gekitai, specs, 16, 3, store=filled))
    assert long == list(round_robin(gekitai, specs, 16, 3))
    after = rows(filled)
    assert set(before) < set(after)
    different = {(r.a, r.b) for r in long}
    assert len(after) == 16 * len(different)
    assert len(different) < len(long)


def test_a_run_with_fewer_games_uses_only_the_first_stored_games(filled, gekitai):
    few = list(round_robin(gekitai, ["random", "greedy"], 6, 3, store=filled))
    assert few[0].scores == play_match(gekitai, ["random", "greedy"], 6, 3)


@pytest.mark.parametrize("stop", [1, 7, 20, 29])
def test_an_interrupted_run_can_be_continued(gekitai, path, filled, tmp_path, stop):
    other = tmp_path / "other.db"
    finished = 0

    def interrupt(_name, num):
        nonlocal finished
        finished += num
        if finished >= stop:
            raise KeyboardInterrupt

    specs = ["random", "greedy", "random"]
    with pytest.raises(KeyboardInterrupt):
        list(round_robin(gekitai, specs, 10, 3, store=other, progress=interrupt))
    assert len(rows(other)) == finished
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("other")] == ["other.db"]
    list(round_robin(gekitai, specs, 10, 3, store=other))
    assert rows(other) == rows(filled)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_can_be_continued(tmp_path, own_module, gekitai, monkeypatch, workers):
    own_module("held_agent", HELD)
    command = [
        sys.executable, "-m", "agents.command", "arena", "gekitai", "held_agent:Held", "random",
        "greedy", "--games", "12", "--seed", "4", "--store", "killed.db", "--workers", str(workers),
    ]  # fmt: skip
    monkeypatch.setattr(match, "_SIDE_BY_SIDE", 5)
    list(round_robin(gekitai, ["held_agent:Held", "random", "greedy"], 12, 4, store="whole.db"))
    path = tmp_path / "killed.db"
    hold = tmp_path / "hold"
    for kill_at in (1, 15):
        hold.write_text(str(kill_at), encoding="utf-8")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seen = []
        while process.poll() is None and len(seen) < kill_at:
            time.sleep(0.01)
            if path.exists() and path.stat().st_size:
                try:
                    seen = rows(path)
                except sqlite3.OperationalError as error:
                    assert "no such table" in str(error)  # noqa: PT017 the store is being created
        process.send_signal(signal.SIGKILL)
        hold.unlink()  # the remaining worker processes continue and end
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        kept = rows(path)
        assert set(seen) <= set(kept)
        assert kill_at <= len(kept) < 36
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
    assert rows("killed.db") == rows("whole.db")
    assert len(rows("killed.db")) == 36
    assert results("killed.db") == results("whole.db")


def test_an_empty_file_becomes_a_store(path, gekitai):
    path.touch()
    list(round_robin(gekitai, ["random", "greedy"], 2, 0, store=path))
    assert len(rows(path)) == 2


# SIGXFSZ kills the process at the first write beyond this many bytes.
KILLED = """
import os
import resource
import signal

import boardenvs
from agents.arena import round_robin

def run(store):
    return list(round_robin(boardenvs.make("gekitai"), ["random", "greedy"], 4, 3, store=store))

run(None)  # compiled once for all children
for limit in range(0, 36_864, 2048):
    os.mkdir(str(limit))
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        run(f"{limit}/games.db")
        os._exit(0)
    print(limit, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGXFSZ")
def test_a_run_killed_at_any_write_of_a_new_store_can_be_continued(tmp_path, gekitai, attempt):
    ran = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    ends = {int(limit): int(status) for limit, status in map(str.split, ran.stdout.splitlines())}
    assert set(ends.values()) == {0, -signal.SIGXFSZ}
    founded = 0
    for limit in ends:
        path = tmp_path / str(limit) / "games.db"
        before = attempt(results, path)
        founded += before is not None
        played = list(round_robin(gekitai, ["random", "greedy"], 4, 3, store=path))
        assert results(path) == played
        assert len(rows(path)) == 4
        assert [p.name for p in path.parent.iterdir()] == ["games.db"]
    assert 0 < founded < len(ends)


def test_reading_an_empty_store_is_refused(path, refused):
    path.touch()
    with refused("games.db is empty"):
        results(path)


def test_two_simultaneous_runs_count_no_game_twice(gekitai, path):
    runs = [round_robin(gekitai, ["random", "greedy"], 10, 3, store=path) for _ in range(2)]
    (one,), (other,) = ([next(run)] for run in runs)
    assert one == other
    assert len(rows(path)) == 10


# -- Sequential tests -------------------------------------------------------------------


def test_a_run_until_decided_can_be_continued(gekitai, path, tmp_path):
    def run(games, **options):
        return list(
            round_robin(gekitai, ["greedy", "random"], games, 3, until="decided", **options)
        )

    (whole,) = run(500)
    assert whole.verdict.decided
    assert whole.verdict.low > 0.5
    stop = whole.scores.games
    assert 2 < stop < 100
    assert stop % 2 == 0
    (short,) = run(stop - 2, store=path)
    assert not short.verdict.decided
    assert short.scores.games == stop - 2
    assert run(500, store=path) == [whole]
    assert run(500, store=path) == [whole]
    assert whole.scores == play_match(gekitai, ["greedy", "random"], stop, 3)


# -- Refusals ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 4}, "games.db .*seed 3.* 4"),
        ({"game": boardenvs.make("game112")}, "games.db .*game gekitai.* game112"),
        ({"game": boardenvs.make("gekitai", pieces=9)}, 'games.db .*params .*"pieces": 8'),
        ({"opening_plies": 3}, "games.db .*random - greedy .*opening_plies 0.* 3"),
    ],
)
def test_a_store_of_another_arena_is_refused(filled, gekitai, refused, change, said):
    before = filled.read_bytes()
    arguments = {"game": gekitai, "specs": ["random", "greedy"], "num_games": 20, "seed": 3}
    with refused(said):
        list(round_robin(**{**arguments, **change}, store=filled))
    assert filled.read_bytes() == before


def test_another_version_of_an_agent_is_refused(
    gekitai, path, refused, own_module, tiny_copy, monkeypatch
):
    own_module("mine", HELD)
    list(round_robin(gekitai, ["mine:Held", tiny_copy.spec], 2, 0, store=path))
    before = rows(path)

    with monkeypatch.context() as patch:
        patch.setattr(boardenvs, "__version__", "99")
        with refused("games.db .*version 0.1.0.* 99"):
            list(round_robin(gekitai, ["mine:Held", "random"], 2, 0, store=path))

    own_module("mine", HELD + "# another\n")
    with refused("games.db .*version of mine:Held.* file [0-9a-f]{64}.* file "):
        list(round_robin(gekitai, ["mine:Held", tiny_copy.spec], 4, 0, store=path))

    model = onnx.load(tiny_copy.network)
    model.producer_name = "another"
    network = model.SerializeToString()
    tiny_copy.network.write_bytes(network)
    card = tiny_copy.card
    card["sha256"] = hashlib.sha256(network).hexdigest()
    tiny_copy.network.with_suffix(".json").write_text(json.dumps(card), encoding="utf-8")
    with refused("games.db .*version .*boardenvs .*, network [0-9a-f]{64}.* network "):
        list(round_robin(gekitai, ["random", tiny_copy.spec], 4, 0, store=path))
    assert rows(path) == before


@pytest.mark.slow
def test_an_agent_with_another_play_version_is_refused(gekitai, path, refused, monkeypatch):
    list(round_robin(gekitai, ["random", "mcts:2"], 2, 0, store=path))
    before = rows(path)
    with Store.read(path) as store:
        # Versions that were never raised are omitted, as in older stores.
        plain = f"boardenvs {boardenvs.__version__}"
        assert store.matches()[0].versions == (plain, f"{plain}, play {MctsAgent.play_version}")
    monkeypatch.setattr(MctsAgent, "play_version", 99)
    with refused("games.db .*version of mcts:2.* boardenvs .*, play .* play 99"):
        list(round_robin(gekitai, ["random", "mcts:2"], 4, 0, store=path))
    assert rows(path) == before


def test_the_version_of_a_search_includes_its_network(gekitai, tiny):
    agent = agents.make("puct:2", gekitai, 0, path=tiny.network)
    digest = hashlib.sha256(tiny.network.read_bytes()).hexdigest()
    assert f"network {digest}" in Spec.of("puct:2", gekitai).version(agent)


def test_the_version_of_an_agent_with_a_time_limit_includes_its_cores(monkeypatch):
    def version(**parameters):
        spec = Spec.of("mcts:1ms", boardenvs.make("gekitai"))
        return spec.version(spec.make(0, **parameters))

    for place in ("agents.naming.spec", "boardenvs.kernels.threads"):
        monkeypatch.setattr(f"{place}.cores", lambda: 4)
    monkeypatch.setattr("boardenvs.kernels.threads.most_threads", lambda: 4)
    monkeypatch.setattr("boardenvs.kernels.threads._fixed", None)
    assert "by the clock on 4 cores" in version()
    assert "by the clock on 3 cores" in version(threads=3)
    assert "by the clock on 4 cores" in version(threads=9)
    monkeypatch.setattr("boardenvs.kernels.threads._fixed", 1)
    assert "by the clock on 1 cores" in version()
