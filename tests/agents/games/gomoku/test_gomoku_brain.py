"""The program that a manager of Gomoku tournaments runs."""

import contextlib
import io
import itertools
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardenvs
from agents.command import main
from agents.games.gomoku.brain import Brain
from agents.games.gomoku.protocol.quick import quick_move
from boardenvs.inbox import Inbox


class FirstFree:
    """A player of the first empty cell that records the states it receives."""

    def __init__(self, game, seconds):
        self.game = game
        self.seconds = seconds
        self.seen = []

    def act(self, states):
        self.seen.append(states[0].copy())
        return self.game.legal(states).argmax(1)


class ByTheClock(FirstFree):
    """A player that also records its time limits."""

    def __init__(self, game, seconds):
        super().__init__(game, seconds)
        self.time_limit = 60.0 if seconds is None else seconds
        self.limits = []

    def act(self, states):
        self.limits.append(self.time_limit)
        return super().act(states)


class Manager:
    """A manager that sends lines to a brain and returns the answers."""

    def __init__(self, kind=FirstFree):
        self.made = []
        self.brain = Brain("first", self._make, boardenvs.make("gomoku"))
        self._kind = kind

    def _make(self, game, seconds, memory):
        self.memory = memory
        self.made.append(self._kind(game, seconds))
        return self.made[-1]

    def __call__(self, *lines):
        return list(self.brain.answers(lines))

    def at_once(self, lines, get_ready):
        """Send lines without waiting for answers, after `get_ready`."""
        inbox = Inbox(lines)
        inbox.get_ready(get_ready)
        return list(self.brain.answers(inbox))


@pytest.fixture
def manager():
    return Manager()


@pytest.mark.parametrize(
    ("line", "memory"), [("INFO max_memory 350000000", 350_000_000), ("INFO max_memory 0", 0)]
)
def test_the_agent_fits_into_the_memory_limit_of_the_manager(manager, line, memory):
    manager("START 9", "BEGIN", "END")
    assert manager.memory is None
    manager("START 9", line, "BEGIN", "END")
    assert manager.memory == memory


def used_memory(process):
    """Return the resident memory of a process and its descendants in bytes."""
    total = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        total += sum(map(used_memory, (task / "children").read_text().split()))
    pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    return total + int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
