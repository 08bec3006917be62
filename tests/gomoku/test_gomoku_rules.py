"""Gomoku's rules: drawn boards and all lines."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from array_gomoku import longest_and_exact

import boardenvs

DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]
ENDS = {
    None: (False, False, [0, 0]),
    "X": (True, False, [1, -1]),
    "O": (True, False, [-1, 1]),
    "draw": (True, False, [0, 0]),
    "truncated": (False, True, [0, 0]),
}


def played(moves, **params):
    """Return the game and its position, shape (1,), after some legal moves."""
    game = boardenvs.make("gomoku", **params)
    states = game.new(1, 0)
    for move in moves:
        game.play(states, [game.action_from_text(move)], illegal="raise")
    return game, states


def position(drawing, last=None, **params):
    """Return the game of a drawn board and its position, shape (1,)."""
    rows = drawing.split()
    game = boardenvs.make("gomoku", board_size=len(rows), **params)
    data = {"board": rows}
    if last is not None:
        data["last_action"] = game.action_from_text(last)
    return game, np.array([game.from_dict(data)])


def result(game, states):
    """Return X, O, "draw", "truncated" or `None` for one position."""
    end = (game.terminated(states)[0], game.truncated(states)[0], game.returns(states)[0].tolist())
    return next(name for name, expected in ENDS.items() if expected == end)


def alternating(black, white):
    """Return moves of both colours in turn."""
    return [move for pair in itertools.zip_longest(black, white) for move in pair if move]


# -- The document's examples ------------------------------------------------------------

FAR = ["8 A", "8 C", "8 E", "8 G"]
BLACK_WINS = {
    "vertical, column E, rows 0 to 4": ["0 E", "1 E", "2 E", "3 E", "4 E"],
    "horizontal, row 2, columns D to H": ["2 D", "2 E", "2 F", "2 G", "2 H"],
}
WHITE_WINS = ["2 H", "3 G", "4 F", "5 E", "6 D"]


@pytest.mark.parametrize("line", BLACK_WINS.values(), ids=BLACK_WINS)
def test_black_wins(line):
    for order in (line, line[::-1], [line[k] for k in (0, 4, 1, 3, 2)]):
        moves = alternating(order, FAR)
        game, states = played(moves[:-1], board_size=9)
        assert result(game, states) is None
        game, states = played(moves, board_size=9)
        assert result(game, states) == "X"
        assert not game.legal(states).any()
        with pytest.raises(ValueError, match="over"):
            game.play(states, [0])


def test_white_wins_on_a_diagonal():
    game, states = played(alternating([*FAR, "0 A"], WHITE_WINS), board_size=9)
    assert result(game, states) == "O"


# -- Lines ------------------------------------------------------------------------------

SIZES = [(5, 5), (5, 3), (6, 5), (9, 5), (9, 9), (15, 5), (26, 5), (26, 26)]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("size", "length"), SIZES)
def test_every_line_wins_and_lines_do_not_wrap_around(size, length, exact):
    """Lines in all directions win, and lines that cross the board's edge do not.

    The last stone is placed anywhere in a line; its other stones are already there. Beyond the
    edge, a line continues on the next row.
    """
    game = boardenvs.make("gomoku", board_size=size, win_length=length, exact=exact)
    boards, lasts, wins = [], [], []
    for first in range(size * size):
        for down, right in DIRECTIONS:
            row, column = divmod(first, size)
            straight = {(row + k * down, column + k * right) for k in range(length)}
            cells = first + np.arange(length) * (down * size + right)
            if cells[-1] >= size * size:
                continue
            boards.append(cells)
            lasts.append((first + down) % length)
            wins.append({divmod(int(cell), size) for cell in cells} == straight)
    boards, lasts, wins = np.array(boards), np.array(lasts), np.array(wins)
    here = np.arange(len(boards))
    assert wins.sum() == 2 * size * (size - length + 1) + 2 * (size - length + 1) ** 2
    assert not wins.all()

    states = np.repeat(game.start, len(boards))
    for k in range(length):
        states["cells"][here, boards[:, k]] = 1
    judged = states.copy()
    judged["to_move"] = 1
    game.kernels.judge_games(judged, game.constants)
    np.testing.assert_array_equal(judged["returns"][:, 0] == 1, wins)

    last = boards[here, lasts]
    states["cells"][here, last] = 0
    states["ply"] = length - 1
    game.play(states, last)
    full = (states["cells"][:, : size * size] != 0).all(1)
    np.testing.assert_array_equal(states["returns"][:, 0] == 1, wins)
    np.testing.assert_array_equal(states["terminated"], wins | full)


def test_four_in_a_row_do_not_win():
    drawing = "XXXX..... OOOO..... ......... " + "......... " * 6
    game, states = position(drawing)
    assert result(game, states) is None


def test_a_gap_and_a_rival_stone_break_a_line():
    for row in ("XX.XXX...", "XXOXXX...", "XXXX.X..."):
        stones = row.count("X") - row.count("O")
        drawing = [row, "." * 9, "O.O.O.O.O"[: 2 * stones - 3].ljust(9, ".")] + ["." * 9] * 6
        game, states = position(" ".join(drawing))
        assert result(game, states) is None


OVERLINES = {
    "six": ("XX.XXX... OOOO..O.. .........", "0 C", 6),
    "seven": ("XXX.XXX.. OOOO.OO.. .........", "0 D", 7),
    "nine": ("XXXX.XXXX OOOO.OOO. O........", "0 E", 9),
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("drawing", "move", "length"), OVERLINES.values(), ids=OVERLINES)
def test_more_than_five_win_unless_exact(drawing, move, length, exact):
    game, states = position(drawing + " ........." * 6, exact=exact)
    game.play(states, [game.action_from_text(move)], illegal="raise")
    assert game.to_dict(states[0])["board"][0].count("X") == length
    assert result(game, states) == (None if exact else "X")


@pytest.mark.parametrize("exact", [False, True])
def test_a_stone_in_two_lines_wins_by_the_valid_one(exact):
    """With `exact`, a stone that completes six across and five down wins by the five."""
    drawing = """
        XXX.XX...
        ...X.....
        ...X.....
        ...X.....
        ...X.....
        OOOO.OOOO
        .........
        O........
        .........
    """
    game, states = position(drawing, exact=exact)
    assert result(game, states) is None
    game.play(states, [game.action_from_text("0 D")])
    assert result(game, states) == "X"


@pytest.mark.parametrize(
    ("row", "column", "exact", "wins"),
    [
        ("OXXXX....", "F", True, True),  # bounded by an opponent's stone
        ("XXXX.....", "E", True, True),  # bounded by the edge
        ("XXXX..X..", "E", True, True),  # a more distant stone does not count
        ("XXXX.X...", "E", True, False),
        (".....XXXX", "E", True, True),
        ("XXXX.X...", "E", False, True),
    ],
)
def test_edges_and_stones_bound_a_line(row, column, exact, wins):
    balance = row.count("X") - row.count("O")
    white = "O.O.O.O.O"[: 2 * balance - 1].ljust(9, ".")
    drawing = [row, "." * 9, white] + ["." * 9] * 6
    game, states = position(" ".join(drawing), exact=exact)
    game.play(states, [game.action_from_text(f"0 {column}")])
    assert result(game, states) == ("X" if wins else None)


# -- Ends -------------------------------------------------------------------------------

FULL_BUT_ONE = "XXOXX OOXOO XXOXX OOXOO XXO.O"


def test_a_full_board_is_a_draw():
    game, states = position(FULL_BUT_ONE)
    assert result(game, states) is None
    assert game.legal(states).sum() == 1
    game.play(states, [game.action_from_text("4 D")], illegal="raise")
    assert result(game, states) == "draw"
    assert not game.legal(states).any()


def test_a_win_with_the_last_stone_is_not_a_draw():
    game, states = position("XOXOX OXOXO OXOXO OOOXO XXXX.")
    game.play(states, [24], illegal="raise")
    assert result(game, states) == "X"


@pytest.mark.parametrize(("max_plies", "ends"), [(8, "truncated"), (9, "X"), (10, "X")])
def test_a_win_on_the_last_ply_is_not_truncated(max_plies, ends):
    moves = alternating(BLACK_WINS["vertical, column E, rows 0 to 4"], FAR)
    game, states = played(moves[:max_plies], board_size=9, max_plies=max_plies)
    assert result(game, states) == ends


def test_a_full_board_after_max_plies_is_a_draw_and_not_truncated():
    game, states = position(FULL_BUT_ONE, max_plies=25)
    game.play(states, [23])
    assert result(game, states) == "draw"


def test_the_default_max_plies_is_the_number_of_cells():
    for size in (5, 15, 26):
        assert boardenvs.make("gomoku", board_size=size).max_plies == size**2
        given_none = boardenvs.make("gomoku", board_size=size, max_plies=None)
        assert given_none == boardenvs.make("gomoku", board_size=size, max_plies=size**2)


def test_an_occupied_cell_is_illegal():
    game, states = played(["2 C", "2 D"])
    before = states.copy()
    with pytest.raises(ValueError, match="illegal"):
        game.play(states, [game.action_from_text("2 D")], illegal="raise")
    assert np.array_equal(states, before)
    game.play(states, [game.action_from_text("2 D")])
    assert game.returns(states)[0].tolist() == [-1, 1]
    assert states["offender"][0] == 0
    assert game.to_dict(states[0])["board"] == game.to_dict(before[0])["board"]


# -- Observations -------------------------------------------------------------------------


def test_observations_are_own_opposing_and_empty_planes():
    game, states = played(["0 B", "3 E", "8 I"], board_size=9)
    mine, theirs, empty = game.observe(states, 0)[0]
    assert np.argwhere(mine).tolist() == [[0, 1], [8, 8]]
    assert np.argwhere(theirs).tolist() == [[3, 4]]
    assert (empty == 1 - mine - theirs).all()
    swapped = game.observe(states, 1)[0]
    assert np.array_equal(swapped, [theirs, mine, empty])


def test_owners_returns_the_seat_of_each_stone():
    game, states = played(["0 B", "3 E", "8 I"], board_size=9)
    owners = game.owners(states)[0]
    assert owners.dtype == np.int8
    assert (owners[0, 1], owners[3, 4], owners[8, 8]) == (0, 1, 0)
    assert (owners == -1).sum() == 78


# -- Near the last stone --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "cells"),
    [
        ("4 E", {"3 D", "3 E", "3 F", "4 D", "4 F", "5 D", "5 E", "5 F"}),
        ("0 A", {"0 B", "1 A", "1 B"}),
        ("2 A", {"1 A", "1 B", "2 B", "3 A", "3 B"}),
        ("8 I", {"7 H", "7 I", "8 H"}),
        ("8 E", {"7 D", "7 E", "7 F", "8 D", "8 F"}),
    ],
)
def test_near_last_returns_the_empty_cells_next_to_the_last_stone(move, cells):
    game, states = played([move], board_size=9)
    near = np.flatnonzero(game.near_last(states)[0])
    assert {game.action_to_text(int(a)) for a in near} == cells


def test_near_last_returns_all_empty_cells_if_none_is_near():
    game, states = played([], board_size=9)
    assert game.near_last(states).all()
    # All three neighbours of the corner are occupied.
    game, states = played(["0 B", "1 A", "1 B", "5 F", "0 A"], board_size=9)
    assert np.array_equal(game.near_last(states), game.legal(states))
    game, states = played(["0 B", "1 A", "5 F", "7 H", "0 A"], board_size=9)
    assert np.flatnonzero(game.near_last(states)[0]).tolist() == [10]


def test_near_last_agrees_with_a_plain_implementation(random_positions):
    game = boardenvs.make("gomoku", board_size=6)
    states = random_positions(game, 30, 0)
    near, legal = game.near_last(states), game.legal(states)
    assert near.shape == legal.shape
    for mask, free, last in zip(near, legal, states["last_action"], strict=True):
        around = {
            r * 6 + c
            for r, c in itertools.product(range(6), range(6))
            if last >= 0 and max(abs(r - last // 6), abs(c - last % 6)) <= 1
        } & set(np.flatnonzero(free).tolist())
        assert set(np.flatnonzero(mask).tolist()) == (around or set(np.flatnonzero(free).tolist()))


# -- Whole games ------------------------------------------------------------------------


def test_arbitrary_boards_are_evaluated_by_their_stones():
    """Arbitrary boards, as in the console program, are evaluated by their stones."""
    rng = np.random.default_rng(0)
    for size, length, exact in [(5, 4, False), (6, 3, True), (7, 5, False), (7, 4, True)]:
        game = boardenvs.make("gomoku", board_size=size, win_length=length, exact=exact)
        for _ in range(150):
            states = game.start.copy()
            shares = rng.dirichlet([1, 1, 1])
            cells = rng.choice(3, size * size, p=shares)
            states["cells"][0, : size * size] = cells
            states["to_move"] = to_move = int(rng.integers(2))
            states["ply"] = (cells > 0).sum()
            stones = cells.reshape(size, size) == np.array([1, 2])[:, None, None]
            lines = longest_and_exact(stones, length)[exact]
            game.kernels.judge_games(states, game.constants)
            if lines.any():
                winner = "XO"[lines.argmax()] if lines.sum() == 1 else "XO"[1 - to_move]
                assert result(game, states) == winner
            else:
                assert result(game, states) == (None if (cells == 0).any() else "draw")


# -- Random play --------------------------------------------------------------------------


def test_random_play_has_its_known_results():
    """Ends of 4,000 games on 9 x 9 agree with 200,000 games within five standard errors."""
    game = boardenvs.make("gomoku", board_size=9)
    states = game.new(4000, 0)
    words = states["rng"].copy()
    game.kernels.play_out(states, game.constants, words, np.zeros(81, np.bool_))
    assert (states["returns"][:, 0] == 1).mean() == pytest.approx(0.517, abs=0.04)
    assert (states["returns"] == 0).all(1).mean() == pytest.approx(0.003, abs=0.005)
    assert states["ply"].mean() == pytest.approx(53.6, abs=1)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("length", [1, 2])
def test_short_lines_win_too(length, exact):
    game = boardenvs.make("gomoku", board_size=5, win_length=length, exact=exact)
    states = game.new(1, 0)
    for cell in (12, 0, 13)[: 2 * length - 1]:
        assert not game.terminated(states)[0]
        game.play(states, [cell])
    assert game.returns(states).tolist() == [[1, -1]]
    assert game.from_dict(game.to_dict(states[0])) == states[0]
