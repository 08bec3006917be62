"""The console program of Gomoku and the functions of its source document."""

import builtins
import contextlib
import io
import os
import random
import re
import subprocess
import sys
from collections import Counter
from string import ascii_uppercase
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyboards import answering

from boardenvs.gomoku.console import (
    check_available_moves,
    check_for_winner,
    create_board,
    game_menu,
    is_occupied,
    place_on_board,
    play_game,
    print_board,
    random_computer_player,
)

MENU = "\n1. Start a Game\n2. Print the Board\n3. Place a Stone\n4. Reset the Game\n5. Exit\n"
CHOICE = "Choose an option (1 to 5): "
SIZE = "Board size (9, 13 or 15, m for the menu): "
MODE = "Mode (1 for Player vs. Player, 2 for Player vs. Computer, m for the menu): "
BLACK = "Position for ● (row column, such as 2 F, m for the menu): "
WHITE = "Position for ○ (row column, such as 2 F, m for the menu): "
TWO_PLAYERS = ["1", "9", "1"]
COMPUTER = ["1", "9", "2"]


@pytest.fixture
def played(monkeypatch, capsys):
    """Return the function that runs `play_game` on typed lines and returns its output.

    The program must read every line, and then exit or reach the end of input.
    """

    def play(*lines):
        answers = iter(lines)
        monkeypatch.setattr(builtins, "input", answering(answers))
        play_game()
        assert next(answers, None) is None
        return capsys.readouterr().out

    return play


def board_of(drawing):
    """Return a board drawn with X, O and dots."""
    return [["●○ "["XO.".index(cell)] for cell in row] for row in drawing.split()]


def placing(*moves):
    """Return the typed lines that place stones in order."""
    return [line for move in moves for line in ("3", move)]


# -- The functions ------------------------------------------------------------------------


def test_the_menu_is_printed(capsys):
    assert game_menu() is None
    assert capsys.readouterr().out == MENU


@pytest.mark.parametrize("size", [5, 9, 13, 15, 26])
def test_a_new_board_is_unoccupied(size):
    board = create_board(size)
    assert len(check_available_moves(board)) == size * size
    assert not any(is_occupied(board, x, y) for x in range(size) for y in range(size))
    assert check_for_winner(board) is None
    place_on_board(board, "●", ("0", "A"))
    assert not is_occupied(board, 1, 0)  # each row is its own list
    assert not is_occupied(create_board(size), 0, 0)


@pytest.mark.parametrize("size", [4, 27, 0, -9, 9.0, "9", None, True, [9]])
def test_invalid_sizes_are_refused(size):
    with pytest.raises(ValueError, match="size"):
        create_board(size)


def test_stones_are_placed_on_empty_cells():
    board = create_board(9)
    assert place_on_board(board, "●", ("0", "A")) is True
    assert place_on_board(board, "○", ("8", "I")) is True
    assert place_on_board(board, "●", ("2", "f")) is True
    assert is_occupied(board, 0, 0) is True
    assert is_occupied(board, 8, 8) is True
    assert is_occupied(board, 2, 5) is True
    assert is_occupied(board, 5, 2) is False
    assert len(check_available_moves(board)) == 78


IMPOSSIBLE = [
    ("●", ("0", "A")),  # occupied
    ("○", ("0", "A")),
    ("●", ("9", "A")),
    ("●", ("0", "J")),
    ("●", ("-1", "A")),
    ("●", ("A", "0")),
    ("●", ("", "")),
    ("●", ("1", "")),
    ("●", ("1", "AB")),
    ("●", ("1.0", "B")),
    ("●", ("01", "B")),
    ("●", (" 1", "B")),
    ("●", ("1", "B", "C")),
    ("●", ("1",)),
    ("●", ()),
    ("●", (1, "B")),
    ("●", (1, 1)),
    ("●", "1B"),
    ("●", "1 B"),
    ("●", None),
    ("●", 5),
    ("●", ("²", "B")),
    ("●", ("1", "é")),
    ("●", ("9" * 5000, "B")),
    ("X", ("1", "B")),
    ("", ("1", "B")),
    (" ", ("1", "B")),
    ("●○", ("1", "B")),
    (None, ("1", "B")),
    (1, ("1", "B")),
    (["●"], ("1", "B")),
]


@pytest.mark.parametrize(("stone", "where"), IMPOSSIBLE, ids=lambda part: ascii(part)[:20])
def test_invalid_placements_are_refused(stone, where):
    board = create_board(9)
    place_on_board(board, "●", ("0", "A"))
    before = [row.copy() for row in board]
    assert place_on_board(board, stone, where) is False
    assert board == before


