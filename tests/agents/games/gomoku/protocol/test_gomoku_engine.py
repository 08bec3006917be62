"""Programs with the tournament protocol as agents: a correct one, and many faulty ones."""

import functools
import itertools
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import agents
import boardenvs
from agents.arena import play_match, round_robin
from agents.arena.workers import local
from agents.command import main
from agents.games.gomoku.protocol import engine as engine_module
from agents.games.gomoku.protocol.engine import EngineAgent
from agents.naming.spec import Spec

PROGRAM = """
import os, sys, time

how, *log = sys.argv[1:]
taken, moves, telling = set(), 0, False
for line in sys.stdin:
    if log:
        with open("{}-{}".format(log[0], os.getpid()), "a") as file:
            file.write(line)
    word, _, rest = line.strip().partition(" ")
    if telling and word != "DONE":
        taken.add(tuple(map(int, word.split(",")[:2])))
        continue
    telling = word == "BOARD"
    if word == "START":
        while how == "floods":
            print("MESSAGE starting\\n" * 1000, flush=True)
        size = int(rest)
        print("OK" if how != "refuses" else "ERROR too large", flush=True)
    elif word == "RESTART":
        taken = set()
        print("OK", flush=True)
    elif word == "END":
        break
    elif word in ("BEGIN", "TURN", "DONE"):
        if rest:
            taken.add(tuple(map(int, rest.split(","))))
        moves += 1
        print("MESSAGE thinking", flush=True)
        if moves == 3 or how == "crashes at once":
            if how.startswith("crashes"):
                sys.exit("no idea")
            if how == "hangs":
                time.sleep(60)
            if how == "is late":
                time.sleep(0.5)
            wrong = {"babbles": "seven", "plays twice": "0,0", "plays outside": "99,1"}
            if how in wrong:
                print(wrong[how], flush=True)
                continue
        move = next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
        taken.add(move)
        print("{},{}".format(*move), flush=True)
"""


@pytest.fixture
def program(tmp_path):
    """Return the function that returns the command of a program with a given fault."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")

    def command(how, *log):
        return shlex.join([sys.executable, str(path), how, *log])

    return command


@pytest.fixture
def small():
    return boardenvs.make("gomoku", board_size=7)


def test_the_agent_plays_the_moves_of_the_program(small, program):
    engine = EngineAgent(small, command=program("well"))
    states = small.new(1, 0)
    for expected in (0, 2, 4):  # always the first empty cell
        assert engine.act(states).tolist() == [expected]
        small.play(states, [expected], illegal="raise")
        small.play(states, [small.legal(states)[0].argmax()], illegal="raise")
    # In another game, the program receives the whole board.
    other = small.restore(small.from_text(small.to_text(states[0])))
    cells = other["cells"][0, :49]
    assert engine.act(other).tolist() == [int((cells == 0).argmax())]


DROPPING = """
import sys, time

how = sys.argv[1]
size, taken, telling, deaf_until, restarts, turns = 0, set(), False, 0.0, 0, 0
for line in sys.stdin:
    if time.monotonic() < deaf_until:
        continue
    word, _, rest = line.strip().partition(" ")
    if telling and word != "DONE":
        taken.add(tuple(map(int, word.split(",")[:2])))
        continue
    telling = word == "BOARD"
    if word == "START":
        size = int(rest)
        print("OK", flush=True)
    elif word == "RESTART":
        restarts += 1
        if how == "knows no RESTART":
            print("UNKNOWN RESTART", flush=True)
            continue
        if how == "drops RESTART" or how.endswith("first RESTART") and restarts == 1:
            continue
        taken = set()
        # One whose first RESTART took its time answers it now.
        print("OK\\n" * (1 + (how == "is slow at its first RESTART" and restarts == 2)), flush=True)
    elif word in ("BEGIN", "TURN", "DONE"):
        turns += word == "TURN"
        if how == "drops a TURN" and turns == 2 and word == "TURN":
            print("ERROR Unknown command " + rest, flush=True)
            continue
        if how == "drops moves" and turns:
            continue
        if rest:
            taken.add(tuple(map(int, rest.split(","))))
        move = next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
        taken.add(move)
        print("{},{}".format(*move), flush=True)
        deaf_until = time.monotonic() + 0.05 * (how == "drops lines for 50 ms")
