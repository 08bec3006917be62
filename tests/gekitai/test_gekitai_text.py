"""Gekitai in text and JSON: the console's drawing, addresses, and positions."""

from __future__ import annotations

import pytest

import boardenvs

FIRST_MOVE = """\
    A   B   C   D   E   F
  +---+---+---+---+---+---+
1 | X |   |   |   |   |   |
  +---+---+---+---+---+---+
2 |   |   |   |   |   |   |
  +---+---+---+---+---+---+
3 |   |   |   |   |   |   |
  +---+---+---+---+---+---+
4 |   |   |   |   |   |   |
  +---+---+---+---+---+---+
5 |   |   |   |   |   |   |
  +---+---+---+---+---+---+
6 |   |   |   |   |   |   |
  +---+---+---+---+---+---+
X: ['X', 'X', 'X', 'X', 'X', 'X', 'X']
O: ['O', 'O', 'O', 'O', 'O', 'O', 'O', 'O']
"""
ALL_DOWN = """\
    A   B   C   D   E   F   G   H
  +---+---+---+---+---+---+---+---+
1 | O | O | X |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+
2 |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+
3 |   |   |   |   |   |   |   | X |
  +---+---+---+---+---+---+---+---+
4 |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+
5 | X |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+
6 |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+
7 |   |   |   |   |   |   |   |   |
  +---+---+---+---+---+---+---+---+
8 | X |   | X |   |   |   |   | X |
  +---+---+---+---+---+---+---+---+
X: []
O: ['O', 'O', 'O', 'O']
"""


@pytest.fixture(scope="module")
def gekitai():
    return boardenvs.make("gekitai")


# -- The board ------------------------------------------------------------------------


def test_the_board_after_the_first_move_is_printed(gekitai):
    states = gekitai.new(1, 0)
    gekitai.play(states, [0])
    assert gekitai.to_text(states[0]) == FIRST_MOVE


def test_a_finished_game_on_the_largest_board_is_printed():
    game = boardenvs.make("gekitai", board_size=8, pieces=6)
    state = game.from_text(ALL_DOWN, to_move=1)
    assert game.to_text(state) == ALL_DOWN
    assert state["terminated"]
    assert state["returns"].tolist() == [1, -1]


def test_hands_are_optional_and_all_line_ends_are_accepted(gekitai):
    whole = gekitai.from_text(FIRST_MOVE, to_move=1)
    board = FIRST_MOVE[: FIRST_MOVE.index("X: ")]
    for text in (board, board.rstrip("\n"), FIRST_MOVE.rstrip("\n")):
        assert gekitai.from_text(text, to_move=1) == whole
    assert gekitai.from_text(FIRST_MOVE.replace("\n", "\r\n"), to_move=1) == whole


def test_turn_and_ply_can_complete_a_text(gekitai):
    alone = gekitai.from_text(FIRST_MOVE)  # X has moved, because O has no piece
    assert (alone["to_move"], alone["ply"]) == (1, 1)
    second = gekitai.from_text(FIRST_MOVE, to_move=1)
    assert (second["to_move"], second["ply"]) == (1, 1)
    late = gekitai.from_text(FIRST_MOVE, ply=41)
    assert (late["to_move"], late["ply"]) == (1, 41)
    for wrong in ({"to_move": 0, "ply": 1}, {"ply": 0}, {"ply": 201}, {"to_move": 2}):
        with pytest.raises(ValueError, match=r"ply|to_move"):
            gekitai.from_text(FIRST_MOVE, **wrong)


