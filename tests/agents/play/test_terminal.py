"""Play at a terminal: commands, several people, solo games, hidden tiles, real terminals."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from keyboards import at_a_terminal

import boardenvs
from agents.naming.spec import specs_of
from agents.play.human_game import HumanGame
from agents.play.screen import marked
from agents.play.terminal import play

COMMAND = Path(sys.executable).with_name("boardenvs")
unix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX terminals")


@pytest.fixture
def session(typed_lines, capsys):
    """Return the function that plays with typed lines and returns the output."""

    def run(game, lines, seats=(0,), opponent="greedy", seed=3):
        typed_lines(lines)
        opponents = [opponent] if isinstance(opponent, str) else opponent
        play(game, specs_of(opponents, game), seats, seed)
        return capsys.readouterr().out

    return run


@pytest.fixture
def typed_lines(monkeypatch):
    """Return the function that sets the lines that a person types."""

    def type_in(lines):
        rest = iter(lines)

        def answer(prompt=""):
            line = next(rest, None)
            if line is None:
                raise EOFError
            return line

        monkeypatch.setattr("builtins.input", answer)

    return type_in


def test_help_prints_the_rules_and_the_commands(session, name):
    game = boardenvs.make(name)
    for word in ("?", "help", " HELP "):
        out = session(game, [word])
        for number, rule in enumerate(game.presentation.rules_in_short(), 1):
            assert f"{number}. {rule}" in re.sub(r"\n +", " ", out)
        for command in ("moves", "hint", "undo", "board", "quit"):
            assert re.search(rf"^  {command} +\w", out, re.MULTILINE)


def test_moves_prints_the_legal_moves(session, name):
    game = boardenvs.make(name)
    human_game = HumanGame(game, specs_of(["random"], game), (0,), 3)
    while not human_game.is_persons_turn:
        human_game.advance()
    state = human_game.view
    out = session(game, ["moves"], opponent="random")
    listed = re.split(r"\s{2,}", out.rpartition("> ")[0].rpartition("> ")[2].partition("turn: ")[0])
    legal = np.flatnonzero(game.legal(game.arrays.batch(state))[0])
    expected = {game.action_to_text(int(action), state) for action in legal}
    assert expected <= {word.strip() for part in listed for word in part.split("\n")}


def test_a_hint_is_a_legal_move_with_a_reason(session, name):
    game = boardenvs.make(name)
    out = " ".join(session(game, ["hint", "hint"]).split())
    first, second = re.findall(r"Hint: (.+?) \(([\w:]+): (.+?)\)", out)
    assert first == second
    move, _, told = first
    assert re.search(rf"{re.escape(move)} \d+%", told)
    assert "it expects" in told or game.num_players > 2


def test_undo_takes_back_the_last_move_of_a_person(session, gekitai):
    out = session(gekitai, ["undo", "B2", "undo", "undo", "B2", "C5", "undo", "board"])
    assert out.count("No undo: you have not moved yet.") == 2
    boards = re.findall(r"    A   B.*?\nO: .*?\n", out, re.DOTALL)
    start, moved, answered, back, again, answered_again, *rest = boards
    assert (back, again, answered_again) == (start, moved, answered)
    assert rest[-2:] == [answered, answered]


@pytest.mark.parametrize("name", ["goat_race", "dominoes175", "pizza_order"])
def test_undone_moves_repeat_with_the_same_chance(name):
    game = boardenvs.make(name)
    human_game = HumanGame(game, specs_of(["random"], game), (0,), 5)
    for _ in range(4):
        while not human_game.is_persons_turn:
            human_game.advance()
        before = human_game.state.copy()
        action = int(game.legal(game.arrays.batch(human_game.state))[0].argmax())
        human_game.play(action)
        while not human_game.over and not human_game.is_persons_turn:
            human_game.advance()
        after = human_game.state.copy()
        if human_game.over:
            break
        human_game.undo()
        assert human_game.state == before
        human_game.play(action)
        while not human_game.is_persons_turn:
            human_game.advance()
        assert human_game.state == after


def test_two_persons_can_play_at_one_terminal(session, gekitai):
    moves = ["A1", "F6", "A2", "F5", "undo", "hint", "F5", "A3"]
    out = session(gekitai, moves, seats=(0, 1))
    assert out.startswith("Gekitai: you are Player X and Player O. Type ? for help.\n")
    turns = re.findall(r"Player ([XO])'s turn: an empty cell", out)
    assert "".join(turns) == "XOXOXOOXO"
    assert "> " not in out.partition("Game over")[2]


def test_two_of_three_seats_can_be_persons(session):
    game = boardenvs.make("goat_race")
    out = session(game, ["1", "2", "3", "4"], seats=(0, 2), opponent="random")
    assert out.startswith("GoatRace: you are WHITE and RED, random is BLACK. Type ? for help.\n")
    assert re.search(r"BLACK's turn: \d\n", out)
    assert "WHITE's turn: a row to place a goat in, such as " in out
    assert "RED's turn: a row to place a goat in, such as " in out


def test_a_single_player_sees_only_open_information(session):
    game = boardenvs.make("dominoes175")
    out = session(game, ["0,3", "hint", "1 0", "9 9"])
    assert out.startswith("Dominoes175: you play alone. Type ? for help.\n")
    # The seed of this game determines the tile, and hints do not know face-down tiles.
    states = HumanGame(game, specs_of(["random"], game), (0,), 3).view
    assert game.info(states)["hand"].tolist() == [-1, -1]
    tile = re.search(r"Tile in hand: (\[\d\|\d\])", out)[1]
    assert f"for {tile}, a stack and the end to be on top, such as " in " ".join(out.split())


def test_each_other_seat_has_its_own_opponent(session):
    race = boardenvs.make("goat_race")
    out = session(race, ["quit"], seats=(1,), opponent=["random", "greedy"])
    assert "you are BLACK, random is WHITE, greedy is RED." in " ".join(out.split())
    out = session(race, ["quit"], opponent=["greedy", "greedy"])
    assert "you are WHITE, greedy is BLACK and RED." in " ".join(out.split())
    # Naming the same agent twice equals naming it once for all.
    assert out == session(race, ["quit"], opponent="greedy")
    with pytest.raises(ValueError, match="one for each of the 2, got 3: greedy, greedy, random"):
        session(race, [], opponent=["greedy", "greedy", "random"])


def test_a_command_word_that_is_a_move_is_played(session):
    class Words(type(boardenvs.make("game112"))):
        def action_from_text(self, text, state=None):
            return 0 if text == "undo" else super().action_from_text(text, state)

    out = session(Words(), ["undo", "undo"], seats=(0, 1))
    assert "|>1<- - - - - - - - |" in out
    assert "Invalid" not in out
    assert "- - - - - - - - - |\nPlayer 1's turn" in out.rpartition("Player 2's turn")[2]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "expected an address such as A1, got ''"),
        ("undu", "expected an address such as A1, got 'undu'; did you mean undo?"),
        ("B22", "'B22' is off the board; its last cell is F6"),
        ("\x1b[2J", r"expected an address such as A1, got '\x1b[2J'"),
        ("A" * 9000, "expected an address such as A1, got 'AAAA"),
    ],
)
def test_an_unreadable_move_is_refused_with_the_expected_format(session, gekitai, line, said):
    out = session(gekitai, [line])
    assert f"Invalid move! {said}"[:79].rstrip() in " ".join(out.split()).replace(" '", " '")
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) < 82  # including the prompt without newline
    assert len(out) < 3000


def test_invalid_seats_are_refused(fails_with):
    fails_with(
        "seats must be different, got 1, 1", ["play", "gekitai", "--seat", "1", "--seat", "1"]
    )
    fails_with("seat must be .* from 0 to 1, got 2", ["play", "gekitai", "--seat", "2"])


@pytest.fixture
def fails_with(capsys):
    """Return the function that expects a command to fail with one line."""
    from agents.command import main

    def run(said, arguments):
        assert main(arguments) == 2
        assert re.fullmatch(rf"boardenvs: error: {said}\n", capsys.readouterr().err)

    return run


# -- Real terminals ---------------------------------------------------------------------------

LINES = ["?", "zz", "B2", "moves", "undo", "C3"]


@unix
@pytest.mark.parametrize(
    ("environment", "colours"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"TERM": None}, False)],
    ids=str,
)
def test_a_terminal_has_colours_if_it_supports_them(environment, colours):
    arguments = [COMMAND, "play", "gekitai", "--seed", "3"]
    out, status = at_a_terminal(arguments, LINES, "\n> ", **environment)
    assert status == 0
    assert ("\x1b[" in out) == colours
    assert out.endswith("Game left.\n")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert "\x1b" not in plain
    for line in LINES:
        assert f"\n> {line}\n" in plain
    assert "|>X<|" in plain
    assert "Player X's turn: an empty cell such as A4 (? for help)\n> " in plain
    assert max(map(len, plain.splitlines())) < 80


@unix
def test_lines_wrap_at_a_narrow_terminal(name):
    arguments = [COMMAND, "play", name, "--seed", "3"]
    out, status = at_a_terminal(arguments, ["?", "hint", "moves"], "\n> ", columns=40)
    assert status == 0
    game = boardenvs.make(name)
    human_game = HumanGame(game, specs_of(["greedy"], game), (0,), 3)
    boards = {*marked(human_game.game.to_text(human_game.view), []).split("\n")}
    while not human_game.is_persons_turn:
        human_game.advance()
        spans = human_game.game.presentation.spans(human_game.view)
        boards |= {*marked(human_game.game.to_text(human_game.view), spans).split("\n")}
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
    told = "it reads better in a wider one" in " ".join(plain.split())
    assert told == (max(map(len, boards)) > 40)
    wide = [line for line in plain.split("\n") if len(line) >= 40]
    assert set(wide) <= boards


@unix
def test_ctrl_c_and_ctrl_d_end_the_game():
    arguments = [COMMAND, "play", "gekitai"]
    out, status = at_a_terminal(arguments, ["B2", b"\x03"], "\n> ")
    assert status == 130
    assert out.endswith("boardenvs: stopped\n")
    out, status = at_a_terminal(arguments, [b"\x04"], "\n> ")
    assert (status, out.endswith("\nGame left.\n")) == (0, True)
    assert "Traceback" not in out
