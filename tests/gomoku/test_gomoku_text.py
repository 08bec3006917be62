"""Gomoku in text and JSON: the console's board, typed moves, and positions."""

from __future__ import annotations

import numpy as np
import pytest

import boardenvs

# The board on the source document's page, and one with stones.
EMPTY_9 = """\
A  B  C  D  E  F  G  H  I
 -- -- -- -- -- -- -- --  0
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  1
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  2
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  3
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  4
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  5
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  6
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  7
|  |  |  |  |  |  |  |  |
 -- -- -- -- -- -- -- --  8
"""
STONES_5 = """\
A  B  C  D  E
●-- -- -- --○ 0
|  |  |  |  |
 -- -- -- --  1
|  |  |  |  |
 --○--●-- --  2
|  |  |  |  |
 -- -- -- --  3
|  |  |  |  |
 -- -- -- --● 4
"""


@pytest.fixture(scope="module")
def five():
    return boardenvs.make("gomoku", board_size=5)


@pytest.fixture(scope="module")
def nine():
    return boardenvs.make("gomoku", board_size=9)


# -- The board ------------------------------------------------------------------------


def test_the_empty_board_is_printed(nine):
    assert nine.to_text(nine.new(1, 0)[0]) == EMPTY_9
    assert nine.from_text(EMPTY_9) == nine.from_dict({"board": ["." * 9] * 9})


def test_a_board_with_stones_is_printed(five):
    state = five.from_dict({"board": ["X...O", ".....", ".OX..", ".....", "....X"]})
    assert five.to_text(state) == STONES_5
    assert five.from_text(STONES_5) == state
    assert five.from_text(STONES_5.rstrip("\n")) == state


@pytest.mark.parametrize("size", [5, 11, 26])
def test_texts_have_the_documented_format(size):
    game = boardenvs.make("gomoku", board_size=size)
    lines = game.to_text(game.new(1, 0)[0]).splitlines()
    assert len(lines) == 2 * size
    assert lines[0] == "  ".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:size])
    assert lines[1::2] == ["--".join(" " * size) + f" {row}" for row in range(size)]
    assert lines[2::2] == ["  ".join("|" * size)] * (size - 1)


FLAWED = {
    "nothing": "",
    "one line": "A  B  C  D  E",
    "another size": EMPTY_9,
    "a strange stone": STONES_5.replace("○ 0", "x 0"),
    "no letters": STONES_5.partition("\n")[2],
    "small letters": STONES_5.lower(),
    "a number off": STONES_5.replace(" 3", " 2"),
    "a blank too many": STONES_5.replace("● 4", "●  4"),
    "a blank at the end": STONES_5.replace("● 4", "● 4 "),
    "two newlines": STONES_5 + "\n",
    "a row too many": STONES_5 + "|  |  |  |  |\n -- -- -- --  5\n",
    "carriage returns": STONES_5.replace("\n", "\r\n"),
    "a broken grid": STONES_5.replace("|  |  |  |  |", "|  |  |  | |", 1),
}


@pytest.mark.parametrize("text", FLAWED.values(), ids=FLAWED)
def test_invalid_boards_are_refused(five, text):
    with pytest.raises(ValueError, match=r"line \d|row \d|grid of 5 rows") as error:
        five.from_text(text)
    assert "\n" not in str(error.value)


# -- Actions --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 15, 26])
def test_actions_are_numbered_by_row_then_column(size):
    game = boardenvs.make("gomoku", board_size=size)
    assert game.num_actions == size * size
    for action in range(size * size):
        text = game.action_to_text(action)
        assert text == f"{action // size} {chr(ord('A') + action % size)}"
        assert game.action_from_text(text) == action


@pytest.mark.parametrize("text", ["2 F", "2 f", "  2   f ", "2\tF\n"])
def test_case_and_surrounding_blanks_are_ignored(nine, text):
    assert nine.action_from_text(text) == 23


MALFORMED = ["", "2", "F", "2F", "F 2", "2 F 3", "2 FF", "2, F", "-1 A", "+1 A", "1.0 A", "02 F"]
MALFORMED += ["2 É", "2 ²", "\uff12 F", "\u0661 A", "x y", "2 1", "\0", "1e1 A", "0x1 A"]