def test_to_move_is_required_if_the_text_does_not_determine_it(gekitai, random_positions):
    """If the text does not determine the player to move, `to_move` is required."""
    asked = 0
    for state in random_positions(gekitai, 6, 0):
        text, to_move = gekitai.to_text(state), int(state["to_move"])
        if set(gekitai.owners(state).flat) == {-1, 0, 1}:
            asked += 1
            with pytest.raises(ValueError, match="to_move"):
                gekitai.from_text(text)
        else:
            assert gekitai.from_text(text)["to_move"] == to_move
        assert gekitai.from_text(text, to_move=to_move)["to_move"] == to_move
        assert gekitai.from_text(text, ply=int(state["ply"]))["to_move"] == to_move
    assert asked > 50
    start = gekitai.new(1, 0)[0]
    assert gekitai.from_text(gekitai.to_text(start))["to_move"] == 0


LINES = FIRST_MOVE.splitlines()
FLAWED = {
    "empty": "",
    "no board": "X: []\nO: []\n",
    "no top line": "\n".join(LINES[1:]),
    "a row too few": "\n".join(LINES[:12] + LINES[14:]),
    "a row too many": "\n".join(LINES[:14] + LINES[12:]),
    "no last rule": "\n".join(LINES[:13]),
    "no last rule before the hands": "\n".join(LINES[:13] + LINES[14:]),
    "a strange piece": FIRST_MOVE.replace("X |", "Y |"),
    "a small piece": FIRST_MOVE.replace("X |", "x |"),
    "a dot for a blank": FIRST_MOVE.replace("2 |   |", "2 | . |"),
    "a cell too wide": FIRST_MOVE.replace("X |", "X  |"),
    "a piece off its place": FIRST_MOVE.replace("| X |", "|X  |"),
    "a wrong letter": FIRST_MOVE.replace("F", "G"),
    "a wrong number": FIRST_MOVE.replace("6 |", "7 |"),
    "trailing blanks": FIRST_MOVE.replace("F\n", "F \n"),
    "a hand that does not fit": FIRST_MOVE.replace("X: ['X', ", "X: ["),
    "one hand": "\n".join(LINES[:15]),
    "hands in the wrong order": "\n".join([*LINES[:14], LINES[15], LINES[14]]),
    "something after the hands": FIRST_MOVE + "Player X's turn: \n",
    "another size": ALL_DOWN,
    "no text": "hello",
}


@pytest.mark.parametrize("text", FLAWED.values(), ids=FLAWED)
def test_invalid_boards_are_refused_in_one_line(gekitai, text):
    with pytest.raises(ValueError, match=r".") as error:
        gekitai.from_text(text)
    assert "\n" not in str(error.value)


def test_the_error_of_a_text_names_its_place(gekitai):
    with pytest.raises(ValueError, match=r"row 1.*'Y'"):
        gekitai.from_text(FLAWED["a strange piece"])
    with pytest.raises(ValueError, match=r"line 1 .*    A   B   C   D   E   F"):
        gekitai.from_text(FLAWED["a wrong letter"])
    with pytest.raises(ValueError, match="hands"):
        gekitai.from_text(FLAWED["a hand that does not fit"])


# -- Actions --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [6, 7, 8])
def test_actions_are_numbered_row_by_row(size):
    game = boardenvs.make("gekitai", board_size=size)
    assert game.num_actions == size * size
    texts = [game.action_to_text(action) for action in range(game.num_actions)]
    assert texts == [f"{letter}{row}" for row in range(1, size + 1) for letter in "ABCDEFGH"[:size]]
    for action, text in enumerate(texts):
        assert game.action_from_text(text) == game.action_from_text(text.lower()) == action


def test_blanks_in_an_address_are_ignored(gekitai):
    for text in ("B5", "b5", "b 5", " b5", "b5 ", "\tb  5\n"):
        assert gekitai.action_from_text(text) == 25


NO_ADDRESS = ["", " ", "a", "5", "AA1", "A01", "A0", "A-1", "A+1", "abc", "A3.14", "#a2", "1A"]
NO_ADDRESS += ["A1,", "\uff211", "A\uff11", "A²", "Ä1", "A1e0", "A1_0"]
OFF_THE_BOARD = ["G1", "A7", "Z99", "A10"]


