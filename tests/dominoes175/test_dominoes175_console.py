"""The console program of Dominoes 175 and its classes.

The files `test_mode_*.txt` are runs of the test mode as shown on a terminal, including typed
answers. Dots stand for blanks at line ends. They were written from the text of the game's rules, as
were their decks `deck_*.txt`.
"""

import builtins
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardenvs
from boardenvs.dominoes175 import console
from boardenvs.dominoes175.console import Domino, DominoDeck, DominoStack, Table, main

HERE = Path(__file__).parent
TILES = [(low, high) for high in range(7) for low in range(high + 1)]
ASK_FILE = "Name of file that should be used to populate the grid of dominoes: "
MENU = "Please select your play mode:\n1. Test mode\n2. Game mode\n> "
GOODBYE = "Thank you for playing. Goodbye...\n"


@pytest.fixture
def deck_file(tmp_path):
    """Return the function that writes a file of tiles, `a/b` per line, and returns its name."""

    def write(content, name="deck.txt"):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text("".join(f"{a}/{b}\n" for a, b in content), encoding="ascii")
        return str(path)

    return write


class InOrder:
    """A random generator whose shuffle puts given tiles first."""

    def __init__(self, *first):
        self.first = first

    def shuffle(self, tiles):
        rank = {tile: number for number, tile in enumerate(self.first)}
        tiles.sort(key=lambda tile: rank.get((tile.getBottom(), tile.getTop()), 28))