@pytest.mark.parametrize("text", MALFORMED, ids=ascii)
def test_invalid_moves_are_refused(nine, text):
    with pytest.raises(ValueError, match="a row and a column"):
        nine.action_from_text(text)


@pytest.mark.parametrize("text", ["9 A", "0 J", "10 J", "99 z", "1" * 5000 + " A"], ids=len)
def test_moves_off_the_board_are_refused(nine, text):
    with pytest.raises(ValueError, match=r"off the board.*8 I"):
        nine.action_from_text(text)


# -- JSON -----------------------------------------------------------------------------


def test_the_dictionary_contains_the_position(five):
    states = five.new(1, 3)
    five.play(states, [7])
    data = five.to_dict(states[0])
    assert data.pop("rng") == int(states["rng"][0])
    assert data == {
        "game": "gomoku",
        "params": {"board_size": 5, "win_length": 5, "exact": False, "max_plies": 25},
        "board": [".....", "..X..", ".....", ".....", "....."],
        "to_move": 1,
        "ply": 1,
        "last_action": 7,
        "offender": -1,
        "terminated": False,
        "truncated": False,
        "returns": [0.0, 0.0],
    }


PARAMS = [
    {"board_size": 5, "win_length": 3},
    {"board_size": 7, "win_length": 4, "exact": True},
    {"board_size": 8, "win_length": 4, "max_plies": 20},
    {"board_size": 10},
]


@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_the_last_action_is_optional(params, random_positions):
    game = boardenvs.make("gomoku", **params)
    for state in random_positions(game, 12, 1):
        data = {**game.to_dict(state), "last_action": -1}
        again = game.from_dict(data)
        again["last_action"] = state["last_action"]
        assert again == state


def test_the_winner_follows_from_the_board(five):
    won = five.from_dict({"board": ["XXXXX", "OOOO.", ".....", ".....", "....."]})
    assert won["terminated"]
    assert won["returns"].tolist() == [1, -1]
    lost = five.from_dict({"board": ["OOOOO", "XXXX.", "X....", ".....", "....."]})
    assert lost["returns"].tolist() == [-1, 1]
    draw = five.from_dict({"board": ["XXOXX", "OOXOO", "XXOXX", "OOXOO", "XXOXO"]})
    assert draw["terminated"]
    assert draw["returns"].tolist() == [0, 0]


EMPTY = ["....."] * 5
WRONG = {
    "too short": ({"board": EMPTY[1:]}, "board"),
    "too long": ({"board": [*EMPTY, "....."]}, "board"),
    "a short row": ({"board": [*EMPTY[1:], "...."]}, "board"),
    "a strange symbol": ({"board": [*EMPTY[1:], "..x.."]}, "board"),
    "a console's stone": ({"board": [*EMPTY[1:], "..●.."]}, "board"),
    "one string": ({"board": "." * 25}, "board"),
    "none": ({"board": None}, "board"),
    "white opened": ({"board": ["O....", *EMPTY[1:]]}, "board.*0 X and 1 O"),
    "black moved twice": ({"board": ["XX...", *EMPTY[1:]]}, "board.*2 X and 0 O"),
    "a wrong ply": ({"board": EMPTY, "ply": 2}, "ply must be 0"),
    "a wrong turn": ({"board": EMPTY, "to_move": 1}, "to_move must be 0"),
    "a last action where no stone is": (
        {"board": ["X....", *EMPTY[1:]], "last_action": 1},
        "last_action.*got 1",
    ),
    "a last action of the other": (
        {"board": ["XO...", *EMPTY[1:]], "last_action": 0},
        "last_action.*got 0",
    ),
    "a last action before the first": (
        {"board": EMPTY, "last_action": 0},
        "last_action.*got 0",
    ),
    "a move after the rival's line": (
        {"board": ["XXXXX", "OOOO.", "O....", ".....", "....."]},
        "board.*line of X",
    ),
    "two lines apart": (
        {"board": ["XXXXX", "OOOO.", "XXXXX", "OOOO.", "O...."]},
        "board.*lines of X through one",
    ),
    "lines of both": (
        {"board": ["XXXXX", "OOOOO", ".....", ".....", "....."]},
        "board.*line of X",
    ),
    "a line that the last action is no part of": (
        {"board": ["XXXXX", "OOOO.", "O....", "X....", "....."], "last_action": 15},
        "board.*lines of X through last_action 15",
    ),
    "won, says the dictionary": ({"board": EMPTY, "terminated": True}, "terminated"),
    "not won, says the dictionary": (
        {"board": ["XXXXX", "OOOO.", *EMPTY[2:]], "terminated": False},
        "terminated",
    ),
    "the wrong winner": (
        {"board": ["XXXXX", "OOOO.", *EMPTY[2:]], "returns": [-1.0, 1.0]},
        "returns",
    ),
    "an offender after the end": (
        {"board": ["XXXXX", "OOOO.", *EMPTY[2:]], "offender": 1},
        "offender",
    ),
    "an offender off turn": ({"board": EMPTY, "offender": 1}, "offender"),
}