@pytest.mark.parametrize("text", NO_ADDRESS + OFF_THE_BOARD)
def test_invalid_addresses_are_refused(gekitai, text):
    with pytest.raises(ValueError, match=r"address|off the board"):
        gekitai.action_from_text(text)


# -- JSON -----------------------------------------------------------------------------


def test_the_dictionary_contains_the_position(gekitai):
    states = gekitai.new(1, 3)
    gekitai.play(states, [7])
    data = gekitai.to_dict(states[0])
    assert data.pop("rng") == int(states["rng"][0])
    assert data == {
        "game": "gekitai",
        "params": {"board_size": 6, "pieces": 8, "line_length": 3, "max_plies": 200},
        "board": ["......", ".X....", "......", "......", "......", "......"],
        "to_move": 1,
        "ply": 1,
        "last_action": 7,
        "offender": -1,
        "terminated": False,
        "truncated": False,
        "returns": [0.0, 0.0],
    }


@pytest.mark.parametrize("to_move", [0, 1])
@pytest.mark.parametrize(
    ("board", "wins"),
    [
        ("XXX... ...... ...... ...... ...... ......", "X"),
        ("OOO... ...... ...... ...... ...... ......", "O"),
        ("XXX... OOO... ...... ...... ...... ......", "the one who moved"),
        ("XX.XX. ...... XX.XX. ...... X..... ......", None),
        ("XX.XX. ...... XX.XX. ...... X....X ......", "X"),
    ],
)
def test_the_winner_follows_from_the_board(board, wins, to_move):
    game = boardenvs.make("gekitai", pieces=10)
    state = game.from_dict({"board": board.split(), "to_move": to_move})
    if wins == "the one who moved":
        wins = "OX"[to_move]
    assert state["terminated"] == (wins is not None)
    assert state["returns"].tolist() == {None: [0, 0], "X": [1, -1], "O": [-1, 1]}[wins]
    assert state["ply"] % 2 == to_move


BOARD = ["......"] * 6
ANY_FIELD = r"board|ply|terminated|returns|truncated|offender"
WRONG = {
    "a row too few": {"board": BOARD[:5]},
    "a row too many": {"board": [*BOARD, "......"]},
    "a cell too few": {"board": [*BOARD[:5], "....."]},
    "a strange piece": {"board": [*BOARD[:5], ".....x"]},
    "one string": {"board": "." * 36},
    "a tuple": {"board": tuple(BOARD)},
    "no rows": {"board": None},
    "rows of lists": {"board": [list(row) for row in BOARD]},
    "too many pieces": {"board": ["X.X.X.", "......", "X.X.X.", "......", "X.X.X.", "......"]},
    "ply before all were placed": {"board": ["X....X", *BOARD[1:]], "ply": 1},
    "ply before O placed": {"board": ["O.....", *BOARD[1:]], "ply": 1},
    "ply and turn": {"board": BOARD, "ply": 3, "to_move": 0},
    "ply past the end": {"board": BOARD, "ply": 202},
    "won, says the dictionary": {"board": BOARD, "terminated": True},
    "not won, says the dictionary": {
        "board": ["XXX...", *BOARD[1:]],
        "terminated": False,
    },
    "the wrong winner": {"board": ["XXX...", *BOARD[1:]], "returns": [-1, 1]},
    "not truncated": {"board": ["X.....", *BOARD[1:]], "ply": 200, "truncated": False},
    "an offender after the end": {"board": ["XXX...", *BOARD[1:]], "offender": 1, "to_move": 1},
    "an offender off turn": {"board": ["X.....", *BOARD[1:]], "to_move": 1, "offender": 0},
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_invalid_positions_are_refused(gekitai, data):
    with pytest.raises(ValueError, match=ANY_FIELD) as error:
        gekitai.from_dict(data)
    assert "\n" not in str(error.value)
