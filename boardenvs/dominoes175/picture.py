"""Pictures of Dominoes 175: the grid face down, the tile in hand and the stacks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from boardenvs.dominoes175.rules import GOAL, STACKS
from boardenvs.dominoes175.text import COLUMNS, ROWS
from boardenvs.show.svg import (
    BLACK,
    INK,
    MARGIN,
    RED,
    WIN,
    Area,
    element,
    label,
    last_frame,
    moving,
    svg,
)

__all__ = ["place_area", "table_picture"]

_END = 26  # side of one end of a tile
_TILE = 2 * _END
_FACE = "#fffdf6"
_BACK = "#51697c"

_COLUMN, _ROW = _END + 14, _TILE + 26  # size of a cell of the grid
_STEP = _TILE + 4  # distance of the tiles of a stack
_FLOOR = MARGIN + GOAL * _STEP
_HAND_X = MARGIN + COLUMNS * _COLUMN + 48.0
_HAND_Y = MARGIN + 2 * _ROW
_STACKS_X = _HAND_X + 48
_STACK = _END + 24
_LETTERS = 17  # default font size

# Pips of each number of dots: column and row from the middle of the end.
_CORNERS = [(-1, -1), (1, 1), (1, -1), (-1, 1)]
_PIPS = {
    0: [],
    1: [(0, 0)],
    2: _CORNERS[:2],
    3: [(0, 0), *_CORNERS[:2]],
    4: _CORNERS,
    5: [(0, 0), *_CORNERS],
    6: [*_CORNERS, (-1, 0), (1, 0)],
}


def table_picture(
    taken: Sequence[bool],
    hand: tuple[int, int] | None,
    stacks: Sequence[Sequence[tuple[int, int]]],
    last: int,
    status: str,
) -> str:
    """Return the table as SVG.

    Args:
        taken: whether the tile of each cell was turned over, row by row.
        hand: ends of the tile in hand, smaller first; `None` without one.
        stacks: tiles of each stack from the bottom up, each as bottom and top.
        last: last action, whose cell or tile is framed; -1 before the first action.
        status: state of the game in words.
    """
    shapes = _grid(taken, last)
    shapes += _hand(hand, lost=status == "lost")
    framed = (last - len(taken)) // 2 if last >= len(taken) else None
    for k, stack in enumerate(stacks):
        shapes += _stack(k, stack, framed=k == framed)
    words = f"{status[0].upper()}{status[1:]}"
    bold: dict[str, str | float] = {"text_anchor": "start", "font_weight": "bold"}
    shapes.append(label(MARGIN, MARGIN + ROWS * _ROW + 26, words, 20, **bold))
    width = _STACKS_X + STACKS * _STACK + 12
    return svg(width, _FLOOR + 36, f"Dominoes 175: {status}", shapes)


def place_area(action: int) -> Area:
    """Return the area of an action: the tile to turn over, or the stack."""
    cell, stack = divmod(action, COLUMNS), (action - ROWS * COLUMNS) // 2
    if action < ROWS * COLUMNS:
        x, y = MARGIN + cell[1] * _COLUMN, MARGIN + cell[0] * _ROW
        return x, y, _COLUMN, _ROW
    return _STACKS_X + stack * _STACK, MARGIN, _STACK, _FLOOR - MARGIN


def _grid(taken: Sequence[bool], last: int) -> list[str]:
    """Return the tiles that are left, face down, and outlines of the taken ones."""
    shapes = [
        label(MARGIN + (c + 0.5) * _COLUMN, MARGIN / 2, str(c), _LETTERS) for c in range(COLUMNS)
    ]
    shapes += [label(MARGIN / 2, MARGIN + (r + 0.5) * _ROW, str(r), _LETTERS) for r in range(ROWS)]
    for cell, gone in enumerate(taken):
        row, column = divmod(cell, COLUMNS)
        x, y = MARGIN + (column + 0.5) * _COLUMN, MARGIN + (row + 0.5) * _ROW
        if gone:
            shapes.append(_outline(x, y))
        else:
            back = [
                _box(0, 0, fill=_BACK),
                _box(0, 0, grow=-4, fill="none", stroke="#fff", stroke_opacity=0.5),
                element("text", "?", x=0, y=6, text_anchor="middle", font_size=17, fill="#fff"),
            ]
            shapes.append(moving("back", x, y, back))
        if cell == last:
            shapes.append(_frame(x, y))
    return shapes


def _hand(hand: tuple[int, int] | None, *, lost: bool) -> list[str]:
    """Return the tile in hand, its larger end on top, with a cross if it fits nowhere."""
    x, y = _HAND_X, _HAND_Y
    words = "nothing in hand" if hand is None else "in hand, fits nowhere" if lost else "in hand"
    shapes = _words(y + _TILE / 2 + 18, words)
    if hand is None:
        return [*shapes, _outline(x, y)]
    shapes += _tile(x, y, *hand)
    if lost:
        cross = f"M{x + 22:g} {y - 9:g}l18 18m0 -18l-18 18"
        pen: dict[str, str | float] = {"stroke": RED, "stroke_width": 5}
        shapes.append(element("path", d=cross, stroke_linecap="round", **pen))
    return shapes


def _words(y: float, words: str) -> list[str]:
    """Return words below the tile in hand, one or two on each line."""
    return [
        label(_HAND_X, y + 1.2 * _LETTERS * number, line, _LETTERS)
        for number, line in enumerate(textwrap.wrap(words, 8))
    ]


def _stack(k: int, stack: Sequence[tuple[int, int]], *, framed: bool) -> list[str]:
    """Return one stack with places up to the height that wins; the top tile may be framed."""
    x = _STACKS_X + (k + 0.5) * _STACK
    shapes = [label(x, _FLOOR + 18, str(k), _LETTERS)]
    if len(stack) >= GOAL:
        y = MARGIN - 6.0
        shapes.append(
            element(
                "rect", x=x - 21, y=y, width=42, height=_FLOOR - y + 4, rx=8, fill=WIN, stroke=INK
            )
        )
    for height in range(GOAL):
        y = _FLOOR - (height + 0.5) * _STEP
        shapes += _tile(x, y, *stack[height]) if height < len(stack) else [_outline(x, y)]
        if framed and height == len(stack) - 1:
            shapes.append(_frame(x, y))
    floor = element("path", d=f"M{x - 21:g} {_FLOOR + 3}h42", stroke=INK, stroke_width=3)
    return [*shapes, floor]


def _tile(x: float, y: float, bottom: int, top: int) -> list[str]:
    """Return a tile face up around a point."""
    shapes = [
        _box(0, 0, fill=_FACE, stroke=INK, stroke_width=1.5),
        element("path", d=f"M{-_END / 2 + 4:g} 0h{_END - 8}", stroke=INK),
    ]
    for dots, middle in ((top, -_END / 2), (bottom, _END / 2)):
        shapes += [
            element("circle", cx=7.5 * right, cy=middle + 7.5 * down, r=3.2, fill=BLACK)
            for right, down in _PIPS[dots]
        ]
    smaller, larger = sorted((bottom, top))
    return [moving(f"{smaller}-{larger}", x, y, shapes, was="back")]


def _box(x: float, y: float, grow: float = 0, **attributes: str | float) -> str:
    """Return a tile's outline around a point, enlarged by `grow` on each side."""
    return element(
        "rect",
        x=x - _END / 2 - grow,
        y=y - _TILE / 2 - grow,
        width=_END + 2 * grow,
        height=_TILE + 2 * grow,
        rx=4 + grow / 2,
        **attributes,
    )


def _outline(x: float, y: float) -> str:
    """Return the outline of an empty place."""
    return _box(x, y, fill="none", stroke=INK, stroke_opacity=0.35, stroke_dasharray="3 4")


def _frame(x: float, y: float) -> str:
    """Return a frame that marks the last action."""
    return last_frame(x - _END / 2 - 3, y - _TILE / 2 - 3, _END + 6, _TILE + 6)