@pytest.mark.parametrize(("data", "message"), WRONG.values(), ids=WRONG)
def test_invalid_positions_are_refused(five, data, message):
    with pytest.raises(ValueError, match=message) as error:
        five.from_dict(data)
    assert "\n" not in str(error.value)


def test_more_stones_than_plies_are_refused():
    game = boardenvs.make("gomoku", board_size=5, max_plies=3)
    with pytest.raises(ValueError, match=r"board.*3 stones.*got 4"):
        game.from_dict({"board": ["XOXO.", *EMPTY[1:]]})


def test_two_winning_lines_must_share_the_last_stone():
    rows = ["XXXXX", "XOOOO", "XOOO.", "XO...", "X...."]
    game = boardenvs.make("gomoku", board_size=5)
    assert game.from_dict({"board": rows})["returns"].tolist() == [1, -1]
    assert game.from_dict({"board": rows, "last_action": 0})["terminated"]
    with pytest.raises(ValueError, match="last_action 4"):
        game.from_dict({"board": rows, "last_action": 4})


@pytest.mark.parametrize("length", range(5, 11))
def test_lines_longer_than_two_joined_ones_are_refused(length):
    """A last stone can join two lines of four to nine. A line of ten contained five before."""
    game = boardenvs.make("gomoku", board_size=10)
    row = "X" * length + "." * (10 - length)
    rows = [row, "." * 10, "O.O.O.O.O.", "." * 10, ".O.O.O.O.O", *["." * 10] * 5]
    rows[2] = "O.O.O.O.O."[: 2 * min(length - 1, 5)].ljust(10, ".")
    rows[4] = ".O.O.O.O.O"[: 2 * max(length - 6, 0)].ljust(10, ".")
    if length < 10:
        assert game.from_dict({"board": rows})["returns"].tolist() == [1, -1]
    else:
        with pytest.raises(ValueError, match=r"board.*one last stone"):
            game.from_dict({"board": rows})


def test_an_overline_is_a_live_position_if_exact():
    rows = ["XXXXXX...", "." * 9, "O.O.O.O.O", ".O" + "." * 7, *["." * 9] * 5]
    exact = boardenvs.make("gomoku", board_size=9, exact=True)
    assert not exact.from_dict({"board": rows})["terminated"]
    # White's six does not count either, although Black has moved since.
    rows = ["OOOOOO...", "." * 9, "X.X.X.X.X", ".X.X" + "." * 5, *["." * 9] * 5]
    assert not exact.from_dict({"board": rows})["terminated"]
    with pytest.raises(ValueError, match=r"board.*line of O"):
        boardenvs.make("gomoku", board_size=9).from_dict({"board": rows})


def test_invalid_records_are_not_restored(five):
    for field, value in [("ply", 3), ("to_move", 1), ("last_action", 3)]:
        states = five.new(1, 0)
        states[field] = value
        with pytest.raises(ValueError, match=field):
            five.restore(states)
    states = five.new(1, 0)
    states["cells"][0, 25] = 1  # beyond the board
    with pytest.raises(ValueError, match="gomoku position"):
        five.restore(states)
    for value in (7, 3, -1, -128):
        states = five.new(1, 0)
        states["cells"][0, 3] = value
        with pytest.raises(ValueError, match="board"):
            five.restore(states)
    assert np.array_equal(five.restore(five.new(1, 0)), five.new(1, 0))