def run_program(typed, cwd=None, *argv):
    """Run `python -m boardenvs.dominoes175` with piped standard input."""
    env = {**os.environ, "PYTHONPATH": str(Path(boardenvs.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-m", "boardenvs.dominoes175", *argv],
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        cwd=cwd,
        env=env,
    )


# -- Test mode --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["win", "lose"])
def test_the_test_mode_runs_on_a_terminal(name, keyboard, capsys, monkeypatch, tmp_path):
    expected = (HERE / f"test_mode_{name}.txt").read_text(encoding="utf-8").replace("·", " ")
    (tmp_path / f"{name}.txt").write_bytes((HERE / f"deck_{name}.txt").read_bytes())
    monkeypatch.chdir(tmp_path)
    keyboard("1", f"{name}.txt")
    main()
    assert capsys.readouterr().out == expected


@pytest.mark.slow
def test_the_test_mode_reads_standard_input():
    expected = (HERE / "test_mode_win.txt").read_text(encoding="utf-8").replace("·", " ")
    expected = expected.replace("> 1\n", "> ").replace("win.txt\n", "")
    done = run_program(f"1\n{HERE / 'deck_win.txt'}\n")
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)


def test_a_file_is_requested_until_one_can_be_read(keyboard, capsys, deck_file, tmp_path):
    name = deck_file(TILES)
    wrong = ["no such file", "", str(tmp_path), "a\0b", "x" * 5000]
    keyboard("1", *wrong, name)
    main()
    out = capsys.readouterr().out
    for typed in wrong:
        shown = typed.replace("\0", "\\x00")
        assert f"{ASK_FILE}{typed}\nCannot read from {shown}.\n{ASK_FILE}" in out
    assert out.endswith(GOODBYE)


INVALID = {
    "no lines": b"",
    "a line too few": b"0/1\n" * 27,
    "a line too many": b"0/1\n" * 29,
    "an empty line at the end": b"0/1\n" * 28 + b"\n",
    "an empty line between": b"0/1\n" * 14 + b"\n" + b"0/1\n" * 14,
    "an empty line instead": b"0/1\n" * 27 + b"\n",
    "seven dots": b"0/1\n" * 27 + b"0/7",
    "dots below nothing": b"0/1\n" * 27 + b"0/-1",
    "a double of a larger set": b"0/1\n" * 27 + b"10/1",
    "three ends": b"0/1\n" * 27 + b"0/1/2",
    "one end": b"0/1\n" * 27 + b"0/",
    "no slash": b"0/1\n" * 27 + b"01",
    "words": b"0/1\n" * 27 + b"a/b",
    "decimals": b"0/1\n" * 27 + b"0/1.0",
    "two tiles in a line": b"0/1\n" * 27 + b"0/1 0/1",
    "digits of another script": b"0/1\n" * 27 + "\u0660/\u0661".encode(),
    "no text": bytes(range(256)) * 4,
    "zeros without end": b"\0" * 100_000,
    "more than anyone would type": b"0/1\n" * 27 + b"0/1" + b" " * 10_000,
}


@pytest.mark.parametrize("content", INVALID.values(), ids=INVALID)
def test_an_invalid_deck_ends_the_game(content, keyboard, capsys, deck_file):
    name = deck_file(content)
    keyboard("1", name)
    main()
    out = capsys.readouterr().out
    expected = f"{ASK_FILE}{name}\nCannot populate deck: invalid data in {name}\n{GOODBYE}"
    assert out.endswith(expected)


@pytest.mark.parametrize(
    "content",
    [
        b"0/1\n" * 27 + b"6/5",
        b"0/1\r\n" * 27 + b"6/5\r\n",
        b"\xef\xbb\xbf" + b"0/1\n" * 27 + b" 6/5\t\n",
    ],
)
def test_valid_lines_are_read(content, keyboard, deck_file):
    keyboard(deck_file(content))
    deck = DominoDeck()
    deck.populate(True)
    assert str(deck) == 27 * "[0|1] " + "[5|6]"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_an_endless_file_is_refused(keyboard):
    keyboard("/dev/zero")
    with pytest.raises(Exception, match="invalid data in /dev/zero"):
        DominoDeck().populate(True)


# -- The menu, and other ends of the program ----------------------------------------------


def test_the_menu_is_repeated_until_a_valid_answer(keyboard, capsys):
    keyboard("0", "", "one", "12", "²", "\u0661", "-1")
    with pytest.raises(EOFError):
        main()
    lines = "=======================\nWelcome to DOMINOES 175\n=======================\n"
    again = "Invalid selection. You must enter 1 or 2.\n"
    typed = ["0", "", "one", "12", "²", "\u0661", "-1"]
    expected = lines + "".join(f"{MENU}{answer}\n{again}" for answer in typed) + MENU
    assert capsys.readouterr().out == expected


# -- Game mode ----------------------------------------------------------------------------


def test_a_won_game_is_printed(keyboard, capsys):
    tiles = [(0, 1), (1, 2), (2, 2), (2, 6), (3, 6), (3, 4)]
    keyboard("2", "0", "0", "0", "1", *(a for k in range(1, 6) for a in ("0", str(k), "0")))
    main(InOrder(*tiles))
    out = capsys.readouterr().out
    assert "Row (0-3): 0\nColumn (0-6): 0\nThe domino is [0|1].\n" in out
    assert "Stack (0-2): 0\nDots on top (0 or 1): 1\nPlaying [0|1] on stack 0: Success!\n" in out
    assert out.count("\nSelection Grid:\n") == 7
    assert out.count("Success!") == 6
    end = (
        "Playing [3|4] on stack 0: Success!\n"
        "\n"
        "Selection Grid:\n"
        "      0        1        2        3        4        5        6    \n"
        "0    ***      ***      ***      ***      ***      ***     [?|?]  \n"
        "1   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]  \n"
        "2   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]  \n"
        "3   [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]    [?|?]  \n"
        "\n"
        "Domino Stacks:\n"
        "0|| [0|1]-[1|2]-[2|2]-[2|6]-[6|3]-[3|4]-\n"
        "1|| \n"
        "2|| \n"
        "-----------------------------------------------------------------\n"
        "\n"
        "Congratulations - WINNER!\n"
    )
    assert out.endswith(end + GOODBYE)


def test_a_lost_game_is_printed(keyboard, capsys):
    keyboard("2", *["0", "0", "0", "0"], *["0", "1", "1", "2"], *["0", "2", "2"], "0", "3")
    main(InOrder((0, 1), (2, 3), (4, 4), (5, 6)))
    out = capsys.readouterr().out
    assert "0|| [1|0]-\n1|| [3|2]-\n2|| [4|4]-\n" in out
    assert out.count("Dots on top") == 2  # a double needs no choice
    end = "The domino is [5|6].\nIt fits on none of the stacks.\n"
    assert out.endswith(f"{end}\nGAME OVER. Better luck next time.\n{GOODBYE}")


def test_wrong_answers_are_asked_again(keyboard, capsys):
    turn = ["4", "a", "-1", "", "0", "7", "0", "3", "0", "0", "2"]
    keyboard("2", *turn, "0", "0", "0", "1", "0", "1", "3")
    with pytest.raises(EOFError):
        main(InOrder((2, 5), (1, 3)))
    out = capsys.readouterr().out
    for wrong in ("4", "a", "-1", ""):
        again = "Invalid answer. You must enter a number from 0 to 3.\nRow (0-3): "
        assert f"Row (0-3): {wrong}\n{again}" in out
    again = "Invalid answer. You must enter a number from 0 to 6.\nColumn (0-6): "
    assert f"Column (0-6): 7\n{again}" in out
    again = "Invalid answer. You must enter a number from 0 to 2.\nStack (0-2): "
    assert f"Stack (0-2): 3\n{again}" in out
    again = "Invalid answer. You must enter 2 or 5.\nDots on top (2 or 5): "
    assert f"Dots on top (2 or 5): 0\n{again}" in out
    assert "Dots on top (2 or 5): 2\nPlaying [5|2] on stack 0: Success!\n" in out
    assert "Column (0-6): 0\nThere is no domino at row 0, column 0\nRow (0-3): 0\n" in out
    again = "Playing [1|3] on stack 0: Cannot play [1|3] on stack 0\nStack (0-2): 1\n"
    assert f"Stack (0-2): 0\n{again}Dots on top (1 or 3): 3\nPlaying [1|3] on stack 1: S" in out
    assert "0|| [5|2]-\n1|| [1|3]-\n2|| \n" in out


@given(answers=st.lists(st.sampled_from([*"0123456", "x", "7"]), max_size=150), seed=st.integers(0))
def test_any_answers_lead_to_a_valid_end(answers, seed):
    """For any input, the game ends with a win, a loss or the end of input."""
    lines = iter(["2", *answers])
    printed = []

    def typed(prompt):
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "input", typed)
        patch.setattr(builtins, "print", lambda *args, **_: printed.append(str(*args)))
        try:
            main(random.Random(seed))
        except EOFError:
            assert next(lines, None) is None
        else:
            assert printed[-1] + "\n" == GOODBYE
            won = printed.count("Success!") >= 6 and "Congratulations" in printed[-2]
            assert won or printed[-2] == "\nGAME OVER. Better luck next time."