"""


@pytest.fixture
def dropping(tmp_path, monkeypatch):
    """As `program`, but the program loses requests and has half a second to answer RESTART."""
    monkeypatch.setattr(engine_module, "_PATIENCE", (0.5, 3.0))
    path = tmp_path / "dropping.py"
    path.write_text(DROPPING, encoding="utf-8")
    return lambda how: shlex.join([sys.executable, str(path), how])


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        "drops lines for 50 ms",
        "drops the first RESTART",
        "is slow at its first RESTART",
        "drops a TURN",
        "knows no RESTART",
    ],
)
def test_a_program_that_lost_its_position_is_asked_again(small, dropping, how):
    short = boardenvs.make("gomoku", board_size=7, max_plies=6)
    engine = EngineAgent(short, command=dropping(how), time_limit=1.0)
    assert play_match(short, [engine, "random"], 2, 1).forfeits == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "asked", "forfeits"),
    [("drops RESTART", "RESTART within 3.5 s", 1), ("drops moves", "BOARD within 1.5 s", 2)],
)
def test_a_program_that_never_answers_loses_the_game(small, dropping, how, asked, forfeits):
    engine = EngineAgent(small, command=dropping(how), time_limit=1.0)
    with pytest.warns(RuntimeWarning, match=f"engine .*{how}.* did not answer {asked}"):
        assert play_match(small, [engine, "random"], 2, 1).forfeits == [forfeits, 0]


@pytest.mark.slow
def test_a_program_that_ignores_turn_loses_after_a_few_seconds(small):
    code = """
import sys
for line in sys.stdin:
    if line.startswith(("START", "BEGIN")):
        print("OK" if line.startswith("START") else "0,0", flush=True)