@pytest.mark.parametrize(("x", "y"), [(-1, 0), (0, -1), (9, 0), (0, 9), (0.0, 0), ("0", 0)])
def test_a_cell_off_the_board_is_refused(x, y):
    with pytest.raises(ValueError, match=r"[xy] must be .* 8"):
        is_occupied(create_board(9), x, y)


def test_boards_are_printed(capsys):
    board = create_board(5)
    for stone, where in [("●", ("0", "A")), ("○", ("0", "E")), ("●", ("4", "C"))]:
        assert place_on_board(board, stone, where)
    assert print_board(board) is None
    assert capsys.readouterr().out == (
        "A  B  C  D  E\n"
        "●-- -- -- --○ 0\n"
        "|  |  |  |  |\n"
        " -- -- -- --  1\n"
        "|  |  |  |  |\n"
        " -- -- -- --  2\n"
        "|  |  |  |  |\n"
        " -- -- -- --  3\n"
        "|  |  |  |  |\n"
        " -- --●-- --  4\n"
    )


def test_large_boards_are_printed(capsys):
    print_board(create_board(13))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A  B  C  D  E  F  G  H  I  J  K  L  M"
    assert lines[-1] == "--".join(" " * 13) + " 12"


def test_available_moves_lists_the_empty_cells():
    board = create_board(5)
    moves = check_available_moves(board)
    assert moves == [(str(row), column) for row in range(5) for column in "ABCDE"]
    for move in moves[:-2]:
        place_on_board(board, "○", move)
    assert check_available_moves(board) == [("4", "D"), ("4", "E")]
    place_on_board(board, "●", ("4", "D"))
    place_on_board(board, "●", ("4", "E"))
    assert check_available_moves(board) == []


WINNERS = {
    "none": ("..... " * 5, None),
    "a row of black alone": ("..... XXXXX ..... ..... .....", "●"),
    "a column of white alone": ("..O.. " * 5, "○"),
    "a diagonal": ("X...O .X.O. ..XO. .OOX. O.O.X", "●"),
    "the other diagonal": ("X...O .X.O. ..O.. .O.X. O.X.X", "○"),
    "four are too few": ("XXXX. OOOO. XXXX. OOOO. .....", None),
    "full": ("XXOXX OOXOO XXOXX OOXOO XXOXO", "Draw"),
    "full and won": ("XXXXX OOXOO XXOXX OOXOO XXOOO", "●"),
    "six": ("XXXXXX ...... ...... ...... ...... ......", "●"),
    "both, black with one more": ("XXXXX OOOOO X.... ..... .....", "●"),
    "both, the same number": ("XXXXX OOOOO ..... ..... .....", "○"),
}


@pytest.mark.parametrize(("drawing", "winner"), WINNERS.values(), ids=WINNERS)
def test_check_for_winner_finds_the_winner(drawing, winner):
    board = board_of(drawing)
    before = [row.copy() for row in board]
    assert check_for_winner(board) == winner
    assert board == before


def test_the_winning_boards_of_the_document_win():
    board = create_board(9)
    for row in range(5):
        place_on_board(board, "●", (str(row), "E"))
    assert check_for_winner(board) == "●"
    board = create_board(9)
    for position in [("2", "H"), ("3", "G"), ("4", "F"), ("5", "E"), ("6", "D")]:
        assert check_for_winner(board) is None
        place_on_board(board, "○", position)
    assert check_for_winner(board) == "○"


BAD_BOARDS = {
    "none": None,
    "no list": "board",
    "too small": [[" "] * 4] * 4,
    "too large": [[" "] * 27] * 27,
    "not square": [[" "] * 9] * 8,
    "a strange stone": [["X"] * 9] * 9,
    "numbers": [[0] * 9] * 9,
    "tuples": [(" ",) * 9] * 9,
}


@pytest.mark.parametrize("board", BAD_BOARDS.values(), ids=BAD_BOARDS)
def test_invalid_boards_are_refused(board):
    for function in (
        print_board,
        check_available_moves,
        check_for_winner,
        lambda board: is_occupied(board, 0, 0),
        lambda board: place_on_board(board, "●", ("0", "A")),
        lambda board: random_computer_player(board, ("0", "A")),
    ):
        with pytest.raises(ValueError, match="board"):
            function(board)


# -- The computer player --------------------------------------------------------------------

