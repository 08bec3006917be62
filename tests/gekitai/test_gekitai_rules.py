"""Gekitai's rules: drawn boards, all lines and pushes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config

import boardenvs

EVERY_SIZE = [
    (size, pieces, line)
    for size in range(6, 9)
    for pieces in range(6, 13)
    for line in range(3, min(size, pieces) + 1)
]
LINES = [(0, 1), (1, 0), (1, 1), (1, -1)]
SIZE_AND_LINE = [(size, line) for size in range(6, 9) for line in range(3, size + 1)]


def set_up(drawing, to_move="X", **params):
    """Return the game of a drawn board and its position, shape (1,)."""
    rows = drawing.split()
    game = boardenvs.make("gekitai", board_size=len(rows), **params)
    record = game.from_dict({"board": rows, "to_move": "XO".index(to_move)})
    return game, np.array([record])


def place(game, states, address):
    assert game.legal(states)[0, game.action_from_text(address)], f"{address} is taken"
    game.play(states, [game.action_from_text(address)])


def drawn(game, states):
    return game.to_dict(states[0])["board"]


def hands(game, states):
    """Return the number of pieces in hand of X and O, from the text."""
    return tuple(line.count("'") // 2 for line in game.to_text(states[0]).splitlines()[-2:])


def winner(game, states):
    if not game.terminated(states)[0]:
        return None
    return {(1.0, -1.0): "X", (-1.0, 1.0): "O"}[tuple(game.returns(states)[0])]


# -- Pushes ---------------------------------------------------------------------------

PUSHES = {
    "the first example: X": (
        "X..... ..X... .X.... ...... ...... ......",
        ("X", "B2"),
        "...... .X.X.. ...... .X.... ...... ......",
        (5, 8),
    ),
    "the first example: O": (
        "X..... ..X... .X.... ...... ...... ......",
        ("O", "B2"),
        "...... .O.X.. ...... .X.... ...... ......",
        (6, 7),
    ),
    "the second example": (
        "...... .X.... ...... .O.... .O.... ......",
        ("X", "B3"),
        ".X.... ...... .X.... .O.... .O.... ......",
        (6, 6),
    ),
    "all eight directions, both colours": (
        "...... .XOX.. .O.O.. .XOX.. ...... ......",
        ("X", "C3"),
        "X.O.X. ...... O.X.O. ...... X.O.X. ......",
        (3, 4),
    ),
    "next to a corner: off the board sideways, up and along the edge": (
        "...... ...... ...... ...... OXO... X.X...",
        ("X", "B6"),
        "...... ...... ...... .X.O.. ...... .X.X..",
        (5, 7),
    ),
    "top left corner": (
        "...... .O.... ...... ...... ...... ......",
        ("X", "A1"),
        "X..... ...... ..O... ...... ...... ......",
        (7, 7),
    ),
    "top right corner": (
        "....O. ....XO ...... ...... ...... ......",
        ("X", "F1"),
        "...O.X ...... ...X.O ...... ...... ......",
        (6, 6),
    ),
    "bottom left corner": (
        "...... ...... ...... ...... XX.... .O....",
        ("O", "A6"),
        "...... ...... ...... X.X... ...... O.O...",
        (6, 6),
    ),
    "bottom right corner": (
        "...... ...... ...... ...... ....OX ....X.",
        ("O", "F6"),
        "...... ...... ...... ...O.X ...... ...X.O",
        (6, 6),
    ),
    "off at the top": (
        "XOX... ...... ...... ...... ...... ......",
        ("O", "B2"),
        "...... .O.... ...... ...... ...... ......",
        (8, 7),
    ),
    "off at the bottom": (
        "...... ...... ...... ...... ...... ...XOX",
        ("X", "E5"),
        "...... ...... ...... ...... ....X. ......",
        (7, 8),
    ),
    "off at the left": (
        "...... ...... O..... X..... O..... ......",
        ("X", "B4"),
        "...... ...... ...... .X.... ...... ......",
        (7, 8),
    ),
    "off at the right": (
        "...... ...... .....O .....X .....O ......",
        ("O", "E4"),
        "...... ...... ...... ....O. ...... ......",
        (8, 7),
    ),
    "off at the top left corner, the others blocked or pushed": (
        "O..... ..XO.. .X.... .X.... ...... ......",
        ("X", "B2"),
        "...... .XXO.. .X.... .X.... ...... ......",
        (4, 7),
    ),
    "a pushed piece pushes nothing": (
        "...... ...O.. .O.X.. ...... ...... ......",
        ("X", "A3"),
        "...... ...O.. X.OX.. ...... ...... ......",
        (6, 6),
    ),
    "a piece pushed to the edge pushes nothing off it": (
        "O.O... ...... .X.... ...... ...... ......",
        ("O", "B4"),
        "O.O... .X.... ...... .O.... ...... ......",
        (7, 5),
    ),
    "blocked by the colour of either player": (
        "...... ...... XO.XX. ...... ..O... ......",
        ("O", "C3"),
        "...... ...... XOOXX. ...... ..O... ......",
        (5, 5),
    ),
    "a distant piece stays": (
        "X..X.. ...... ...... X..... ...... O....O",
        ("O", "D4"),
        "X..X.. ...... ...... X..O.. ...... O....O",
        (5, 5),
    ),
}


@pytest.mark.parametrize(("before", "move", "after", "in_hand"), PUSHES.values(), ids=PUSHES)
def test_a_placed_piece_pushes(before, move, after, in_hand):
    mover, address = move
    game, states = set_up(before, mover, line_length=4)
    place(game, states, address)
    assert drawn(game, states) == after.split()
    assert hands(game, states) == in_hand
    assert winner(game, states) is None
    assert game.to_move(states)[0] == "OX".index(mover)


def test_the_third_example_of_the_document_is_followed():
    game = boardenvs.make("gekitai")
    states = game.new(1, 0)
    for address in ("a1", "a6"):
        place(game, states, address)
    with pytest.raises(ValueError, match="illegal"):
        game.play(states, [game.action_from_text("a6")], illegal="raise")
    place(game, states, "c3")
    place(game, states, "d4")
    assert drawn(game, states) == ["X.....", ".X....", "......", "...O..", "......", "O....."]
    place(game, states, "c3")
    assert drawn(game, states) == ["X.....", ".X....", "..X...", "......", "....O.", "O....."]
    assert winner(game, states) == "X"


@pytest.mark.parametrize("size", [6, 7, 8])
def test_a_placed_piece_pushes_each_neighbour_outward(size):
    """A neighbour moves outward, leaves the board, or stays if blocked; other pieces stay."""
    game = boardenvs.make("gekitai", board_size=size, line_length=4)
    cells = list(itertools.product(range(size), range(size)))
    before, after, actions = [], [], []
    for placed, other in itertools.permutations(cells, 2):
        down, right = other[0] - placed[0], other[1] - placed[1]
        beyond = other[0] + down, other[1] + right
        if max(abs(down), abs(right)) > 1:  # not neighbours, although they may be close in memory
            ends = [{other: "O"}]
        elif beyond not in cells:
            ends = [{}]
        else:
            ends = [{beyond: "O"}, {other: "O", beyond: "X"}]
        for end in ends:
            before.append({other: "O", **{c: "X" for c, piece in end.items() if piece == "X"}})
            after.append({placed: "X", **end})
            actions.append(placed[0] * size + placed[1])
    records = [game.from_dict({"board": rows_of(size, board)}) for board in before]
    states = np.array(records, game.state_dtype)
    game.play(states, actions, illegal="raise")
    assert len(states) > size**2 * (size**2 - 1)
    for state, board in zip(states, after, strict=True):
        assert game.to_dict(state)["board"] == rows_of(size, board)


def rows_of(size, pieces):
    """Return the rows of a board given as a mapping from cells to colours."""
    return ["".join(pieces.get((r, c), ".") for c in range(size)) for r in range(size)]


# -- Ends -----------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "line"), SIZE_AND_LINE)
def test_every_line_wins_and_lines_do_not_wrap_around(size, line):
    """Lines in all directions win, and lines that cross the board's edge do not.

    Beyond the edge, a line continues on the next row, as in memory.
    """
    game = boardenvs.make("gekitai", board_size=size, pieces=12, line_length=line)
    wins = misses = 0
    for row, column in itertools.product(range(size), range(size)):
        for down, right in LINES:
            straight = {(row + k * down, column + k * right) for k in range(line)}
            first, step = row * size + column, down * size + right
            cells = {divmod(first + k * step, size) for k in range(line)}
            if max(cells)[0] >= size:
                continue
            won = cells == straight
            wins += won
            misses += not won
            for symbol, to_move in itertools.product("XO", (0, 1)):
                rows = rows_of(size, dict.fromkeys(cells, symbol))
                states = np.array([game.from_dict({"board": rows, "to_move": to_move})])
                assert winner(game, states) == (symbol if won else None)
    assert wins == 2 * size * (size - line + 1) + 2 * (size - line + 1) ** 2
    assert misses > 0


@pytest.mark.parametrize(("size", "line"), SIZE_AND_LINE)
def test_a_line_with_a_gap_does_not_win(size, line):
    game = boardenvs.make("gekitai", board_size=size, pieces=12, line_length=line)
    for down, right in LINES:
        first = size - 1 if right < 0 else 0
        cells = [(k * down, first + k * right) for k in range(size)]
        for gap in range(1, size - 1):
            rest = dict.fromkeys(cells[:gap] + cells[gap + 1 :], "X")
            states = np.array([game.from_dict({"board": rows_of(size, rest)})])
            longest = max(gap, size - gap - 1)
            assert winner(game, states) == ("X" if longest >= line else None)


LINE_MOVES = {
    "a row, its neighbour blocked": (
        "...... ...... ..XX.. ...... ...... ......",
        ("X", "E3"),
        "...... ...... ..XXX. ...... ...... ......",
    ),
    "a column": (
        "...... ...... ..O... ..O... ...... ......",
        ("O", "C5"),
        "...... ...... ..O... ..O... ..O... ......",
    ),
    "a diagonal": (
        "...... .X.... ..X... ...... ...... ......",
        ("X", "A1"),
        "X..... .X.... ..X... ...... ...... ......",
    ),
    "the other diagonal": (
        "...... ...... ...X.. ..X... ...... ......",
        ("X", "E2"),
        "...... ....X. ...X.. ..X... ...... ......",
    ),
    "a line longer than asked": (
        "...... .XX.XX ...... ...... ...... ......",
        ("X", "D2"),
        "...... .XXXXX ...... ...... ...... ......",
    ),
    "a piece pushed into line": (
        "X..... X..... .X.... ...... ...... ......",
        ("X", "C3"),
        "X..... X..... X.X... ...... ...... ......",
    ),
}


@pytest.mark.parametrize(("before", "move", "after"), LINE_MOVES.values(), ids=LINE_MOVES)
def test_a_move_that_completes_a_line_wins(before, move, after):
    mover, address = move
    game, states = set_up(before, mover)
    place(game, states, address)
    assert drawn(game, states) == after.split()
    assert winner(game, states) == mover
    assert not game.truncated(states)[0]
    assert not game.legal(states).any()


def test_a_piece_placed_between_two_pushes_them_apart():
    game, states = set_up("...... ...... .X.X.. ...... ...... ......")
    place(game, states, "C3")
    assert drawn(game, states)[2] == "X.X.X."
    assert winner(game, states) is None


BOTH = {
    # The piece on C2 is pushed up to C1 and completes a row. C3, D4 and E5 block each other.
    "both line up: the mover wins": (
        "OO.... ..O... ...... ...X.. ....X. ......",
        "..O...",
        "X",
    ),
    "the opponent alone lines up and wins": (
        "OO.... ..O... ...... ...... ....X. ......",
        "..O...",
        "O",
    ),
    "the mover's last piece goes down while the opponent lines up: the mover wins": (
        "OO...X ..O... .....X ...... ....X. X.X...",
        "..O...",
        "X",
    ),
    "the mover's last but one piece, while the opponent lines up: the opponent wins": (
        "OO...X ..O... .....X ...... ....X. X.....",
        "..O...",
        "O",
    ),
}


@pytest.mark.parametrize("swapped", [False, True], ids=["X moves", "O moves"])
@pytest.mark.parametrize(("before", "second_row", "wins"), BOTH.values(), ids=BOTH)
def test_the_mover_wins_if_both_players_meet_a_condition(before, second_row, wins, swapped):
    """A piece on C3 meets conditions of both players; the same with colours exchanged."""
    swap = str.maketrans("XO", "OX") if swapped else {}
    game, states = set_up(before.translate(swap), "X".translate(swap), pieces=6)
    assert drawn(game, states)[1] == second_row.translate(swap)
    place(game, states, "C3")
    assert drawn(game, states)[0].startswith("OOO".translate(swap))
    assert winner(game, states) == wins.translate(swap)


@pytest.mark.parametrize("to_move", "XO")
@pytest.mark.parametrize(("size", "pieces"), [*itertools.product(range(6, 9), range(6, 13))])
def test_the_last_piece_on_the_board_wins(size, pieces, to_move):
    line = min(size, pieces, 6)
    # A block with four columns has no line of six. The last piece is far away from it.
    cells = [(row, column) for row in range(3) for column in range(4)][: pieces - 1]
    drawing = "\n".join(rows_of(size, dict.fromkeys(cells, to_move)))
    corner = "ABCDEFGH"[size - 1] + str(size)
    game, states = set_up(drawing, to_move, pieces=pieces, line_length=line)
    place(game, states, corner)
    assert winner(game, states) == to_move

    if pieces < 12:
        game, states = set_up(drawing, to_move, pieces=pieces + 1, line_length=line)
        place(game, states, corner)
        assert winner(game, states) is None


def test_a_piece_pushed_off_keeps_the_last_one_from_winning():
    game, states = set_up("X..... ...... ...XX. ...... X..X.. ......", pieces=6)
    place(game, states, "B2")
    assert drawn(game, states) == ["......", ".X....", "...XX.", "......", "X..X..", "......"]
    assert hands(game, states) == (1, 6)
    assert winner(game, states) is None


@pytest.mark.parametrize(("max_plies", "ends"), [(4, "truncated"), (5, "won"), (6, "won")])
def test_a_win_on_the_last_ply_is_not_truncated(max_plies, ends):
    game = boardenvs.make("gekitai", max_plies=max_plies)
    states = game.new(1, 0)
    for address in ["a1", "a6", "c3", "d4", "c3"][: min(max_plies, 5)]:
        assert not game.terminated(states)[0]
        assert not game.truncated(states)[0]
        place(game, states, address)
    assert game.truncated(states)[0] == (ends == "truncated")
    assert game.terminated(states)[0] == (ends == "won")
    assert game.returns(states)[0].tolist() == ([0, 0] if ends == "truncated" else [1, -1])
    assert not game.legal(states).any()
    with pytest.raises(ValueError, match="over"):
        game.play(states, [20])


def test_the_default_max_plies_is_200():
    game = boardenvs.make("gekitai")
    states = np.array([game.from_dict({"board": ["......"] * 5 + ["O....."], "ply": 198})])
    place(game, states, "A1")
    assert not game.truncated(states)[0]
    place(game, states, "F1")
    assert game.truncated(states)[0]


# -- Observation ----------------------------------------------------------------------


def test_observations_contain_own_opposing_and_empty_cells():
    game, states = set_up("X....O ...... ..X... ...... ...... O.....", line_length=4)
    mine = [(0, 0), (2, 2)]
    theirs = [(0, 5), (5, 0)]
    for seat, planes in enumerate([(mine, theirs), (theirs, mine)]):
        seen = game.observe(states, seat)[0]
        for plane, cells in zip(seen, planes, strict=False):
            assert list(zip(*np.nonzero(plane), strict=True)) == cells
        assert np.array_equal(seen.sum(0), np.ones((6, 6)))
        assert seen.dtype == np.int8


# -- Any play --------------------------------------------------------------------------


@given(
    params=st.sampled_from(EVERY_SIZE),
    choices=st.lists(st.integers(0, 63), min_size=1, max_size=80),
)
def test_pieces_are_conserved(params, choices):
    size, pieces, line = params
    game = boardenvs.make("gekitai", board_size=size, pieces=pieces, line_length=line)
    states = game.new(1, 0)
    for choice in choices:
        empty = [
            row * size + column
            for row, cells in enumerate(drawn(game, states))
            for column, cell in enumerate(cells)
            if cell == "."
        ]
        assert np.flatnonzero(game.legal(states)[0]).tolist() == empty
        mover = int(game.to_move(states)[0])
        action = empty[choice % len(empty)]
        game.play(states, [action])
        board = "".join(drawn(game, states))
        assert board[action] == "XO"[mover]
        in_hand = hands(game, states)
        for seat, symbol in enumerate("XO"):
            assert board.count(symbol) + in_hand[seat] == pieces
        assert game.returns(states).sum() == 0
        if game.terminated(states)[0]:
            return
        assert not game.returns(states).any()
        assert min(in_hand) > 0


# -- Random play ----------------------------------------------------------------------


def test_random_play_has_its_known_length_and_win_rate():
    """Random games last about 18.3 plies, and the first player wins a little over 53%."""
    game = boardenvs.make("gekitai")
    num = 2_000 if config.DISABLE_JIT else 50_000
    states = game.new(num, 0)
    words = np.random.default_rng(0).integers(0, 2**64, num, np.uint64)
    game.kernels.play_out(states, game.constants, words, np.zeros(game.num_actions, np.bool_))
    assert (states["terminated"] | states["truncated"]).all()
    # Four standard errors; the standard deviation of plies is 5.2, of wins at most 0.5.
    assert states["ply"].mean() == pytest.approx(18.27, abs=4 * 5.2 / num**0.5)
    won = states["returns"][states["terminated"]] == 1
    assert won[:, 0].mean() == pytest.approx(0.534, abs=4 * 0.5 / num**0.5)
    assert (won.sum(1) == 1).all()
