"""The default text and picture of a position: the game's own fields by name.

Boards are grids. A board is a field of two dimensions, or a field with the cells of
`Game.board_shape`. The text of another field is one line of its values.
"""

from __future__ import annotations

import math
import re
import textwrap
from string import ascii_uppercase
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import counted, is_whole, shown, text_value, whole_number
from boardenvs.core.records import own_names
from boardenvs.show.grid import cell_span, cell_width, grid_text
from boardenvs.show.spans import Span
from boardenvs.show.svg import (
    CELL,
    INK,
    MARGIN,
    Picture,
    centre,
    element,
    grid,
    label,
    piece,
    svg,
    text_picture,
    turn_mark,
    winner_mark,
)

__all__ = [
    "check_board",
    "fields_from_text",
    "fields_picture",
    "fields_to_text",
    "piece_spans",
    "seat_piece",
]

_LOOKS = ("cyan", "red", "yellow", "green", "magenta")
"""Look of each seat's pieces in a terminal."""
_CAPTION = 24  # height of a board's name, if there are several boards
_ROW = 28  # height of a seat's row below the boards
_FONT = 14
_GLYPH = 0.62 * _FONT  # width of a letter


def check_board(game: Any) -> None:
    """Raise `ValueError` if a game's `board_shape` or `cell_symbols` is not valid."""
    shape, symbols = game.board_shape, game.cell_symbols
    if shape is not None:
        sizes = {math.prod(game.state_dtype[name].shape) for name in _names(game)}
        pair = isinstance(shape, tuple) and len(shape) == 2 and all(map(is_whole, shape))
        if not pair or math.prod(shape) not in sizes or not 1 <= shape[1] <= 26:
            raise ValueError(
                f"board_shape must be a tuple of the rows and columns of a field, with at most "
                f"26 columns, got {shown(shape)}"
            )
    listed = isinstance(symbols, str | list | tuple)
    texts = [one.strip() for one in symbols if isinstance(one, str)] if listed else []
    readable = all(one.isprintable() and "|" not in one for one in texts)
    numbers = any(_is_number(one) and one != str(k) for k, one in enumerate(texts))
    if not (listed and readable) or numbers or len(set(texts)) < len(symbols):
        raise ValueError(
            f"cell_symbols must be different printable texts, other than numbers and |, got "
            f"{shown(symbols)}"
        )


def _names(game: Any) -> tuple[str, ...]:
    """Return the names of the game's own fields."""
    return tuple(own_names(game.state_dtype.names))


def _boards(game: Any) -> dict[str, tuple[int, int]]:
    """Return rows and columns of each board, by the name of its field."""
    found = {}
    for name in _names(game):
        kind = game.state_dtype[name]
        shape = kind.shape
        if game.board_shape is not None and shape == (math.prod(game.board_shape),):
            shape = game.board_shape
        if len(shape) == 2 and shape[0] > 0 and 0 < shape[1] <= 26 and kind.base.kind in "iu":
            found[name] = (int(shape[0]), int(shape[1]))
    return found


def _cells(game: Any, record: np.void, name: str, shape: tuple[int, int]) -> npt.NDArray[Any]:
    """Return the values of a board."""
    return np.asarray(record[name]).reshape(shape)


# -- Text -----------------------------------------------------------------------------


def _cell_text(game: Any, value: Any) -> str:
    """Return the symbol of a value. A value without one is a number, or blank for 0."""
    value = int(value)
    if 0 <= value < len(game.cell_symbols):
        return str(game.cell_symbols[value])
    return str(value or "")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,20}", text) is not None


def _rows(game: Any, cells: npt.NDArray[Any]) -> list[list[str]]:
    return [[_cell_text(game, value) for value in row] for row in cells]


def fields_to_text(game: Any, record: np.void) -> str:
    """Return a position as text: the game's own fields, `to_move`, `ply`, and the outcome."""
    boards = _boards(game)
    names = [*_names(game), "to_move", "ply"]
    if record["terminated"] or record["truncated"]:
        names += ["terminated", "returns"]
    parts = []
    for name in names:
        if name in boards:
            rows = _rows(game, _cells(game, record, name, boards[name]))
            parts.append(f"{name}:\n{grid_text(rows)}")
        else:
            parts.append(f"{_line(record, name)}\n")
    return "".join(parts)


def _line(record: np.void, name: str) -> str:
    values = np.asarray(record[name]).reshape(-1).tolist()
    return f"{name}: {' '.join(map(str, values))}"


def fields_from_text(game: Any, text: str) -> dict[str, Any]:
    """Parse a position's text and return its dictionary.

    Args:
        game: the game.
        text: text of `fields_to_text`.

    Raises:
        ValueError: a line is missing, or is not the name of a field with its values.
    """
    data: dict[str, Any] = {}
    boards = _boards(game)
    names = [*_names(game), "to_move", "ply", "terminated", "returns"]
    lines = text_value("text", text).rstrip("\n").split("\n")
    while lines:
        line = lines.pop(0)
        name, colon, values = line.partition(":")
        if not colon or name not in names or name in data:
            raise ValueError(
                f"text must have one line such as '{names[0]}: 1' for each field, got {shown(line)}"
            )
        kind = game.state_dtype[name]
        if name in boards:
            height, width = boards[name]
            drawn = [lines.pop(0) for _ in range(2 * height + 2) if lines]
            rows = [[word.strip() for word in row.split("|")[1:-1]] for row in drawn[2::2]]
            if len(rows) != height or any(len(row) != width for row in rows):
                raise ValueError(f"{name} must be a grid of {height} rows and {width} columns")
            words = [_value_text(game, name, word) for row in rows for word in row]
        else:
            if values and not values.startswith(" "):
                raise ValueError(f"{name} must have a blank after its colon, got {shown(line)}")
            words = values.split(" ")[1:]
            while words and not words[-1]:
                words.pop()
        if len(words) != math.prod(kind.shape):
            expected = counted(math.prod(kind.shape), "value")
            raise ValueError(f"{name} must have {expected}, got {shown(line)}")
        numbers = np.empty(len(words), object)
        numbers[:] = [_number(name, word, kind.base) for word in words]
        data[name] = numbers.reshape(kind.shape).tolist()
    for name in names[:-2]:
        if name not in data:
            raise ValueError(f"text must have a line for {name}")
    return data