# -- Domino -------------------------------------------------------------------------------


def test_a_domino_has_two_ends():
    for a in range(7):
        for b in range(7):
            tile = Domino(a, b)
            assert (tile.getTop(), tile.getBottom()) == (max(a, b), min(a, b))
            assert tile.isFaceDown() is False
            assert str(tile) == f"[{min(a, b)}|{max(a, b)}]"
    tile = Domino(np.int8(4), 3)
    assert str(tile) == "[3|4]"
    assert type(tile.getTop()) is int


def test_dominoes_can_be_turned():
    tile = Domino(4, 3)
    assert tile.setTop(3) is None
    assert (str(tile), tile.getTop(), tile.getBottom()) == ("[4|3]", 3, 4)
    tile.setTop(3)
    assert str(tile) == "[4|3]"
    tile.setTop(4)
    assert str(tile) == "[3|4]"
    assert tile.turnOver() is None
    assert tile.isFaceDown() is True
    assert str(tile) == "[?|?]"
    assert (tile.getTop(), tile.getBottom()) == (4, 3)
    tile.setTop(3)
    assert str(tile) == "[?|?]"
    tile.turnOver()
    assert tile.isFaceDown() is False
    assert str(tile) == "[4|3]"


@pytest.mark.parametrize("dots", [-1, 7, 1.0, "1", None, True, [1]])
def test_impossible_dots_are_refused(dots):
    for ends in ((dots, 3), (3, dots)):
        with pytest.raises(AssertionError, match="0 to 6 dots"):
            Domino(*ends)
    tile = Domino(0, 1)
    with pytest.raises(AssertionError, match="has no end"):
        tile.setTop(dots)
    with pytest.raises(AssertionError, match=r"\[0\|1\] has no end with 2 dots"):
        tile.setTop(2)
    assert str(tile) == "[0|1]"