@pytest.mark.parametrize("cache", ["cold", "warm"])
def test_an_engine_with_a_network_uses_less_than_256_megabytes(cache, tmp_path):
    if cache == "cold":
        variables = {"BOARDENVS_INTERPRET": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    else:
        assert main(["compile", "gomoku"]) == 0
        variables = {"BOARDENVS_INTERPRET": "1"}
    lines = "START 15\nINFO timeout_turn 1000\nBEGIN\nTURN 0,0\nTURN 14,14\nTURN 0,14\nEND\n"
    command = [sys.executable, "-m", "agents.command", "engine", "gomoku", "puct", "--seed", "0"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    most = 0
    with subprocess.Popen(command, env={**os.environ, **variables}, text=True, **pipes) as engine:
        engine.stdin.write(lines)
        engine.stdin.flush()
        while engine.poll() is None:
            with contextlib.suppress(OSError, IndexError, ValueError):
                most = max(most, used_memory(engine.pid))
            time.sleep(0.02)
        moves = [line for line in engine.stdout.read().split() if re.fullmatch(r"\d+,\d+", line)]
    assert len(moves) == 4
    assert most < 256e6


def test_a_game_is_played(manager):
    assert manager("START 15\r\n", "BEGIN\r\n") == ["OK", "0,0"]
    assert manager("TURN 1,0", "TURN 3,14") == ["2,0", "3,0"]
    state = manager.made[-1].seen[-1]
    assert (state["ply"], state["to_move"], state["last_action"]) == (4, 0, 14 * 15 + 3)
    cells = state["cells"][:225].reshape(15, 15)
    assert np.argwhere(cells == 1).tolist() == [[0, 0], [0, 2]]
    assert np.argwhere(cells == 2).tolist() == [[0, 1], [14, 3]]
    assert manager("RESTART", "TURN 0,0", "END", "TURN 5,5") == ["OK", "1,0"]
    assert manager.made[-1].seen[-1]["to_move"] == 1


@pytest.mark.parametrize(
    ("stones", "to_move"),
    [
        (["7,7,1", "6,6,2"], 0),
        (["7,7,2"], 1),
        (["7,7,2", "6,6,1", "5,5,2"], 1),
        ([], 0),
    ],
)
def test_a_position_is_answered_with_a_move(manager, stones, to_move):
    assert manager("START 15", "BOARD", *stones, "DONE") == ["OK", "0,0"]
    state = manager.made[-1].seen[-1]
    assert state["to_move"] == to_move
    cells = state["cells"][:225].reshape(15, 15)
    for stone in stones:
        column, row, whose = map(int, stone.split(","))
        assert cells[row, column] == (to_move if whose == 1 else 1 - to_move) + 1
    assert manager("TURN 1,0") == ["2,0"]


def test_moves_are_taken_back(manager):
    manager("START 9", "BEGIN", "TURN 4,4")
    assert manager("TAKEBACK 1,0", "TAKEBACK 4,4", "TURN 3,3") == ["OK", "OK", "1,0"]
    cells = manager.made[-1].seen[-1]["cells"][:81].reshape(9, 9)
    assert np.argwhere(cells == 2).tolist() == [[3, 3]]


@pytest.mark.parametrize(
    "lines",
    [
        ["start 9", "Begin", "tuRN 4,4", "End", "ABOUT"],
        ["\ufeffSTART 9\r\n", "BEGIN\r\n", "TURN 4,4\r\n"],
        ["START 9 9", "board", "4,4,2", "0,0,1", "done"],
        ["START 9,9", "info TIMEOUT_TURN 100", "BEGIN", "TURN 4,4"],
        ["RECTSTART 9, 9", "BEGIN", "TURN 4,4"],
    ],
)
def test_commands_can_be_written_in_several_ways(manager, lines):
    answers = manager(*lines)
    assert (answers[0], answers[-1]) == ("OK", "1,0")
    assert manager.made[-1].game.board_size == 9


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (["BOARD", "1;1;1", "2,2,2", "DONE", "BEGIN"], ["ERROR expected X,Y,1", "0,0"]),
        (["BOARD", "1,1,2", "TURN 2,2", "DONE"], ["0,0", "ERROR DONE without BOARD"]),
        (["BOARD", "1,1,1", "huh", "-1,2,2", "ABOUT", "DONE"], ["ERROR expected X,Y,1", "name="]),
        (["BOARD", "0,0,2", "INFO rule 4", "ABOUT", "DONE"], ["ERROR rule 4", "name=", "1,0"]),
        (["BOARD", "x", "BOARD", "0,0,2", "DONE"], ["ERROR expected X,Y,1", "1,0"]),
        (["SWAP2BOARD", "7,7", "8,8", "DONE", "BEGIN"], ["UNKNOWN command SWAP2BOARD", "0,0"]),
        (["YXBOARD", "7,7,1", "DONE", "YXSHOWINFO"], ["UNKNOWN command", "UNKNOWN command"]),
        (["SWAP2BOARD", "DONE", "DONE"], ["UNKNOWN command", "ERROR DONE without BOARD"]),
        (["PLAY 1,1", "SUGGEST 1,1", "BEGIN"], ["UNKNOWN command"] * 2 + ["0,0"]),
    ],
)
def test_a_request_of_several_lines_is_refused_once(manager, lines, answers):
    _, *given = manager("START 9", *lines)
    assert len(given) == len(answers)
    assert all(map(str.startswith, given, answers)), given
    assert manager("END", "ABOUT") == []


def test_a_request_before_start_is_refused_once(manager):
    assert manager("BOARD", "1,1,1", "DONE", "START 9") == ["ERROR BOARD before START", "OK"]