def _value_text(game: Any, name: str, word: str) -> str:
    """Return the value of a cell's text, as text."""
    symbols = [symbol.strip() for symbol in game.cell_symbols] or [""]
    if word in symbols:
        return str(symbols.index(word))
    if not _is_number(word):
        raise ValueError(f"cells of {name} must be numbers or one of {symbols}, got {shown(word)}")
    return word


def _number(name: str, word: str, kind: np.dtype[Any]) -> Any:
    """Parse a number of a field's dtype."""
    if kind.kind == "b" and word in ("True", "False"):
        return word == "True"
    if kind.kind in "iu" and _is_number(word):
        return int(word)
    if kind.kind == "f" and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", word):
        return float(word)
    raise ValueError(f"{name} must have values of dtype {kind}, got {shown(word)}")


# -- Pieces ---------------------------------------------------------------------------


def _owner(game: Any, value: Any) -> int:
    """Return the seat whose piece a value is, or -1."""
    has_pieces = len(game.cell_symbols) == game.num_players + 1
    return int(value) - 1 if has_pieces and 0 < value <= game.num_players else -1


def seat_piece(game: Any, seat: int, x: float, y: float, radius: float) -> list[str]:
    """Return a seat's piece as SVG elements, empty if no symbol of a cell is that of a seat.

    Raises:
        ValueError: `seat` is out of range.
    """
    whole_number("seat", seat, 0, game.num_players - 1)
    if _owner(game, seat + 1) < 0:
        return []
    colors = game.presentation.seat_colors
    return piece(x, y, colors[seat % len(colors)], game.cell_symbols[seat + 1], radius)


def piece_spans(game: Any, state: np.void) -> list[Span]:
    """Return the spans of the seats' pieces in `fields_to_text`, if that is the game's text."""
    record = game.arrays.one(state)
    boards = _boards(game)
    if not boards or game.to_text(record) != fields_to_text(game, record):
        return []
    spans = []
    line = 0
    for name in _names(game):
        line += 1
        if name not in boards:
            continue
        cells = _cells(game, record, name, boards[name])
        size = cell_width(_rows(game, cells))
        for (row, column), value in np.ndenumerate(cells):
            if (seat := _owner(game, value)) >= 0:
                look = _LOOKS[seat % len(_LOOKS)]
                span = cell_span(row, column, len(cells), look, size)
                spans.append(span._replace(line=span.line + line))
        line += 2 * len(cells) + 2
    return spans


# -- Picture --------------------------------------------------------------------------


def fields_picture(game: Any, record: np.void) -> Picture:
    """Return the boards, the seats and the other fields, or the text of a game without boards."""
    title = f"{game.name}: a position"
    boards = _boards(game)
    if not boards:
        return text_picture(game.to_text(record), title)
    shapes: list[str] = []
    top = 0.0
    for name, shape in boards.items():
        drawn = _board_shapes(game, _cells(game, record, name, shape))
        if len(boards) > 1:
            shapes.append(label(MARGIN, top + _CAPTION - 8, name, text_anchor="start"))
            drawn = [f'<g transform="translate(0 {top + _CAPTION:g})">', *drawn, "</g>"]
            top += _CAPTION
        shapes += drawn
        top += MARGIN + shape[0] * CELL + 10
    width = max(200.0, 2 * MARGIN + CELL * max(columns for _, columns in boards.values()))
    over = record["terminated"] or record["truncated"]
    best = record["returns"].max()
    for seat, name in enumerate(game.seat_names if game.num_players > 1 else ()):
        y = top + _ROW / 2
        if not over and seat == record["to_move"]:
            shapes.append(turn_mark(MARGIN - 12, y))
        elif best > 0 and record["returns"][seat] == best:
            shapes.append(winner_mark(MARGIN - 12, y))
        drawn = seat_piece(game, seat, MARGIN + 12, y, 10)
        x = MARGIN + (30 if drawn else 4)
        shapes += [*drawn, label(x, y, name, _FONT, text_anchor="start")]
        width = max(width, x + len(name) * _GLYPH + _FONT)
        top += _ROW
    for name in _names(game):
        if name not in boards:
            for line in textwrap.wrap(_line(record, name), int((width - 2 * _FONT) / _GLYPH)):
                top += 1.35 * _FONT
                shapes.append(
                    element("text", line, x=_FONT, y=top, font_family="monospace", font_size=_FONT)
                )
    return svg(width, top + 10, title, shapes)


def _board_shapes(game: Any, cells: npt.NDArray[Any]) -> list[str]:
    """Return a board as SVG elements."""
    height, width = cells.shape
    shapes = grid(ascii_uppercase[:width], [str(row + 1) for row in range(height)])
    for (row, column), value in np.ndenumerate(cells):
        x, y = centre(row, column)
        text = _cell_text(game, value).strip()
        if (seat := _owner(game, value)) >= 0:
            shapes += seat_piece(game, seat, x, y, 18)
        elif text:
            shapes.append(label(x, y, text, min(22, CELL / (0.7 * len(text))), fill=INK))
    return shapes
