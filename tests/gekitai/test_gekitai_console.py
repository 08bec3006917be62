"""The console program of Gekitai and its classes.

The files `sample_run_*.txt` are the document's two sample runs as shown on a terminal, including
typed answers. The document's extracted text lacks most grid lines, and in the second run the typed
addresses after `c5`. The boards determine these addresses (`e1`, `b6`, `c4`).
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from boardenvs.gekitai.__main__ import main
from boardenvs.gekitai.console import Board, Color, Gekitai, Piece, Player

SAMPLE_RUNS = sorted(Path(__file__).parent.glob("sample_run_*.txt"))


def run_program(typed, *argv):
    """Run `python -m boardenvs.gekitai` with piped standard input."""
    command = [sys.executable, "-m", "boardenvs.gekitai", *argv]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, timeout=120, check=False
    )


def split_run(path):
    """Return a sample run as printed with piped input, and the typed lines."""
    text = path.read_text(encoding="ascii")
    prompt = re.compile(r"(turn: )(.*)\n")
    return prompt.sub(r"\1", text), [typed for _, typed in prompt.findall(text)]


def set_up(drawing, **params):
    """Return a game with the drawn pieces, rows of `X`, `O` and `.`, taken from the hands."""
    game = Gekitai(**params)
    for y, row in enumerate(drawing.split()):
        for x, symbol in enumerate(row):
            if symbol != ".":
                owner = game.players["XO".index(symbol)]
                game.cells[y][x] = owner.pieces.pop()
    return game


def drawn(game):
    return ["".join("." if p is None else str(p) for p in row) for row in game.cells]


def hands(game):
    return [len(player.pieces) for player in game.players]


# -- The document's sample runs ---------------------------------------------------------


def test_there_are_two_sample_runs():
    assert [split_run(path)[1] for path in SAMPLE_RUNS] == [
        ["a1", "a6", "a6", "c3", "d4", "c3"],
        ["e6", "a2", "e4", "c2", "e3", "d2", "c5", "e1", "b6", "c4"],
    ]


@pytest.mark.parametrize("path", SAMPLE_RUNS, ids=lambda path: path.stem)
def test_the_sample_run_works_on_a_terminal(path, keyboard, capsys):
    keyboard(*split_run(path)[1])
    Gekitai().start()
    assert capsys.readouterr().out == path.read_text(encoding="ascii")


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLE_RUNS, ids=lambda path: path.stem)
def test_the_sample_run_works_with_standard_input(path):
    printed, typed = split_run(path)
    done = run_program("".join(f"{line}\n" for line in typed))
    assert (done.stdout, done.stderr, done.returncode) == (printed, "", 0)


# -- Other ends of the program, and its arguments -----------------------------------------


def test_end_of_input_ends_the_program(keyboard, capsys):
    keyboard("a1", "G7")
    assert main(["-N", "7"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "7 |   |   |   |   |   |   | O |\n" in out
    assert out.endswith("Player X's turn: \nEnd of input, the game is unfinished.\n")


def test_start_raises_eof_error_at_the_end_of_input(keyboard):
    keyboard("a1")
    with pytest.raises(EOFError):
        Gekitai().start()


def test_arguments_are_passed_to_the_game(keyboard, capsys):
    keyboard()
    assert main(["-N", "8", "-P", "6", "-L", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "    A   B   C   D   E   F   G   H"
    assert lines[18] == "X: ['X', 'X', 'X', 'X', 'X', 'X']"


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["-N", "9"], "N must be from 6 to 8, got 9"),
        (["-P", "5"], "P must be from 6 to 12, got 5"),
        (["-N", "7", "-L", "8"], "L must be from 3 to 7, got 8"),
        (["-N", "six"], "'six'"),
        (["b2"], "b2"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(argv, named, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert err.count("\n") == 1
    assert named in err


# -- Answers ----------------------------------------------------------------------------

MALFORMED = ["AA1", "A01", "abc", "A3.14", "#a2", "", "   ", "1a", "a", "7", "a0", "a-1", "a+1",
             "a1 b2", "a1,", "é1", "a²", "a\u0661", "a" + "9" * 5000, "\0"]  # fmt: skip


@pytest.mark.parametrize("typed", MALFORMED, ids=lambda typed: ascii(typed)[:12])
def test_malformed_addresses_are_refused(typed, keyboard, capsys):
    keyboard(typed)
    with pytest.raises(ValueError, match=r"address|digits"):
        Player(Color.BLACK).get_input()
    assert capsys.readouterr().out.startswith("Player X's turn: ")


@pytest.mark.parametrize(
    ("typed", "cell"),
    [
        ("A1", (0, 0)),
        ("c6", (5, 2)),
        ("b 5", (4, 1)),
        ("  B\t5 \r", (4, 1)),
        ("f1 0", (9, 5)),
        ("z26", (25, 25)),
    ],
)
def test_an_address_is_read(typed, cell, keyboard, capsys):
    keyboard(typed)
    assert Player(Color.RED).get_input() == cell
    assert capsys.readouterr().out == f"Player O's turn: {typed}\n"


@pytest.mark.parametrize(
    "refused", ["AA1", "A01", "abc", "A3.14", "#a2", "", "g1", "a7", "z99", "a1"]
)
def test_refused_answers_are_asked_again(refused, keyboard, capsys):
    keyboard("a1", refused, "f6")
    with pytest.raises(EOFError):
        Gekitai().start()
    out = capsys.readouterr().out
    again = f"Player O's turn: {refused}\nInvalid move!\nPlayer O's turn: f6\n    A   B"
    assert again in out
    assert out.count("Invalid move!") == 1


# -- The classes ------------------------------------------------------------------------


def test_colors_pieces_and_players_print_as_documented():
    assert [(color.name, color.value) for color in Color] == [("BLACK", "X"), ("RED", "O")]
    assert Piece(Color.RED).color is Color.RED
    assert str(Piece(Color.BLACK)) == "X"
    player = Player(Color.RED)
    assert player.color is Color.RED
    assert str(player) == "O"
    assert [piece.color for piece in player.pieces] == [Color.RED] * 8


def test_board_is_abstract(capsys):
    with pytest.raises(TypeError, match="abstract"):
        Board(2, 3)

    class Shelf(Board):
        def move(self, piece, y, x):
            self.cells[y][x] = piece

    shelf = Shelf(2, 3)
    shelf.move(Piece(Color.RED), 1, 2)
    shelf.print()
    assert (shelf.rows, shelf.cols) == (2, 3)
    assert capsys.readouterr().out == (
        "    A   B   C\n"
        "  +---+---+---+\n"
        "1 |   |   |   |\n"
        "  +---+---+---+\n"
        "2 |   |   | O |\n"
        "  +---+---+---+\n"
    )


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        ((), {}, (6, 8, 3)),
        ((7, 9, 4), {}, (7, 9, 4)),
        ((), {"P": 6}, (6, 6, 3)),
        ((), {"N": 8, "P": 12, "L": 8}, (8, 12, 8)),
        ((8, 6, 6), {}, (8, 6, 6)),
    ],
)
def test_a_new_game_has_the_given_parameters(args, kwargs, expected):
    game = Gekitai(*args, **kwargs)
    assert isinstance(game, Board)
    assert (game.N, game.P, game.L, game.rows, game.cols) == (*expected, game.N, game.N)
    assert game.cells == [[None] * game.N for _ in range(game.N)]
    assert [player.color for player in game.players] == [Color.BLACK, Color.RED]
    assert hands(game) == [game.P, game.P]
    assert not game.game_over()


@pytest.mark.parametrize(
    "args", [(5,), (9,), (6, 5), (6, 13), (6, 8, 2), (6, 8, 7), (8, 6, 7), (True,)]
)
def test_parameters_out_of_range_are_refused(args):
    with pytest.raises(AssertionError, match=r"[NPL] must be"):
        Gekitai(*args)


def test_get_piece_and_is_move_valid_describe_a_cell():
    game = Gekitai()
    piece = game.cells[5][2] = Piece(Color.RED)
    assert game.get_piece(5, 2) is piece
    assert game.get_piece(2, 5) is None
    assert not game.is_move_valid(5, 2)
    assert all(game.is_move_valid(y, x) for y in range(6) for x in range(6) if (y, x) != (5, 2))
    for y, x in [(-1, 0), (0, -1), (6, 0), (0, 6), (-1, -4), (99, 2)]:
        assert game.get_piece(y, x) is None
        assert game.is_move_valid(y, x) is False


def test_print_shows_the_pieces_in_the_hands(capsys):
    game = Gekitai()
    game.cells[0][0] = Piece(Color.BLACK)  # the hands still hold eight pieces each
    game.players[1].pieces.clear()
    game.print()
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "1 | X |   |   |   |   |   |"
    assert lines[-2:] == ["X: ['X', 'X', 'X', 'X', 'X', 'X', 'X', 'X']", "O: []"]


# -- Moves ------------------------------------------------------------------------------


def test_pieces_are_pushed_on_and_off_the_board():
    game = set_up("X..... ..X... .X.... ...... ...... ......")
    off, east, south = game.get_piece(0, 0), game.get_piece(1, 2), game.get_piece(2, 1)
    placed = game.players[1].pieces[0]
    game.move(placed, 1, 1)
    assert drawn(game) == ["......", ".O.X..", "......", ".X....", "......", "......"]
    assert game.get_piece(1, 1) is placed
    assert game.get_piece(1, 3) is east
    assert game.get_piece(3, 1) is south
    assert off in game.players[0].pieces
    assert placed not in game.players[1].pieces
    assert hands(game) == [6, 7]


def test_a_blocked_piece_is_not_pushed():
    game = set_up("...... .O.... ...... .X.... .O.... ......")
    up, held, behind = game.get_piece(1, 1), game.get_piece(3, 1), game.get_piece(4, 1)
    game.move(game.players[0].pieces[0], 2, 1)
    assert drawn(game) == [".O....", "......", ".X....", ".X....", ".O....", "......"]
    assert game.get_piece(0, 1) is up
    assert game.get_piece(3, 1) is held
    assert game.get_piece(4, 1) is behind


def test_eight_neighbours_are_pushed_at_once():
    game = set_up("...... .OXO.. .X.X.. .OXO.. ...... ......")
    around = {(dy, dx): game.get_piece(2 + dy, 2 + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)}
    game.move(Piece(Color.RED), 2, 2)
    assert drawn(game) == ["O.X.O.", "......", "X.O.X.", "......", "O.X.O.", "......"]
    for (dy, dx), piece in around.items():
        if piece is not None:
            assert game.get_piece(2 + 2 * dy, 2 + 2 * dx) is piece


def test_a_piece_in_a_corner_pushes_its_neighbours():
    game = set_up("...... ...... ...... ...... ....XO ....O.")
    corner = [game.get_piece(4, 4), game.get_piece(4, 5), game.get_piece(5, 4)]
    game.move(game.players[0].pieces[0], 5, 5)
    assert drawn(game) == ["......", "......", "......", "...X.O", "......", "...O.X"]
    assert [game.get_piece(3, 3), game.get_piece(3, 5), game.get_piece(5, 3)] == corner
    game.move(game.players[1].pieces[0], 4, 4)
    assert drawn(game) == ["......", "......", "..X...", "......", "....O.", "......"]
    assert hands(game) == [7, 7]


def test_a_piece_from_no_hand_can_be_moved():
    game = Gekitai()
    stranger = Piece(Color.RED)
    game.move(stranger, 0, 0)
    assert hands(game) == [8, 8]
    game.move(Piece(Color.BLACK), 1, 1)
    assert game.players[1].pieces[-1] is stranger


@pytest.mark.parametrize(
    ("y", "x", "named"), [(0, 0, "occupied"), (0, 6, "off the board"), (-1, 2, "off the board")]
)
def test_refused_move_changes_nothing(y, x, named):
    game = set_up("XO.... O..... ...... ...... ...... ......")
    cells = [row.copy() for row in game.cells]
    in_hand = [player.pieces.copy() for player in game.players]
    with pytest.raises(ValueError, match=rf"row {y}, column {x} is {named}"):
        game.move(game.players[0].pieces[0], y, x)
    assert game.cells == cells
    assert [player.pieces for player in game.players] == in_hand


# -- Lines and the end ------------------------------------------------------------------

LINES = [
    ("X..... X..... X..... ...... ...... ......", 3, True, "first column"),
    (".....X .....X .....X ...... ...... ......", 3, True, "last column"),
    ("...... ...... ...... ...... ...... ...XXX", 3, True, "last row"),
    ("...... ...... ...... X..... .X.... ..X...", 3, True, "falling diagonal"),
    ("...... ...... ...... .....X ....X. ...X..", 3, True, "rising diagonal"),
    ("....XX X..... ...... ...... ...... ......", 3, False, "round the edge of a row"),
    ("...... .....X X..... .X.... ...... ......", 3, False, "round the edge, diagonally"),
    ("XX.X.. ...... ...... ...... ...... ......", 3, False, "a gap"),
    ("XXOX.. ...... ...... ...... ...... ......", 3, False, "the other colour between"),
    ("XXX... ...... ...... ...... ...... ......", 4, False, "three of four"),
    ("XXXX.. ...... ...... ...... ...... ......", 4, True, "four of four"),
    ("XXXX.. ...... ...... ...... ...... ......", 3, True, "four of three"),
]


@pytest.mark.parametrize(
    ("drawing", "length", "expected"), [case[:3] for case in LINES], ids=[c[3] for c in LINES]
)
def test_pieces_in_line_finds_a_line_of_its_player(drawing, length, expected):
    for owner, other in ((0, 1), (1, 0)):
        swapped = drawing.translate(str.maketrans("XO", "OX")) if owner else drawing
        game = set_up(swapped, L=length)
        assert game.pieces_in_line(game.players[owner]) is expected
        assert game.pieces_in_line(game.players[other]) is False
        assert game.game_over() is expected


def test_a_player_with_all_pieces_on_the_board_wins():
    five = "O.O.O. ...... O.O... ...... ...... ......"
    six = "O.O.O. ...... O.O... ...... O..... ......"
    assert not set_up(five, P=6).game_over()
    game = set_up(six, P=6)
    assert game.game_over()
    assert not any(game.pieces_in_line(player) for player in game.players)
    assert all(game.winner(mover) is game.players[1] for mover in game.players)
    assert not set_up(six).game_over()


def test_the_condition_of_the_mover_has_precedence():
    both = set_up("XXX... ...... OOO... ...... ...... ......")
    assert [str(both.winner(mover)) for mover in both.players] == ["X", "O"]
    other = set_up("...... ...... OOO... ...... ...... ......")
    assert [str(other.winner(mover)) for mover in other.players] == ["O", "O"]
    line_against_count = set_up("XXX... ...... O.O.O. ...... O.O.O. ......", P=6)
    assert [str(line_against_count.winner(mover)) for mover in both.players] == ["X", "O"]
    nobody = Gekitai()
    assert [nobody.winner(mover) for mover in nobody.players] == [None, None]


@pytest.mark.parametrize(
    ("drawing", "params", "typed", "winner"),
    [
        # A line of four on seven columns; the piece on C1 blocks the push of D1.
        (".XXX... ....... ....... ....... ....... ....... .......",
         {"N": 7, "P": 9, "L": 4}, ["E1"], "X"),
        # The mover's push of D2 to C1 completes the other player's line.
        ("OO.... ...O.. ...... ...... ...... ......", {}, ["E3"], "O"),
        # The same push with the mover's last piece.
        ("OO.... ...O.. ...... X.X... ...... X.X.X.", {"P": 6}, ["E3"], "X"),
        # The second player's last piece.
        ("O.O.O. ...... O.O... ...... ...... ......", {"P": 6}, ["a5", "e6"], "O"),
        # Already over at the start.
        ("OOO... ...... ...... ...... ...... ......", {}, [], "O"),
    ],
)  # fmt: skip
def test_start_continues_from_the_current_board(drawing, params, typed, winner, keyboard, capsys):
    keyboard(*typed)
    set_up(drawing, **params).start()
    assert capsys.readouterr().out.splitlines()[-1] == f"Player {winner} wins!"