def test_about_has_the_fields_of_gomocup():
    (answer,) = Manager()("ABOUT")
    fields = dict(re.findall(r'(\w+)="([^"]*)"', answer))
    assert list(fields) == ["name", "version", "author", "country"]
    assert fields["name"] == "boardenvs first"
    assert all(fields.values())


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["BEGIN"], "ERROR BEGIN before START"),
        (["START 4"], "ERROR board_size must be a whole number from 5 to 26, got 4"),
        (["START"], "ERROR expected START SIZE, got ''"),
        (["START ²"], "ERROR expected START SIZE, got '²'"),
        (["START 9x"], "ERROR expected START SIZE, got '9x'"),
        (
            ["RECTSTART 10,20"],
            "ERROR only square boards are played: expected START SIZE, got 10,20",
        ),
        (["SWAP2BOARD"], "UNKNOWN command SWAP2BOARD"),
        (["START 9", "TURN 9,0"], "ERROR 9,0 is outside of a board of 9 by 9"),
        (["START 9", "TURN a"], "ERROR expected X,Y, got 'a'"),
        (["START 9", "BEGIN", "TURN 0,0"], "ERROR there is a stone at 0,0 already"),
        (["START 9", "TAKEBACK 0,0"], "ERROR there is no stone at 0,0"),
        (["START 9", "DONE"], "ERROR DONE without BOARD"),
        (["START 9", "BOARD", "1,1,3", "DONE"], "ERROR expected X,Y,1 or X,Y,2, got '1,1,3'"),
        (["START 9", "BOARD", "1,1,2", "1,1,1", "DONE"], "ERROR there are two stones at 1,1"),
        (
            ["START 9", "BOARD", "1,1,1", "DONE"],
            "ERROR it is not the program's turn with 1 of its stones and 0 others",
        ),
        (
            ["START 9", *(f"TURN {x},8" for x in (4, 5, 6, 7, 8))],
            "ERROR the game is over",
        ),
        (
            ["START 9", "INFO rule 4"],
            "ERROR rule 4 is not played here, but 0, five or more, and 1, just five",
        ),
        (["INFO rule x"], "ERROR INFO rule must be a whole number, got 'x'"),
        (
            ["INFO timeout_turn soon"],
            "ERROR INFO timeout_turn must be a whole number, got 'soon'",
        ),
    ],
)
def test_unsupported_requests_are_answered_in_one_line(manager, lines, answer):
    assert manager(*lines)[-1] == answer


def test_a_board_larger_than_usual_is_played_to_its_end(manager):
    manager("START 20", "BEGIN")
    assert manager.made[-1].game.max_plies == 400


def test_the_game_continues_after_an_error(manager):
    assert manager("START 9", "TURN 4,4", "TURN 4,4", "TURN x", "TURN 5,5")[-1] == "1,0"


def test_the_rule_of_the_manager_is_applied(manager):
    manager("START 9", "INFO rule 1", "BEGIN")
    assert manager.made[-1].game.params["exact"] is True
    manager("INFO rule 0", "TURN 5,5")
    assert manager.made[-1].game.params["exact"] is False
    answers = manager("INFO rule 1", "INFO rule 2", "INFO rule", "RESTART", "BEGIN")
    assert [answer.split()[0] for answer in answers] == ["ERROR", "ERROR", "OK", "0,0"]
    assert manager.made[-1].game.params["exact"] is True


@pytest.mark.parametrize(
    ("infos", "seconds"),
    [
        ([], 60),
        (["timeout_turn 1000"], 1),
        (["timeout_turn 30000", "time_left 20000"], 2),
        (["timeout_turn 1000", "time_left 2147483647"], 1),
        (["timeout_turn 1000", "timeout_match 0"], 1),
        (["timeout_turn 5000", "timeout_match 10000"], 1),
        (["timeout_turn 0"], 0.01),
        (["timeout_turn -5"], 0.01),
        (["timeout_turn 1000", f"timeout_turn {'9' * 999}"], 1),
        (["timeout_turn soon", "max_memory 5", "folder /tmp", "evaluate 1,1"], 60),
    ],
)
def test_the_time_of_a_move_follows_the_limits(infos, seconds, monkeypatch):
    monkeypatch.setattr("agents.games.gomoku.brain.time.perf_counter", lambda: 1.0)
    manager = Manager(ByTheClock)
    manager("START 9", *(f"INFO {info}" for info in infos), "BEGIN")
    (limit,) = manager.made[-1].limits
    assert 0.97 * seconds < limit < seconds


