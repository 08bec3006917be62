"""The console program of the 112 game and the functions of its source document."""

import subprocess
import sys

import numpy as np
import pytest

from boardenvs.game112.__main__ import main
from boardenvs.game112.console import (
    clearLeftmostDigit,
    digitCount,
    getLeftmostDigit,
    isFull,
    isWin,
    kthDigit,
    makeBoard,
    makeMove,
    play112,
    replaceKthDigit,
    start,
)

# The document's game as shown on a terminal. Player 2 wins at position 2.
SAMPLE_RUN = """\
| - - - - - |
Player 1 (position value): 4 2
| - - - 2 - |
Player 2 (position value): 1 2
| 2 - - 2 - |
Player 1 (position value): 3 1
| 2 - 1 2 - |
Player 2 (position value): 2 1
21128: Player 2 wins!
"""
SAMPLE_MOVES = ["4 2", "1 2", "3 1", "2 1"]


def run_program(typed, *argv):
    """`python -m boardenvs.game112` with its standard input piped."""
    command = [sys.executable, "-m", "boardenvs.game112", *argv]
    return subprocess.run(command, input=typed, capture_output=True, timeout=120, check=False)


# -- play112 ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        (5, "88888: Unfinished!"),
        (521, "81888: Unfinished!"),
        (52112, "21888: Unfinished!"),
        (5211231, "21188: Unfinished!"),
        (521123142, "21128: Player 2 wins!"),
        (521123151, "21181: Unfinished!"),
        (52112315142, "21121: Player 1 wins!"),
        (542123121, "21128: Player 2 wins!"),
        (523, "88888: Player 1: move must be 1 or 2!"),
        (51223, "28888: Player 2: move must be 1 or 2!"),
        (51211, "28888: Player 2: occupied!"),
        (5122221, "22888: Player 1: occupied!"),
        (51261, "28888: Player 2: offboard!"),
        (561, "88888: Player 1: offboard!"),
        (51122324152, "12212: Tie!"),
        # Zeros are digits too.
        (501, "88888: Player 1: offboard!"),
        (510, "88888: Player 1: move must be 1 or 2!"),
        (51101, "18888: Player 2: offboard!"),
        # The smallest boards can only be filled.
        (1, "8: Unfinished!"),
        (112, "2: Tie!"),
        (21121, "11: Tie!"),
        # A win on the last empty position is a win.
        (3112132, "112: Player 1 wins!"),
        # The largest board, at both ends.
        (9, "888888888: Unfinished!"),
        (9112132, "112888888: Player 1 wins!"),
        (9718192, "888888112: Player 1 wins!"),
    ],
)
def test_play112_returns_the_documented_answers(spec, answer):
    assert play112(spec) == answer


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        (563, "88888: Player 1: move must be 1 or 2!"),  # checked before the position's range
        (51113, "18888: Player 2: move must be 1 or 2!"),  # checked before occupied positions
        (50000, "88888: Player 1: move must be 1 or 2!"),
    ],
)
def test_play112_checks_in_the_documented_order(spec, answer):
    assert play112(spec) == answer


@pytest.mark.parametrize(
    ("stopped", "more"),
    [
        (542123121, "51"),  # after a win
        (542123121, "11"),
        (51211, "2131"),  # after a loss
        (51122324152, "11"),  # after a tie
        (51122324152, "99"),
        (112, "11" * 1000),
    ],
)
def test_moves_after_the_end_are_ignored(stopped, more):
    assert play112(int(f"{stopped}{more}")) == play112(stopped)


def test_a_specification_too_long_to_print_is_accepted():
    assert play112(112 * 10**6000) == "2: Tie!"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (0, "size"),
        (-521, "negative"),
        (52, "gameSpec.*position 2"),
        (5110, "gameSpec.*position 0"),
        (5421231219, "gameSpec.*position 9"),  # even if the game was already over
        ("521", "gameSpec.*got '521'"),
        (521.0, "gameSpec.*got 521.0"),
        (True, "gameSpec.*got True"),
        (None, "gameSpec.*got None"),
        ([5, 2, 1], "gameSpec.*got "),
    ],
)
def test_malformed_specifications_are_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        play112(spec)