# -- DominoDeck ---------------------------------------------------------------------------


def test_a_new_deck_is_empty():
    deck = DominoDeck()
    assert deck.isEmpty() is True
    assert deck.size() == 0
    assert str(deck) == ""
    with pytest.raises(Exception, match=r"^Cannot deal domino from empty deck$"):
        deck.deal()


@pytest.mark.parametrize("rng", [None, np.random.default_rng(0), random.Random(0)])
def test_a_shuffled_deck(rng):
    deck = DominoDeck()
    assert deck.populate(False, rng) is None
    assert (deck.size(), deck.isEmpty()) == (28, False)
    shown = str(deck).split()
    tiles = [deck.deal() for _ in range(28)]
    assert all(tile.isFaceDown() for tile in tiles)
    assert {(tile.getBottom(), tile.getTop()) for tile in tiles} == set(TILES)
    for tile in tiles:
        tile.turnOver()
    assert [str(tile) for tile in tiles] == shown
    assert deck.isEmpty()


def test_the_generator_determines_the_shuffle():
    decks = [DominoDeck() for _ in range(4)]
    for deck, seed in zip(decks, (1, 1, 2, None), strict=True):
        deck.populate(False, rng=None if seed is None else np.random.default_rng(seed))
    assert str(decks[0]) == str(decks[1])
    assert len(set(map(str, decks))) == 3


def test_a_deck_is_a_queue(keyboard, deck_file):
    keyboard(deck_file([(b, a) for a, b in TILES]))
    deck = DominoDeck()
    assert deck.populate(True) is None
    assert str(deck).startswith("[0|0] [0|1] [1|1] [0|2]")
    for number, (low, high) in enumerate(TILES):
        assert deck.size() == 28 - number
        tile = deck.deal()
        assert (tile.getBottom(), tile.getTop()) == (low, high)
        assert str(tile) == "[?|?]"


def test_an_empty_deck_can_be_filled_again(keyboard, deck_file):
    deck = DominoDeck()
    for _ in range(2):
        deck.populate(False)
        for _ in range(28):
            deck.deal()
    keyboard(deck_file(TILES))
    deck.populate(True)
    assert deck.size() == 28


@pytest.mark.parametrize("useFile", [True, False])
@pytest.mark.parametrize("left", [1, 28])
def test_a_deck_with_tiles_left_cannot_be_filled(useFile, left, keyboard, deck_file):  # noqa: N803
    deck = DominoDeck()
    deck.populate(False)
    for _ in range(28 - left):
        deck.deal()
    before, rng = str(deck), random.Random(0)
    state = rng.getstate()
    keyboard(deck_file(TILES))
    with pytest.raises(Exception, match=f"at most 28 dominoes, has {left} and got 28$"):
        deck.populate(useFile, rng)
    assert (str(deck), deck.size()) == (before, left)
    assert rng.getstate() == state


def test_an_invalid_file_empties_the_deck(keyboard, deck_file):
    deck = DominoDeck()
    deck.populate(False)
    keyboard(deck_file(TILES[:27]))
    with pytest.raises(Exception, match=r"^Cannot populate deck: invalid data in .*deck\.txt$"):
        deck.populate(True)
    assert deck.isEmpty()


