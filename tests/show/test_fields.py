"""The default text and picture of a user's game: boards are grids, other fields are lines."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from pictures import SVG, tree

import boardenvs
from boardenvs.core.outcome import end_ply, end_with_winner

PAGE = Path(boardenvs.__file__).with_name("OWN_GAME.md")


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    if action == 0:
        end_with_winner(s, s.to_move)
    s.to_move = 1 - s.to_move
    end_ply(s, p, action)


class Boards(boardenvs.Game):
    """A game whose positions are set up by hand."""

    name = "boards"

    def __init__(self, *fields, **arguments):
        super().__init__(
            params={"max_plies": 9},
            num_players=2,
            num_actions=3,
            fields=list(fields),
            **arguments,
        )


class Stones(Boards):
    name = "stones"
    seat_names = ("Ada", "Bob")
    cell_symbols = " XO"


class Lettered(Boards):
    cell_symbols = (".", "a1", "a2", "b1")


CELLS = ("cells", np.int8, (2, 3))


def with_cells(game, *values, **fields):
    states = game.start.copy()
    states["cells"] = np.reshape(values, states["cells"].shape)
    for name, value in fields.items():
        states[name] = value
    return states[0]


def drawn(game, state):
    """Return the texts of the default picture, and the number of pieces on its boards."""
    root = tree(game.picture(state))
    circles = [one.get("r") for one in root.iter(SVG + "circle")]
    return [one.text for one in root.iter(SVG + "text")], circles.count("18")


@pytest.mark.parametrize(
    ("game", "values", "rows"),
    [
        (Boards(CELLS), (1, 0, 2, 0, 0, -12), ["1 |   1 |     |   2 |", "2 |     |     | -12 |"]),
        (Stones(CELLS), (1, 0, 2, 0, 7, 0), ["1 | X |   | O |", "2 |   | 7 |   |"]),
        (Lettered(CELLS), (0, 1, 2, 3, 0, 0), ["1 |  . | a1 | a2 |", "2 | b1 |  . |  . |"]),
        (
            Stones(("cells", np.uint8, (4,)), board_shape=(2, 2)),
            (0, 1, 2, 0),
            ["1 |   | X |", "2 | O |   |"],
        ),
        (Boards(("cells", np.int8, (4,))), (0, 1, 2, 0), []),
        (Boards(("cells", np.int8, (1, 27))), (0,) * 27, []),
        (Boards(("cells", np.float64, (1, 2))), (0, 0.5), []),
    ],
)
def test_the_text_of_a_declared_board_is_a_grid_that_can_be_read(game, values, rows):
    state = with_cells(game, *values, to_move=1, ply=1)
    text = game.to_text(state)
    assert [line for line in text.splitlines() if "|" in line] == rows
    assert text.startswith("cells:\n" if rows else "cells: ")
    assert game.from_text(text) == state
    assert game.from_text(text.removesuffix("\n")) == state


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("X", "Z", "^cells of cells .*'Z'"),
        (" X |", "", "^cells must be a grid of 2 rows and 3 columns"),
        ("B", "D", "^line 2 must be"),
        ("+\nto_move", "\nto_move", "^line 7 must be"),
    ],
)
def test_a_wrong_grid_is_refused_in_one_line(old, new, said):
    game = Stones(CELLS)
    text = game.to_text(with_cells(game, 1, 0, 2, 0, 0, 0))
    with pytest.raises(ValueError, match=said) as caught:
        game.from_text(text.replace(old, new))
    assert "\n" not in str(caught.value)


def test_the_picture_contains_pieces_seats_and_other_fields():
    game = Stones(CELLS, ("die", np.int8))
    state = with_cells(game, 1, 0, 2, 0, 7, 0, die=5, to_move=1)
    texts, pieces = drawn(game, state)
    assert texts == ["A", "B", "C", "1", "2", "7", "Ada", "Bob", "die: 5"]
    assert pieces == 2
    assert "<circle" in game.presentation.seat_symbol(1)
    with pytest.raises(ValueError, match=r"^seat .* 2$"):
        game.presentation.seat_symbol(2)


def test_the_picture_contains_numbers_without_symbols():
    game = Boards(CELLS)
    texts, pieces = drawn(game, with_cells(game, 1, 0, 2, 0, 0, -12))
    assert texts[5:] == ["1", "2", "-12", "Player 1", "Player 2"]
    assert pieces == 0
    assert game.presentation.seat_symbol(1) == ""


def test_the_picture_names_several_boards():
    game = Stones(CELLS, ("marks", np.int8, (6,)), board_shape=(3, 2))
    texts, _ = drawn(game, game.start[0])
    assert [text for text in texts if len(text) > 3] == ["cells", "marks"]


def test_a_games_own_text_is_its_picture_without_a_declared_board():
    class Written(Stones):
        def to_text(self, state):
            return "written\n"

    game = Written(CELLS)
    assert drawn(game, game.start[0])[0] == ["written"]
    game = Written(("cells", np.int8, (6,)), board_shape=(2, 3))
    assert drawn(game, game.start[0])[0][:3] == ["A", "B", "C"]


def test_pieces_have_colours_in_a_terminal():
    game = Stones(("turns", np.int8), CELLS)
    state = with_cells(game, 1, 0, 2, 0, 12, 0)
    lines = game.to_text(state).splitlines()
    spans = game.presentation.spans(state)
    assert [lines[one.line][one.start : one.end] for one in spans] == [" X", " O"]
    assert len({one.look for one in spans}) == 2
    assert Boards(CELLS).presentation.spans(Boards(CELLS).start[0]) == []


@pytest.mark.parametrize(
    "shape", [(2, 2), (1, 27), (-2, -3), (2.0, 3.0), (None, 3), [2, 3], 6, (6,)]
)
def test_a_board_has_the_cells_of_a_field(shape):
    with pytest.raises(ValueError, match=r"^board_shape "):
        Boards(("cells", np.int8, (6,)), ("more", np.int8, (27,)), board_shape=shape)
    declared = type("Declared", (Boards,), {"board_shape": shape})
    with pytest.raises(ValueError, match=r"^board_shape "):
        declared(("cells", np.int8, (6,)), ("more", np.int8, (27,)))


@pytest.mark.parametrize("symbols", [".XX", ("a", "a "), ".|", "\a", "10", None, (0, 1), {0: "X"}])
def test_ambiguous_symbols_are_refused(symbols):
    wrong = type("Wrong", (Boards,), {"cell_symbols": symbols})
    with pytest.raises(ValueError, match=r"^cell_symbols "):
        wrong(CELLS)


def test_the_guide_shows_the_actual_text():
    game = Stones(("cells", np.int8, (3, 3)))
    state = with_cells(game, 1, 0, 0, 0, 1, 0, 2, 0, 0, to_move=1, ply=3)
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown == game.to_text(state)