def test_numpy_integers_are_accepted():
    assert play112(np.int64(521123142)) == "21128: Player 2 wins!"


# -- The helper functions ---------------------------------------------------------------


def test_make_board_returns_an_empty_board():
    assert [makeBoard(n) for n in (1, 2, 3, 9)] == [8, 88, 888, 888888888]
    for bad in (0, 10, -1, 2.0, "3", True):
        with pytest.raises(ValueError, match="moves"):
            makeBoard(bad)


def test_digit_count_counts_the_digits():
    numbers = [0, 3, 9, 10, 33, 3333, -543, 10**30, 10**30 - 1]
    assert [digitCount(n) for n in numbers] == [1, 1, 1, 2, 2, 4, 3, 31, 30]


def test_kth_digit_returns_the_digit():
    assert [kthDigit(789, k) for k in range(5)] == [9, 8, 7, 0, 0]
    assert [kthDigit(-789, k) for k in range(4)] == [9, 8, 7, 0]
    assert kthDigit(0, 0) == 0
    assert kthDigit(10**30 + 7, 30) == 1


def test_replace_kth_digit_replaces_the_digit():
    assert [replaceKthDigit(789, k, 6) for k in range(5)] == [786, 769, 689, 6789, 60789]
    assert replaceKthDigit(789, 2, 0) == 89
    assert replaceKthDigit(-789, 0, 6) == -786
    assert replaceKthDigit(0, 1, 4) == 40


def test_leftmost_digit_returns_the_first_digit():
    numbers = [7089, 89, 9, 0, -321]
    assert [getLeftmostDigit(n) for n in numbers] == [7, 8, 9, 0, 3]
    assert [clearLeftmostDigit(n) for n in numbers] == [89, 9, 0, 0, -21]
    assert [clearLeftmostDigit(n) for n in (789, 60789, 1000)] == [89, 789, 0]


def test_digit_functions_refuse_other_values():
    for function in (digitCount, getLeftmostDigit, clearLeftmostDigit):
        for bad in ("7089", 7.5, None, True):
            with pytest.raises(ValueError, match="n must"):
                function(bad)
    for function, bad in ((kthDigit, (789, -1)), (replaceKthDigit, (789, 1.0, 2))):
        with pytest.raises(ValueError, match="k must"):
            function(*bad)
    for bad in (10, -1, "2"):
        with pytest.raises(ValueError, match="d must"):
            replaceKthDigit(789, 1, bad)


@pytest.mark.parametrize(
    ("board", "position", "move", "answer"),
    [
        (8, 1, 1, 1),
        (888888, 1, 1, 188888),
        (888888, 2, 1, 818888),
        (888888, 5, 2, 888828),
        (888888, 6, 2, 888882),
        (888888, 6, 3, "move must be 1 or 2!"),
        (888888, 7, 1, "offboard!"),
        (888888, 0, 1, "offboard!"),
        (888888, -6, 1, "offboard!"),
        (888881, 6, 1, "occupied!"),
        (888881, 6, 0, "move must be 1 or 2!"),
        (888888, 7, -1, "move must be 1 or 2!"),
        (112888, 6, 2, 112882),  # isWin checks for wins, not this function
        (888888888, 9, 2, 888888882),
    ],
)
def test_make_move_returns_the_new_board(board, position, move, answer):
    assert makeMove(board, position, move) == answer