def test_the_end_of_input_does_not_change_the_deck(keyboard):
    deck = DominoDeck()
    deck.populate(False)
    before = str(deck)
    keyboard("no such file")
    with pytest.raises(EOFError):
        deck.populate(True)
    assert str(deck) == before


@pytest.mark.parametrize("useFile", [None, 0, 1, "True", "deck.txt", [], np.True_])
def test_an_invalid_use_file_is_refused(useFile):  # noqa: N803
    deck = DominoDeck()
    message = r"^Cannot populate deck: invalid argument provided\.$"
    with pytest.raises(AssertionError, match=message):
        deck.populate(useFile)
    assert deck.isEmpty()
    deck.populate(False)
    with pytest.raises(AssertionError, match=message):
        deck.populate(useFile)
    assert deck.size() == 28
    with pytest.raises(AssertionError, match=message):
        Table().dealGrid(useFile)


# -- DominoStack --------------------------------------------------------------------------


def test_a_new_stack_is_empty():
    stack = DominoStack()
    assert stack.isEmpty() is True
    assert stack.size() == 0
    assert str(stack) == ""
    with pytest.raises(Exception, match=r"^Error: cannot peek into an empty stack$"):
        stack.peek()


def test_an_empty_stack_accepts_any_tile_unturned():
    for end in (2, 5):
        stack, tile = DominoStack(), Domino(5, 2)
        tile.setTop(end)
        assert stack.push(tile) is None
        assert stack.peek() == end
        assert str(stack) == f"[{7 - end}|{end}]"


def test_a_tile_is_turned_to_match():
    stack = DominoStack()
    for ends in ((0, 1), (6, 1), (6, 6), (6, 2), (0, 2), (0, 0), (0, 3)):
        stack.push(Domino(*ends))
    assert str(stack) == "[0|1]-[1|6]-[6|6]-[6|2]-[2|0]-[0|0]-[0|3]"
    assert (stack.peek(), stack.size(), stack.isEmpty()) == (3, 7, False)


def test_every_tile_on_every_stack_follows_the_rules():
    for under in range(7):
        for low, high in TILES:
            stack = DominoStack()
            stack.push(Domino(under, under))
            if under in (low, high):
                stack.push(Domino(low, high))
                assert stack.peek() == (high if low == under else low)
            else:
                with pytest.raises(Exception, match=rf"^Cannot play \[{low}\|{high}\] on stack$"):
                    stack.push(Domino(low, high))
                assert stack.size() == 1


def test_a_tile_that_does_not_fit_is_not_turned():
    stack, tile = DominoStack(), Domino(1, 2)
    stack.push(Domino(3, 3))
    tile.setTop(1)
    tile.turnOver()
    with pytest.raises(Exception, match=r"^Cannot play \[2\|1\] on stack$"):
        stack.push(tile)
    assert (tile.getTop(), tile.isFaceDown(), stack.size()) == (1, True, 1)


@pytest.mark.parametrize("domino", [None, (0, 1), "[0|1]", 5, Domino, DominoStack()])
def test_only_dominoes_go_on_a_stack(domino):
    stack = DominoStack()
    with pytest.raises(AssertionError, match=r"^Can only push Dominoes onto the DominoStack$"):
        stack.push(domino)
    assert stack.isEmpty()


# -- Table --------------------------------------------------------------------------------

EMPTY_TABLE = (
    "Selection Grid:\n"
    "      0        1        2        3        4        5        6    \n"
    + "".join(f"{row}   " + "    ".join(["{0}"] * 7) + "  \n" for row in range(4))
    + "\nDomino Stacks:\n0|| \n1|| \n2|| \n"
    + 65 * "-"
)


@pytest.fixture
def table():
    """Return a table whose grid begins with 0-1, 1-2, 2-2, 4-4."""
    table = Table()
    table.dealGrid(False, InOrder((0, 1), (1, 2), (2, 2), (4, 4)))
    return table


