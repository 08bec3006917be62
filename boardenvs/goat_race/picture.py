"""Goat Race as a picture: the board, the die at its row, the last move, the players below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from boardenvs.grid import address
from boardenvs.picture import (
    BLACK,
    CELL,
    INK,
    LAST,
    MARGIN,
    RED,
    centre,
    element,
    grid,
    label,
    last_mark,
    svg,
    turn_mark,
    winner_mark,
)

__all__ = ["board_picture"]

# By the letter on the goat: its colour, and that of the letter.
_FILLS = {
    "W": ("#ffffff", INK),
    "B": (BLACK, "#ffffff"),
    "R": (RED, "#ffffff"),
    "O": ("#f0932b", INK),
    "G": ("#2f7d4f", "#ffffff"),
}
_ROCK = "#8a7f6d"
_SLICES = 3  # goats of a stack that are drawn below the top; a number counts them all
_ROW = 30  # height of a player's line below the board
_PIPS = {  # places of a 3 x 3 grid, by the throw; higher ones are shown as numbers
    1: "4",
    2: "08",
    3: "048",
    4: "0268",
    5: "02468",
    6: "035268",
    7: "0352684",
    8: "01235678",
    9: "012345678",
}


def board_picture(
    tops: Sequence[str],
    *,
    heights: Mapping[str, int],
    players: Sequence[str],
    arrived: Sequence[int],
    to_move: str | None,
    winner: str | None,
    die: int,
    last: Sequence[tuple[int, int]],
    status: str,
) -> str:
    """The position as SVG.

    Args:
        tops: one string a row: the letter of the goat on top, `X` for an obstacle, or a blank.
        heights: how many goats a stack has, by address.
        players: their colours in the order of play.
        arrived: how many goats of each are in the Destination.
        to_move: the colour of the player whose turn it is; `None` after the end.
        winner: the colour of the player who has won, if any.
        die: the throw in force; 0 for none.
        last: the cells of the last move, begin and end, or of a goat just placed.
        status: whose turn it is or how the game ended, for screen readers.
    """
    height, width = len(tops), len(tops[0])
    shapes = grid(ascii_uppercase[:width], [str(r + 1) for r in range(height)])
    shapes[1:1] = [
        element(
            "rect",
            x=MARGIN + column * CELL,
            y=MARGIN,
            width=CELL,
            height=height * CELL,
            fill=INK,
            fill_opacity=0.1,
        )
        for column in (0, width - 1)
    ]
    if last:
        shapes.append(last_mark(*last[-1]))
    for r, row in enumerate(tops):
        for c, cell in enumerate(row):
            x, y = centre(r, c)
            if cell == "X":
                shapes += _rock(x, y)
            elif cell != " ":
                shapes += _stack(x, y, cell, heights[address(r, c)])
    if len(last) == 2:
        shapes.append(_arrow(centre(*last[0]), centre(*last[1])))
    right = MARGIN + width * CELL
    if die:
        shapes += _die(right + 26, centre(die - 1, 0)[1], die)
    below = MARGIN + height * CELL + 12
    for k, (player, count) in enumerate(zip(players, arrived, strict=True)):
        y = below + (k + 0.5) * _ROW
        if player == to_move:
            shapes.append(turn_mark(MARGIN - 12, y))
        elif player == winner:
            shapes.append(winner_mark(MARGIN - 12, y))
        shapes += _goat(MARGIN + 14, y + 2, player[0], radius=10)
        shapes.append(_words(MARGIN + 34, y, f"{player.title()}: {count} arrived"))
    return svg(right + 56, below + len(players) * _ROW + 8, f"Goat Race: {status}", shapes)


def _goat(x: float, y: float, letter: str, radius: float) -> list[str]:
    """A goat's head with its horns; the letter tells the players apart without colour."""
    fill, ink = _FILLS[letter]
    size = radius / 14
    horns = "".join(
        f"M{x + 5 * k:g} {y - 11 * size:g}q{k:g} {-8 * size:g} {9 * k:g} {-8 * size:g}"
        for k in (-size, size)
    )
    return [
        element(
            "path", d=horns, fill="none", stroke=INK, stroke_width=3 * size, stroke_linecap="round"
        ),
        element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=INK, stroke_width=1.5),
        element(
            "text",
            letter,
            x=x,
            y=y + 0.42 * radius,
            text_anchor="middle",
            font_size=1.15 * radius,
            font_weight="bold",
            fill=ink,
        ),
    ]


def _stack(x: float, y: float, letter: str, size: int) -> list[str]:
    """A stack: its top goat, what carries it without colours, and a number that counts all."""
    below = min(size - 1, _SLICES)
    top = y + 6 - 3 * max(below, 1)
    slices = [
        element("circle", cx=x, cy=top + 3 * k, r=14, fill=_ROCK, stroke=INK, stroke_width=1.5)
        for k in range(below, 0, -1)
    ]
    shapes = [*slices, *_goat(x, top, letter, radius=14)]
    if size > 1:
        count = str(size)
        shapes += [
            element("circle", cx=x + 14.5, cy=y + 14.5, r=9, fill="#ffffff", stroke=INK),
            label(x + 14.5, y + 14.5, count, 15 if len(count) == 1 else 12, font_weight="bold"),
        ]
    return shapes


def _rock(x: float, y: float) -> list[str]:
    """An obstacle."""
    outline = f"M{x - 19:g} {y + 15:g}l5 -17l8 -4l5 -9l11 3l4 13l6 14z"
    crack = f"M{x - 1:g} {y - 15:g}l-2 11l6 7M{x - 14:g} {y - 2:g}l6 6"
    return [
        element("path", d=outline, fill=_ROCK, stroke=INK, stroke_width=2, stroke_linejoin="round"),
        element("path", d=crack, fill="none", stroke=INK, stroke_opacity=0.6, stroke_width=1.5),
    ]


def _arrow(begin: tuple[float, float], end: tuple[float, float]) -> str:
    """From one cell into the next, across the line between them."""
    x, y = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
    dx, dy = (end[0] - begin[0]) / CELL, (end[1] - begin[1]) / CELL
    # From the middle of its base: to one side, to the tip, to the other side.
    base = x - 6 * dx, y - 6 * dy
    points = [
        (base[0] - 7 * dy, base[1] + 7 * dx),
        (x + 6 * dx, y + 6 * dy),
        (base[0] + 7 * dy, base[1] - 7 * dx),
    ]
    d = "M" + "L".join(f"{a:g} {b:g}" for a, b in points) + "z"
    return element("path", d=d, fill=LAST)


def _die(x: float, y: float, die: int) -> list[str]:
    """A die that shows a throw."""
    square = {"x": x - 16, "y": y - 16, "width": 32, "height": 32, "rx": 6}
    shapes = [element("rect", **square, fill="#ffffff", stroke=INK, stroke_width=2)]
    if die not in _PIPS:
        return [*shapes, label(x, y, str(die), size=16, font_weight="bold")]
    for place in _PIPS[die]:
        column, row = divmod(int(place), 3)
        shapes.append(
            element("circle", cx=x + 9 * (column - 1), cy=y + 9 * (row - 1), r=3, fill=INK)
        )
    return shapes


def _words(x: float, y: float, text: str) -> str:
    return label(x, y, text, 17, text_anchor="start")