"""
    engine = EngineAgent(small, command=shlex.join([sys.executable, "-c", code]), time_limit=0.3)
    engine.check_can_play(small.new(1, 0))
    before = time.perf_counter()
    with pytest.warns(RuntimeWarning, match="did not answer TURN .* within 0.8 s; .* forfeits"):
        assert play_match(small, [engine, "random"], 1, 1).forfeits == [1, 0]
    assert time.perf_counter() - before < 8  # 0.8 s, 2 s to answer RESTART and 1 s to end


def test_a_program_plays_both_colours_and_many_games(small, program):
    scores = play_match(small, [EngineAgent(small, command=program("well")), "random"], 6, 1)
    assert scores.forfeits == [0, 0]
    assert scores.games == 6


def in_processes(game, specs, games, seed, plies):
    engine = functools.partial(local.play, workers=2)
    list(round_robin(game, specs, games, seed, opening_plies=plies, engine=engine))


def play_in_this_process(game, specs, games, seed, plies):
    play_match(game, specs, games, seed, opening_plies=plies)


@pytest.mark.parametrize(
    ("play", "opening_plies", "mixed"),
    [
        (play_in_this_process, 0, ""),
        (play_in_this_process, 3, "mixed:0:"),
        pytest.param(in_processes, 2, "", marks=pytest.mark.slow),
    ],
)
def test_a_program_plays_one_game_after_another(
    small, program, tmp_path, play, opening_plies, mixed
):
    spec = f"{mixed}engine:{program('well', str(tmp_path / 'log'))}"
    play(small, [spec, "random"], 6, 1, opening_plies)
    games = []
    for log in tmp_path.glob("log-*"):
        words = re.sub(r"BOARD\n.*?DONE", "BOARD", log.read_text(), flags=re.DOTALL).split("\n")
        assert all(
            before.startswith("INFO time_left")
            for before, line in itertools.pairwise(words)
            if line.partition(" ")[0] in ("BEGIN", "BOARD", "TURN")
        )
        asked = [word for line in words if (word := line.partition(" ")[0]) not in ("INFO", "")]
        games += re.split(r"\b(?:RE)?START\b", " ".join(asked).removesuffix("END"))[1:]
    played = [game.split() for game in games if game.strip()]
    assert len(played) == 6
    for first, *others in played:
        assert first in ("BEGIN", "BOARD")
        assert set(others) == {"TURN"}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("crashes", "status 1: no idea.*forfeit"),
        ("hangs", "TURN .*0.3 s.*forfeit"),
        ("is late", "TURN .*0.3 s.*forfeit"),
        ("plays twice", "occupied cell .*forfeit"),
        ("plays outside", "'99,1'.*forfeit"),
        ("babbles", "'seven'.*forfeit"),
    ],
)
def test_a_failing_program_loses_the_game(small, program, how, message, monkeypatch):
    monkeypatch.setattr(engine_module, "_PATIENCE", (0.1, 0.9))
    engine = EngineAgent(small, command=program(how), time_limit=0.2, grace=0.1)
    with pytest.warns(RuntimeWarning, match=message):
        scores = play_match(small, [engine, "random"], 2, 1)
    assert scores.forfeits == [2, 0]
    assert scores.wins == [0, 2]


def test_a_failing_first_move_loses_the_game(small, program):
    engine = EngineAgent(small, command=program("crashes at once"))
    with pytest.warns(RuntimeWarning, match="forfeit"):
        scores = play_match(small, [engine, "random"], 2, 1)
    assert scores.forfeits == [2, 0]
    assert sorted(scores.plies.tolist()) == [1, 2]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("./no-such-program", "engine './no-such-program' .*No such file"),
        ("'", "engine .*No closing quotation"),
        ("refuses", "START 7 .*'ERROR too large'"),
        ("floods", "engine .*floods' wrote .* bytes without an answer"),
    ],
)
def test_a_program_that_cannot_play_is_refused_before_the_match(small, program, command, message):
    faulty = command in ("refuses", "floods")
    engine = EngineAgent(small, command=program(command) if faulty else command)
    with pytest.raises(ValueError, match=message):
        play_match(small, [engine, "random"], 2, 1)


@pytest.mark.parametrize(
    ("game", "spec", "options", "message"),
    [
        ("gomoku", "engine", {}, "agent 'engine'"),
        ("gomoku", "engine:1s:", {}, "command .*engine:.*got ''"),
        ("gomoku", "engine:1s:./it", {"time_limit": 2}, "time_limit .*got 2"),
        ("gekitai", "engine:./it", {}, "agent 'engine' .*gekitai"),
    ],
)
def test_invalid_arguments_are_refused(game, spec, options, message):
    with pytest.raises(ValueError, match=message):
        agents.make(spec, boardenvs.make(game), 0, **options)


@pytest.mark.parametrize(("time", "seconds"), [("", 1.0), ("500ms:", 0.5)])
def test_a_drive_letter_is_not_read_as_a_time(small, time, seconds):
    command = r"C:\engines\pbrain-x.exe"
    engine = agents.make(f"engine:{time}{command}", small)
    assert (engine.command, engine.time_limit) == (command, seconds)


def test_games_with_other_line_lengths_are_refused():
    game = boardenvs.make("gomoku", board_size=7, win_length=4)
    with pytest.raises(ValueError, match="win_length=5"):
        agents.make("engine:./it", game)


def test_the_version_depends_on_the_program_file(small, program, tmp_path):
    spec = f"engine:200ms:{program('well')}"
    before, same = (Spec.of(spec, small).version(agents.make(spec, small)) for _ in range(2))
    assert before == same
    assert "by the clock" in before
    (tmp_path / "program.py").write_text(f"{PROGRAM}\n", encoding="utf-8")
    assert Spec.of(spec, small).version(agents.make(spec, small)) != before


def test_the_arena_passes_the_time_limit_to_programs(program, capsys):
    spec = f"engine:{program('well')}"
    arguments = ["arena", "gomoku", spec, "random", "-p", "board_size=7", "--games", "2"]
    assert main([*arguments, "--time", "400ms"]) == 0
    assert f"engine:400ms:{program('well')} thinks by the clock" in capsys.readouterr().out
    assert main([*arguments, "--workers", "2"]) == 2
    assert "--workers must be 1" in capsys.readouterr().err


def test_the_packages_engine_plays_in_the_arena(small):
    command = shlex.join([sys.executable, "-m", "agents.command", "engine", "gomoku", "neighbour"])
    engine = EngineAgent(small, command=command)
    scores = play_match(small, [engine, "neighbour"], 4, 1)
    assert scores.forfeits == [0, 0]
    assert (scores.plies > 8).all()


def test_an_engine_of_an_earlier_checkout_plays(small):
    script = Path(__file__).with_name("earlier_agent.py")
    checkout = Path(boardenvs.__file__).parent.parent
    for spec, least in (("greedy", 1.0), ("threats:50", 1.0)):
        command = shlex.join([sys.executable, str(script), str(checkout), spec])
        engine = EngineAgent(small, command=command, time_limit=20)
        own = agents.make(spec, small)
        scores = play_match(small, [engine, "random"], 4, 1, opening_plies=3)
        assert scores.forfeits == [0, 0]
        assert scores[0] >= least
        # The program first receives a board, then single moves.
        assert play_match(small, [engine, own], 4, 1, opening_plies=3).forfeits == [0, 0]


def test_the_program_ends_with_its_agent(small, program):
    engine = EngineAgent(small, command=program("well"))
    engine.act(small.new(1, 0))
    process = engine._process._process
    engine._process.close()
    assert process.wait(5) == 0
    assert isinstance(process, subprocess.Popen)
    assert np.isfinite(engine.time_limit)