AROUND = {
    ("4", "E"): {"3D", "3E", "3F", "4D", "4F", "5D", "5E", "5F"},
    ("0", "A"): {"0B", "1A", "1B"},
    ("2", "A"): {"1A", "1B", "2B", "3A", "3B"},
    ("8", "I"): {"7H", "7I", "8H"},
}


@pytest.mark.parametrize(("move", "expected"), AROUND.items(), ids=["".join(m) for m in AROUND])
def test_the_computer_answers_next_to_the_move(move, expected):
    board = create_board(9)
    place_on_board(board, "●", move)
    rng = np.random.default_rng(0)
    answers = Counter(random_computer_player(board, move, rng) for _ in range(100 * len(expected)))
    assert {"".join(answer) for answer in answers} == expected
    assert all(60 <= count <= 140 for count in answers.values())  # four standard deviations


def test_the_computer_takes_only_free_positions():
    board = board_of("XOX.. OXO.. XO... ..... .....")
    assert {random_computer_player(board, ("1", "B")) for _ in range(40)} == {("2", "C")}


def test_the_computer_plays_anywhere_if_the_neighbourhood_is_full():
    board = board_of("XO... OX... ..... ..... .....")
    free = check_available_moves(board)
    rng = random.Random(0)
    answers = Counter(random_computer_player(board, ("0", "A"), rng) for _ in range(100 * 21))
    assert sorted(answers) == free
    assert all(55 <= count <= 145 for count in answers.values())


def test_the_computer_uses_the_given_generator():
    board = create_board(9)
    place_on_board(board, "●", ("4", "E"))

    def answers(rng):
        return [random_computer_player(board, ("4", "E"), rng) for _ in range(20)]

    for kind in (np.random.default_rng, random.Random):
        assert answers(kind(3)) == answers(kind(3))
        assert answers(kind(3)) != answers(kind(4))
    assert answers(None) != answers(None)
    answer = random_computer_player(board, ("4", "E"))
    assert isinstance(answer, tuple)
    assert [type(word) for word in answer] == [str, str]


def test_the_computer_refuses_a_full_board():
    with pytest.raises(ValueError, match="free position"):
        random_computer_player(board_of("XXOXX OOXOO XXOXX OOXOO XXOXO"), ("0", "A"))


@pytest.mark.parametrize("move", [("9", "A"), ("0", "Z"), (0, "A"), "0A", None, ("0",)])
def test_the_computer_refuses_invalid_positions(move):
    with pytest.raises(ValueError, match=r"board|position"):
        random_computer_player(create_board(9), move)


# -- The program ----------------------------------------------------------------------------


def test_two_players_play_a_game(played):
    moves = ["2 D", "0 A", "2 E", "0 B", "2 f", "0 C", "2 G", "0 D", "2 H"]
    out = played(*TWO_PLAYERS, *placing(*moves), "5")
    assert out.startswith(
        f"{MENU}{CHOICE}1\n{SIZE}9\n{MODE}1\n"
        "A board of 9 x 9. ● opens: place a stone (3).\n"
        f"{MENU}{CHOICE}3\n{BLACK}2 D\n"
        "A  B  C  D  E  F  G  H  I\n"
        " -- -- -- -- -- -- -- --  0\n"
        "|  |  |  |  |  |  |  |  |\n"
        " -- -- -- -- -- -- -- --  1\n"
        "|  |  |  |  |  |  |  |  |\n"
        " -- -- --●-- -- -- -- --  2\n"
    )
    assert re.findall(r"Position for (.) .*: (.*)", out) == [
        ("●○"[k % 2], move) for k, move in enumerate(moves)
    ]
    assert out.endswith(
        f"|  |  |\n -- -- -- -- -- -- -- --  8\n● wins!\n{MENU}{CHOICE}5\nGoodbye.\n"
    )
    assert "●--●--●--●--●--  2\n" in out
    assert out.count("wins") == 1


def test_white_can_win(played):
    moves = ["8 A", "2 H", "8 C", "3 G", "8 E", "4 F", "8 G", "5 E", "8 I", "6 D"]
    assert "○ wins!" in played(*TWO_PLAYERS, *placing(*moves), "5")