def test_is_win_and_is_full_describe_the_board():
    wins = [112888, 811288, 888112, 211222, 112, 888888112]
    others = [888888, 212212, 111888, 121, 811, 12, 8, 118288, 22111]
    assert [isWin(board) for board in wins] == [True] * len(wins)
    assert [isWin(board) for board in others] == [False] * len(others)
    full = [211222, 212212, 1, 22, 112, 121212121]
    others = [888888, 121888, 888112, 8, 81, 18, 811, 121212128]
    assert [isFull(board) for board in full] == [True] * len(full)
    assert [isFull(board) for board in others] == [False] * len(others)


@pytest.mark.parametrize("board", [0, 888088, 123, -888, 8888888888, "888", 88.0, True])
def test_invalid_boards_are_refused(board):
    for function in (isWin, isFull, lambda board: makeMove(board, 1, 1)):
        with pytest.raises(ValueError, match="board"):
            function(board)


@pytest.mark.parametrize(("position", "move"), [("1", 1), (1, "1"), (1.0, 1), (1, True)])
def test_moves_that_are_not_numbers_are_refused(position, move):
    with pytest.raises(ValueError, match=r"position|move"):
        makeMove(888, position, move)


# -- The program ------------------------------------------------------------------------


def test_the_sample_run_works_on_a_terminal(keyboard, capsys):
    keyboard(*SAMPLE_MOVES)
    start(5)
    assert capsys.readouterr().out == SAMPLE_RUN


@pytest.mark.slow
def test_the_sample_run_works_with_standard_input():
    printed = SAMPLE_RUN
    for typed in SAMPLE_MOVES:
        printed = printed.replace(f": {typed}\n", ": ", 1)
    done = run_program("".join(f"{line}\n" for line in SAMPLE_MOVES).encode(), "5")
    assert (done.stdout.decode(), done.stderr, done.returncode) == (printed, b"", 0)


@pytest.mark.parametrize(
    ("typed", "last"),
    [
        (["2 3"], "888: Player 1: move must be 1 or 2!"),
        (["2 -1"], "888: Player 1: move must be 1 or 2!"),
        (["0 1"], "888: Player 1: offboard!"),
        (["-1 +2"], "888: Player 1: offboard!"),
        (["1000 2"], "888: Player 1: offboard!"),
        (["1 1", "1 2"], "188: Player 2: occupied!"),
        (["1 1", "2 2", "3 1"], "121: Tie!"),
        (["  1\t1 ", "3 2", "02 1"], "112: Player 1 wins!"),
    ],
)
def test_the_program_prints_the_result(typed, last, keyboard, capsys):
    keyboard(*typed)
    start(3)
    assert capsys.readouterr().out.endswith(f": {typed[-1]}\n{last}\n")


NO_NUMBERS = [
    "",
    "1",
    "1 2 3",
    "one two",
    "1,2",
    "1.0 2",
    "1 2.",
    "x 1",
    "\u0661 1",
    "1_0 1",
    "1 " + "1" * 5000,
]


@pytest.mark.parametrize("typed", NO_NUMBERS, ids=lambda typed: ascii(typed)[:12])
def test_input_that_is_not_two_numbers_is_asked_again(typed, keyboard, capsys):
    keyboard("1 1", typed, "2 2", "3 1")
    start(3)
    assert capsys.readouterr().out == (
        "| - - - |\n"
        "Player 1 (position value): 1 1\n"
        "| 1 - - |\n"
        f"Player 2 (position value): {typed}\n"
        "Please enter two whole numbers, such as 4 2.\n"
        "Player 2 (position value): 2 2\n"
        "| 1 2 - |\n"
        "Player 1 (position value): 3 1\n"
        "121: Tie!\n"
    )


def test_start_raises_eof_error_at_the_end_of_input(keyboard):
    keyboard("1 1")
    with pytest.raises(EOFError):
        start()


@pytest.mark.parametrize("argv", [["0"], ["10"], ["-3"], ["five"], ["5", "6"]])
def test_bad_arguments_are_refused_in_one_line(argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert err.count("\n") == 1
    assert argv[-1] in err