def test_a_new_table_has_a_full_grid_and_empty_stacks():
    table = Table()
    assert (table.getNumRows(), table.getNumColumns(), table.getNumStacks()) == (4, 7, 3)
    assert table.isWinner() is False
    assert str(table) == EMPTY_TABLE.format(" *** ")
    with pytest.raises(Exception, match=r"^There is no domino at row 3, column 6$"):
        table.select(3, 6)
    assert table.dealGrid(False) is None
    assert str(table) == EMPTY_TABLE.format("[?|?]")


def test_tables_are_printed_like_games():
    table = Table()
    table.dealGrid(False)
    game = boardenvs.make("dominoes175")
    assert f"{table}\n" == game.to_text(game.new(1, 0)[0])


def test_select_takes_a_tile_from_the_grid(table):
    tile = table.select(0, 1)
    assert isinstance(tile, Domino)
    assert str(tile) == "[1|2]"
    assert "\n0   [?|?]     ***     [?|?] " in str(table)
    with pytest.raises(Exception, match=r"^There is no domino at row 0, column 1$"):
        table.select(0, 1)
    assert str(table).count("***") == 1


@pytest.mark.parametrize(
    ("row", "col"),
    [(-1, 0), (4, 0), (0, -1), (0, 7), ("0", 0), (0, None), (0.0, 0), (True, 0), (0, [0])],
)
def test_select_off_the_grid_is_refused(table, row, col):
    before = str(table)
    with pytest.raises(AssertionError, match="must be from 0 to"):
        table.select(row, col)
    assert str(table) == before


def test_play_domino_places_a_tile_if_it_fits(table, capsys):
    assert table.playDomino(table.select(0, 0), 0) is True
    assert table.playDomino(table.select(0, 3), 0) is False
    assert table.playDomino(table.select(0, 1), 0) is True
    assert table.playDomino(table.select(0, 2), 2) is True
    assert capsys.readouterr().out == (
        "Playing [0|1] on stack 0: Success!\n"
        "Playing [4|4] on stack 0: Cannot play [4|4] on stack 0\n"
        "Playing [1|2] on stack 0: Success!\n"
        "Playing [2|2] on stack 2: Success!\n"
    )
    assert "\n0|| [0|1]-[1|2]-\n1|| \n2|| [2|2]-\n---" in str(table)


@pytest.mark.parametrize(
    ("domino", "stack"),
    [(None, 0), ("***", 0), ((0, 1), 0)]
    + [(Domino(0, 1), number) for number in (-1, 3, "0", None, 1.0, True)],
)
def test_play_domino_takes_a_domino_and_a_stack(table, capsys, domino, stack):
    with pytest.raises(AssertionError, match=r"expected a Domino|stack must be"):
        table.playDomino(domino, stack)
    assert capsys.readouterr().out == ""
    assert "\n0|| \n1|| \n2|| \n" in str(table)


def test_is_winner_is_true_with_six_tiles_on_a_stack(capsys):
    table = Table()
    for number in range(6):
        assert table.isWinner() is False
        table.playDomino(Domino(number, number + 1), 1)
    assert table.isWinner() is True


def test_reveal_grid_prints_all_tiles(table, capsys):
    table.select(0, 1)
    before = str(table)
    assert table.revealGrid() is None
    lines = capsys.readouterr().out.split("\n")
    assert lines[0] == "      0        1        2        3        4        5        6    "
    assert lines[1] == ("0   [0|1]     ***     [2|2]    [4|4]    [0|0]    [1|1]    [0|2]  ")
    assert lines[5:] == [""]
    assert str(table) == before


def test_an_invalid_file_does_not_change_the_grid(table, keyboard, deck_file):
    before = str(table)
    keyboard(deck_file(TILES[1:]))
    with pytest.raises(Exception, match="invalid data"):
        table.dealGrid(True)
    assert str(table) == before


def test_all_names_of_the_document_exist():
    names = {"Domino", "DominoDeck", "DominoStack", "Table", "main"}
    assert names <= set(console.__all__)