def test_the_time_before_the_search_is_subtracted(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr("agents.games.gomoku.brain.time.perf_counter", lambda: next(clock) / 4)
    manager = Manager(ByTheClock)
    manager("START 9", "INFO timeout_turn 1000", "BEGIN")
    assert manager.made[-1].limits == [pytest.approx(0.98 - 0.25)]


class Watched(Inbox):
    """An inbox that signals when the brain has handled an INFO line."""

    def __init__(self, lines):
        self.dealt_with = threading.Event()
        super().__init__(lines)

    def __iter__(self):
        for line in super().__iter__():
            yield line
            if line.startswith("INFO"):
                self.dealt_with.set()


def test_start_waits_until_the_program_is_ready(manager):
    order = []
    answered = threading.Event()

    def lines():
        yield from ["START 9", "INFO timeout_turn 5000"]
        answered.wait()

    def get_ready():
        inbox.dealt_with.wait()
        order.append("ready")

    inbox = Watched(lines())
    inbox.get_ready(get_ready)
    for answer in manager.brain.answers(inbox):
        order.append(answer)
        answered.set()
    assert order == ["ready", "OK"]
    assert [agent.seconds for agent in manager.made] == [5]


def test_an_engine_that_is_not_ready_plays_a_quick_move(manager):
    never = threading.Event()
    told = ["BOARD", "1,1,2", "0,0,1", "2,2,2", "4,3,1", "3,3,2", "4,5,1", "4,4,2", "DONE"]
    answers = manager.at_once(["START 9", "INFO timeout_turn 1", *told, "END"], never.wait)
    assert answers == ["OK", "5,5"]  # blocks four
    assert manager.made == []
    never.set()


def test_the_first_move_is_timed_from_the_start_of_the_process(monkeypatch):
    now = 100.0
    monkeypatch.setattr("boardenvs.inbox.time.perf_counter", lambda: now)
    monkeypatch.setattr("boardenvs.inbox._age", lambda: 2.0)

    def lines():
        nonlocal now
        yield from ["START 9", "INFO timeout_turn 10000", "BEGIN"]
        moved.wait()
        now += 5
        yield "TURN 4,4"

    moved = threading.Event()
    manager = Manager(ByTheClock)
    inbox = Inbox(lines())
    inbox.get_ready(lambda: None)
    for answer in manager.brain.answers(inbox):
        if answer == "0,0":
            moved.set()
    assert manager.made[-1].limits == [pytest.approx(9.97 - 2), pytest.approx(9.97)]


STOPPED = """
import time
from boardenvs.inbox import Inbox

time.sleep(5)  # as if a manager has stopped the process
used = time.process_time()
age = time.perf_counter() - Inbox([]).came
assert used / 2 < age < 6 * time.process_time(), (used, age)
"""


@pytest.mark.slow  # sleeps for five seconds
def test_the_time_of_the_process_excludes_stops():
    subprocess.run([sys.executable, "-c", STOPPED], check=True)


def test_an_error_while_getting_ready_is_raised_while_waiting_for_input(manager):
    def get_ready():
        raise ValueError("no network")

    with pytest.raises(ValueError, match="no network"):
        manager.at_once(iter(threading.Event().wait, None), get_ready)


@pytest.mark.parametrize(
    ("own", "other", "moves"),
    [
        ("", "", {40}),
        ("0", "", {40}),
        ("0 1 2 3", "36 37 38 39", {4}),  # wins
        ("0 1 2", "36 37 38 39", {40}),  # blocks a four at the edge
        ("", "30 40", {20, 50}),
    ],
)
def test_a_quick_move_wins_or_blocks(own, other, moves):
    stones = dict.fromkeys(map(int, own.split()), 1) | dict.fromkeys(map(int, other.split()), 2)
    assert quick_move(stones, 9, 5) in moves
    assert quick_move({}, 15, 5) == 7 * 15 + 7


REQUESTS = ["START 5", "begin", "BOARD", "1,1,1", "2,2,2", "DONE", "TURN 3,3", "SWAP2BOARD", "ENDE"]


@settings(max_examples=100)
@given(st.lists(st.text(max_size=20) | st.sampled_from(REQUESTS)), st.sampled_from(["END", "end"]))
def test_any_input_is_answered_and_end_ends_the_program(lines, end):
    manager = Manager()
    lines = [line for line in lines if line.split()[:1] not in (["END"], ["end"])]
    answers = manager("START 9", *lines, "ABOUT", "RESTART", end, "ABOUT")
    assert all(len(answer.splitlines()) == 1 for answer in answers)
    assert answers[-2].startswith("name=")
    assert answers[-1] == "OK" or answers[-1].startswith("ERROR")  # START was refused in between


def test_the_command_plays_by_the_protocol(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("START 9\nTURN 4,4\nEND\n"))
    assert main(["engine", "gomoku", "neighbour"]) == 0
    ready, move = capsys.readouterr().out.splitlines()
    assert ready == "OK"
    assert all(3 <= int(part) <= 5 for part in move.split(","))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gekitai", "greedy"], "GAME must be gomoku"),
        (["gomoku", "nobody"], "there is no agent 'nobody'"),
        (["gomoku", "greedy", "--time", "1s"], "--time"),
    ],
)
def test_errors_of_the_command_are_one_line(arguments, message, capsys):
    assert main(["engine", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
