"""A program that a manager of Gomoku tournaments runs."""

import io
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardenvs
from agents.command import main
from agents.games.gomoku.brain import Brain


class FirstFree:
    """Plays the first empty cell; remembers what it was shown."""

    def __init__(self, game, seconds):
        self.game = game
        self.seconds = seconds
        self.seen = []

    def act(self, states):
        self.seen.append(states[0].copy())
        return self.game.legal(states).argmax(1)


class ByTheClock(FirstFree):
    """Also remembers how long it was to think."""

    def __init__(self, game, seconds):
        super().__init__(game, seconds)
        self.time_limit = 60.0 if seconds is None else seconds
        self.limits = []

    def act(self, states):
        self.limits.append(self.time_limit)
        return super().act(states)


class Manager:
    """Lines to a brain, and what it answers to all of them."""

    def __init__(self, kind=FirstFree):
        self.made = []
        self.brain = Brain("first", self._make, boardenvs.make("gomoku"))
        self._kind = kind

    def _make(self, game, seconds):
        self.made.append(self._kind(game, seconds))
        return self.made[-1]

    def __call__(self, *lines):
        return list(self.brain.answers(lines))


@pytest.fixture
def manager():
    return Manager()


def test_a_game(manager):
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
def test_a_position(manager, stones, to_move):
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


def test_what_is_slow_at_first_is_done_before_a_move_is_timed(manager):
    assert manager("START 9") == ["OK"]
    tried, agent = manager.made
    assert (tried.seconds, len(tried.seen), tried.seen[0]["ply"]) == (0.01, 1, 0)
    assert (agent.seconds, agent.seen) == (None, [])


def test_what_it_is():
    (answer,) = Manager()("ABOUT")
    assert answer.startswith('name="boardenvs first", version="')


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["BEGIN"], "ERROR BEGIN before START"),
        (["START 4"], "ERROR board_size must be a whole number from 5 to 26, got 4"),
        (["START"], "ERROR expected START SIZE, got ''"),
        (["START ²"], "ERROR expected START SIZE, got '²'"),
        (["RECTSTART 10,20"], "ERROR only square boards are played: expected START SIZE"),
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
            ["START 9", "INFO rule 4", "BEGIN"],
            "ERROR rule 4 is not played here, but 0, five or more, and 1, just five",
        ),
    ],
)
def test_what_it_cannot_do_it_says_in_one_line(manager, lines, answer):
    assert manager(*lines)[-1] == answer


def test_a_board_larger_than_usual_is_played_to_its_end(manager):
    manager("START 20", "BEGIN")
    assert manager.made[-1].game.max_plies == 400


def test_after_an_error_the_game_goes_on(manager):
    assert manager("START 9", "TURN 4,4", "TURN 4,4", "TURN x", "TURN 5,5")[-1] == "1,0"


def test_the_rule(manager):
    manager("START 9", "INFO rule 1", "BEGIN")
    assert manager.made[-1].game.params["exact"] is True
    manager("INFO rule 0", "TURN 5,5")
    assert manager.made[-1].game.params["exact"] is False


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
        (["timeout_turn soon", "max_memory 5", "folder /tmp", "evaluate 1,1"], 60),
    ],
)
def test_the_time_of_a_move(infos, seconds, monkeypatch):
    monkeypatch.setattr("agents.games.gomoku.brain.time.perf_counter", lambda: 1.0)
    manager = Manager(ByTheClock)
    manager("START 9", *(f"INFO {info}" for info in infos), "BEGIN")
    (limit,) = manager.made[-1].limits
    assert 0.97 * seconds < limit < seconds


def test_what_a_move_took_before_the_search_is_taken_off(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr("agents.games.gomoku.brain.time.perf_counter", lambda: next(clock) / 4)
    manager = Manager(ByTheClock)
    manager("START 9", "INFO timeout_turn 1000", "BEGIN")
    assert manager.made[-1].limits == [pytest.approx(0.98 - 0.25)]


@settings(max_examples=30)
@given(st.lists(st.text(max_size=20) | st.sampled_from(["START 5", "BEGIN", "BOARD", "DONE"])))
def test_whatever_comes_it_answers(lines):
    for answer in Manager()("START 9", *lines):
        assert len(answer.splitlines()) == 1


def test_the_command(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("START 9\nTURN 4,4\nEND\n"))
    assert main(["engine", "gomoku", "neighbour"]) == 0
    ready, move = capsys.readouterr().out.splitlines()
    assert ready == "OK"
    assert all(3 <= int(part) <= 5 for part in move.split(","))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gekitai", "greedy"], "there is no protocol for gekitai: gomoku has one"),
        (["gomoku", "nobody"], "there is no agent 'nobody'"),
        (["gomoku", "greedy", "--time", "1s"], "--time is for agents that search"),
    ],
)
def test_the_command_refuses_in_one_line(arguments, message, capsys):
    assert main(["engine", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
