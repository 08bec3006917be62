"""The 112 game in text and JSON: the line, typed moves, and positions."""

from __future__ import annotations

import pytest

import boardenvs


@pytest.fixture(scope="module")
def game112():
    return boardenvs.make("game112", board_size=5)


# -- The board ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([0, 0, 0, 2, 0], "| - - - 2 - |\n"),
        ([0, 0, 0, 0, 0], "| - - - - - |\n"),
        ([2, 1, 1, 2, 0], "| 2 1 1 2 - |\n"),
        ([1], "| 1 |\n"),
        ([1, 2, 1, 2, 2, 1, 1, 1, 0], "| 1 2 1 2 2 1 1 1 - |\n"),
    ],
)
def test_a_board_is_printed_in_one_line(cells, text):
    game = boardenvs.make("game112", board_size=len(cells))
    assert game.to_text(game.from_dict({"board": cells})) == text
    assert game.to_dict(game.from_text(text))["board"] == cells
    assert game.from_text(text.rstrip("\n")) == game.from_text(text)
    # Without the bars, which may be those of a table in the source document.
    bare = text.removeprefix("| ").removesuffix(" |\n")
    assert game.from_text(bare) == game.from_text(bare + "\n") == game.from_text(text)


FLAWED = ["| - - - - -", "- - - - - |", " - - - - -", "- - - - - ", "- - - -", "- - 3 - -"]
FLAWED += ["", "\n", "|", "||", "|  |", "| - - - - |", "| - - - - - - |", "| - - - - - | ", "-----"]
FLAWED += [" | - - - - - |", "|- - - - -|", "| - - 3 - - |", "| - - 0 - - |", "| - -  - - - |"]
FLAWED += [
    "| - - 12 - |",
    "/ - - - - - /",
    "| - - - - - |\n| - - - - - |\n",
    "| - - - - - |\r\n\n ",
]


@pytest.mark.parametrize("text", FLAWED)
def test_invalid_boards_are_refused(game112, text):
    with pytest.raises(ValueError, match="board") as error:
        game112.from_text(text)
    assert "\n" not in str(error.value)


# -- Actions --------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(1, 10))
def test_actions_are_numbered_by_position_then_value(size):
    game = boardenvs.make("game112", board_size=size)
    assert game.num_actions == 2 * size
    texts = [game.action_to_text(action) for action in range(2 * size)]
    assert texts == [f"{place} {value}" for place in range(1, size + 1) for value in (1, 2)]
    assert [game.action_from_text(text) for text in texts] == list(range(2 * size))


def test_blanks_around_a_move_are_ignored(game112):
    assert game112.action_to_text(7) == "4 2"
    for text in ("4 2", " 4  2 ", "4\t2\n"):
        assert game112.action_from_text(text) == 7


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "a position and a value"),
        ("4", "a position and a value"),
        ("42", "a position and a value"),
        ("4 2 1", "a position and a value"),
        ("a b", "a position and a value"),
        ("4,2", "a position and a value"),
        ("4 2.0", "a position and a value"),
        ("-4 2", "a position and a value"),
        ("+4 2", "a position and a value"),
        ("\uff14 \uff12", "a position and a value"),
        ("4 ²", "a position and a value"),
        ("0 1", "position must.*got 0"),
        ("6 1", "position must.*got 6"),
        ("4 0", "value must.*got 0"),
        ("4 3", "value must.*got 3"),
    ],
)
def test_invalid_moves_are_refused(game112, text, what):
    with pytest.raises(ValueError, match=what):
        game112.action_from_text(text)


# -- JSON -----------------------------------------------------------------------------


def test_the_dictionary_contains_the_position(game112):
    states = game112.new(1, 3)
    game112.play(states, [7])
    data = game112.to_dict(states[0])
    assert data.pop("rng") == int(states["rng"][0])
    assert data == {
        "game": "game112",
        "params": {"board_size": 5, "max_plies": 9},
        "board": [0, 0, 0, 2, 0],
        "to_move": 1,
        "ply": 1,
        "last_action": 7,
        "offender": -1,
        "terminated": False,
        "truncated": False,
        "returns": [0.0, 0.0],
    }


def test_the_winner_follows_from_the_board(game112):
    assert game112.from_dict({"board": [1, 1, 2, 0, 0]})["returns"].tolist() == [1, -1]
    assert game112.from_dict({"board": [2, 1, 1, 2, 0]})["returns"].tolist() == [-1, 1]
    tie = game112.from_dict({"board": [1, 2, 2, 1, 2]})
    assert tie["terminated"]
    assert tie["returns"].tolist() == [0, 0]


EMPTY = [0, 0, 0, 0, 0]
ANY_FIELD = r"board|ply|to_move|terminated|returns|truncated|offender"
WRONG = {
    "too short": {"board": [0, 0, 0, 0]},
    "too long": {"board": [0, 0, 0, 0, 0, 0]},
    "a strange value": {"board": [0, 0, 3, 0, 0]},
    "a negative value": {"board": [0, 0, -1, 0, 0]},
    "a truth value": {"board": [0, 0, True, 0, 0]},
    "a float": {"board": [0, 0, 1.0, 0, 0]},
    "a string": {"board": "00000"},
    "none": {"board": None},
    "too few plies": {"board": [1, 0, 0, 0, 0], "ply": 0},
    "too many plies": {"board": EMPTY, "ply": 2},
    "the wrong turn": {"board": [1, 0, 0, 0, 0], "to_move": 0},
    "won, says the dictionary": {"board": EMPTY, "terminated": True},
    "not won, says the dictionary": {"board": [1, 1, 2, 0, 0], "terminated": False},
    "the wrong winner": {"board": [1, 1, 2, 0, 0], "returns": [-1, 1]},
    "truncated, says the dictionary": {"board": EMPTY, "truncated": True},
    "an offender after the end": {"board": [1, 1, 2, 0, 0], "offender": 1},
    "an offender off turn": {"board": [1, 0, 0, 0, 0], "offender": 0},
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_invalid_positions_are_refused(game112, data):
    with pytest.raises(ValueError, match=ANY_FIELD):
        game112.from_dict(data)


def test_plies_above_max_plies_are_refused():
    game = boardenvs.make("game112", max_plies=3)
    with pytest.raises(ValueError, match=r"board.*3"):
        game.from_dict({"board": [1, 2, 1, 2, 0, 0, 0, 0, 0]})