def test_a_full_board_without_a_line_is_a_draw(played):
    """A full 9 x 9 board without a line of five is a draw."""
    black = [(r, c) for r in range(9) for c in range(9) if (c // 2 + r) % 2 == 0]
    white = [(r, c) for r in range(9) for c in range(9) if (c // 2 + r) % 2 == 1]
    while len(black) > len(white) + 1:
        white.append(black.pop())
    assert (len(black), len(white)) == (41, 40)
    order = [cell for pair in zip(black, [*white, None], strict=True) for cell in pair if cell]
    moves = [f"{r} {ascii_uppercase[c]}" for r, c in order]
    out = played(*TWO_PLAYERS, *placing(*moves), "2", "5")
    assert out.count("Draw: the board is full.") == 1
    assert "wins" not in out
    assert out.endswith(f"There is no board yet. Start a game (1).\n{MENU}{CHOICE}5\nGoodbye.\n")


def test_the_game_is_reset_after_the_end(played):
    moves = ["0 A", "5 A", "0 B", "5 B", "0 C", "5 C", "0 D", "5 D", "0 E"]
    out = played(*TWO_PLAYERS, *placing(*moves), "2", "3", *COMPUTER, *placing("4 E"), "5")
    assert "There is no board yet. Start a game (1).\n" in out
    assert "There is no game to place a stone in. Start one (1).\n" in out
    assert out.count("The computer places ○ at ") == 1


def test_a_game_against_the_computer_is_played(played):
    out = played(*COMPUTER, *placing("4 E"), "2", "5")
    answer = re.search(r"The computer places ○ at (\d) (\w)\.\n", out)
    assert "".join(answer.groups()) in AROUND["4", "E"]
    boards = re.findall(r"A  B.*\n(?:.+\n)+", out)
    assert len(boards) == 2  # after the turn, and on request
    assert boards[0] == boards[1]
    assert (boards[0].count("●"), boards[0].count("○")) == (1, 1)
    assert WHITE not in out


def test_the_computer_does_not_move_after_a_win(played, monkeypatch):
    monkeypatch.setattr(
        "boardenvs.gomoku.console.random_computer_player",
        lambda board, _: next(m for m in reversed(check_available_moves(board))),
    )
    out = played(*COMPUTER, *placing("0 A", "0 B", "0 C", "0 D", "0 E"), "5")
    assert out.count("The computer places") == 4
    assert out.index("● wins!") < out.index("Goodbye.")


def test_the_computer_can_win(played, monkeypatch):
    answers = iter([("1", column) for column in "ABCDE"])
    monkeypatch.setattr("boardenvs.gomoku.console.random_computer_player", lambda *_: next(answers))
    out = played(*COMPUTER, *placing("0 A", "0 B", "0 C", "0 D", "8 I"), "5")
    assert "The computer places ○ at 1 E." in out
    assert "○ wins!" in out


def test_many_games_against_the_computer_end(played):
    """Games against the computer end, if Black plays all free positions row by row."""
    for _ in range(5):
        lines = [*COMPUTER]
        for row in range(9):
            for column in "ABCDEFGHI":
                lines += ["3", f"{row} {column}", "m"]  # m leaves the prompt of a refused position
        out = played(*lines, "5")
        assert out.count("wins!") + out.count("Draw:") == 1


def test_starting_during_a_game_is_refused(played):
    out = played(*TWO_PLAYERS, "1", *placing("4 E"), "1", "2", "5")
    said = (
        "A game is in progress. Reset it (4) and start again, or complete it by placing "
        "stones (3).\n"
    )
    assert out.count(said) == 2
    assert out.count("●") > 2  # the stone is still there


def test_reset_starts_without_a_board(played):
    out = played(*TWO_PLAYERS, *placing("4 E"), "4", "2", "1", "13", "1", "2", "5")
    assert "The game is reset. Start another (1).\n" in out
    assert "There is no board yet." in out
    assert " -- -- -- -- -- -- -- -- -- -- -- --  12\n" in out.rpartition("A  B")[2]


def test_reset_without_a_game_is_refused(played):
    assert "The game is reset." in played("4", "4", "5")


@pytest.mark.parametrize("size", ["9", "13", "15"])
def test_boards_have_the_chosen_size(played, size):
    out = played("1", size, "1", "2", "5")
    assert f"\n{'--'.join(' ' * int(size))} {int(size) - 1}\n\n" in out


@pytest.mark.parametrize("back", ["m", "M", " m "])
def test_every_prompt_leads_back_to_the_menu(played, back):
    out = played(
        "1", back, "1", "9", back, "2", *TWO_PLAYERS, "3", back, "3", "9 9", back, "2", "5"
    )
    assert "There is no board yet." in out  # cancelling option 1 starts no game
    board = out.rpartition("A  B")[2]
    assert "●" not in board
    assert out.count(MENU) == 8


@pytest.mark.parametrize("choice", ["", "0", "6", "11", "x", "m", "1.", "one", "-1", "é", "1 2"])
def test_a_wrong_option_is_refused(played, choice):
    out = played(choice, "5")
    assert out == (
        f"{MENU}{CHOICE}{choice}\n"
        "Please answer with the number of an option, 1, 2, 3, 4 or 5.\n"
        f"{MENU}{CHOICE}5\nGoodbye.\n"
    )


@pytest.mark.parametrize("wrong", ["", "8", "10", "nine", "9 9", "-9", "9.0", "②"])
def test_a_wrong_size_is_asked_again(played, wrong):
    out = played("1", wrong, "9", "1", "5")
    said = f"That does not work: expected a size, 9, 13 or 15, got {wrong!r}.\n"
    assert f"{SIZE}{wrong}\n{said}{SIZE}9\n" in out


@pytest.mark.parametrize("wrong", ["", "0", "3", "pvp", "1 2"])
def test_a_wrong_mode_is_asked_again(played, wrong):
    out = played("1", "9", wrong, "1", "5")
    assert (
        f"{MODE}{wrong}\nThat does not work: expected a mode, 1 or 2, got {wrong!r}.\n{MODE}1\n"
        in out
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("", "expected a row and a column such as '2 F', got ''"),
        ("2F", "expected a row and a column such as '2 F', got '2F'"),
        ("F 2", "expected a row and a column such as '2 F', got 'F 2'"),
        ("2 F 3", "expected a row and a column such as '2 F', got '2 F 3'"),
        ("-1 A", "expected a row and a column such as '2 F', got '-1 A'"),
        ("9 A", "9 A is off the board; its last position is 8 I"),
        ("0 J", "0 J is off the board; its last position is 8 I"),
        ("4 E", "4 E is occupied, expected an empty position"),
        ("4 e", "4 E is occupied, expected an empty position"),
    ],
)
def test_a_wrong_position_is_asked_again(played, wrong, said):
    out = played(*TWO_PLAYERS, *placing("4 E"), "3", wrong, "5 E", "5")
    assert f"{WHITE}{wrong}\nThat does not work: {said}.\n{WHITE}5 E\nA  B" in out
    assert out.count("That does not work") == 1


def test_the_end_of_input_ends_the_program_at_every_prompt(played):
    for lines in ([], ["1"], ["1", "9"], TWO_PLAYERS, [*TWO_PLAYERS, "3"], ["x"]):
        assert played(*lines).endswith("\nEnd of input.\n")


answers = st.sampled_from(["1", "2", "3", "4", "9", "13", "m", "", "x", "99 A"]) | st.builds(
    "{} {}".format, st.integers(0, 12), st.sampled_from(ascii_uppercase[:13])
)


@given(st.lists(answers | st.text(max_size=8), max_size=60))
def test_any_input_is_accepted_without_an_error(lines):
    """For any input, only its end or 5 in the menu ends the program."""
    waiting = iter(lines)

    def typed(prompt):
        for line in waiting:
            return line
        raise EOFError

    printed = io.StringIO()
    with mock.patch.object(builtins, "input", typed), contextlib.redirect_stdout(printed):
        assert play_game() is None
    left = [*waiting]
    assert printed.getvalue().endswith("\nGoodbye.\n" if left else "\n")
    assert left == [] or "5" in [line.strip() for line in lines]


def run_program(typed, *argv, **environment):
    """Run `python -m boardenvs.gomoku` with piped standard input."""
    command = [sys.executable, "-m", "boardenvs.gomoku", *argv]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(
        command, input=typed, capture_output=True, timeout=120, check=False, env=env
    )


@pytest.mark.slow
def test_the_program_reads_standard_input():
    moves = ["0 A", "5 A", "0 B", "5 B", "0 C", "5 C", "0 D", "5 D", "0 E"]
    typed = "\n".join([*TWO_PLAYERS, *placing(*moves), "5", "never read"])
    done = run_program(typed.encode())
    assert (done.stderr, done.returncode) == (b"", 0)
    out = done.stdout.decode()
    assert out.startswith(f"{MENU}{CHOICE}{SIZE}{MODE}A board of 9 x 9.")
    assert "●--●--●--●--●-- -- -- --  0\n" in out
    assert out.endswith(f"● wins!\n{MENU}{CHOICE}Goodbye.\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_invalid_text_and_limited_output_encodings_are_handled(encoding):
    done = run_program(b"1\n9\n1\n3\n\xff\xfe\n", PYTHONIOENCODING=encoding)
    assert (done.stderr, done.returncode) == (b"", 0)
    assert done.stdout.decode().endswith("\nEnd of input.\n")
