"""Pictures of Goat Race: the board, the die at its row, the last move and the players."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from boardenvs.goat_race.text import LETTERS
from boardenvs.show.grid import address
from boardenvs.show.svg import (
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
    moving,
    svg,
    turn_mark,
    winner_mark,
)

__all__ = ["FILLS", "board_picture", "seat_symbol"]

# Colour of the goat and of its letter.
_FILLS = {
    "W": ("#ffffff", INK),
    "B": (BLACK, "#ffffff"),
    "R": (RED, "#ffffff"),
    "O": ("#f0932b", INK),
    "G": ("#2f7d4f", "#ffffff"),
}
FILLS = tuple(_FILLS[letter][0] for letter in LETTERS)
"""Colour of each seat's goats."""
_ROCK = "#8a7f6d"
_HORN = "#c2b08c"
_SLICES = 3  # maximum number of goats drawn below the top of a stack
_ROW = 30  # height of a player's line below the board
_PIPS = {  # places in a 3 x 3 grid for each throw; higher throws are drawn as numbers
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
    """Return the position as SVG.

    Args:
        tops: a string for each row: the letter of the top goat, `X` for an obstacle, or a blank.
        heights: number of goats in each stack, by address.
        players: colours of the players in the order of play.
        arrived: number of each player's goats in the Destination.
        to_move: colour of the player to move; `None` after the end.
        winner: colour of the winner; `None` without one.
        die: current throw; 0 without one.
        last: first and last cell of the last move, or the cell of a goat just placed.
        status: player to move or result, for screen readers.
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
        shapes.append(_goat(MARGIN + 14, y, player[0], 0.72))
        shapes.append(_words(MARGIN + 34, y, f"{player.title()}: {count} arrived"))
    return svg(right + 56, below + len(players) * _ROW + 8, f"Goat Race: {status}", shapes)


# A goat's head around 0, 0, about 30 units wide and 36 high.
_HORNS = (
    "M-3 -11C-3 -19 -9 -22 -15 -17C-10 -17 -8 -15 -8 -9z"
    "M3 -11C3 -19 9 -22 15 -17C10 -17 8 -15 8 -9z"
)
_EARS = (
    "M-8 -8C-12 -11 -17 -9 -18 -5C-14 -3 -11 -3 -9 -4zM8 -8C12 -11 17 -9 18 -5C14 -3 11 -3 9 -4z"
)
_BEARD = "M-3.5 13L0 19L3.5 13z"
_HEAD = "M-10 -8C-10 -14 10 -14 10 -8C10 1 8.5 6 7 11C5.5 16 -5.5 16 -7 11C-8.5 6 -10 1 -10 -8z"


def _goat(x: float, y: float, letter: str, size: float = 1) -> str:
    """Return a goat's head, with a letter that identifies the player without colour."""
    fill, ink = _FILLS[letter]
    pen: dict[str, str | float] = {
        "stroke": INK,
        "stroke_width": round(1.3 * size, 2),
        "stroke_linejoin": "round",
    }
    eyes = "".join(f"M{round(k * size, 2):g} {round(-6 * size, 2):g}v.01" for k in (-4.2, 4.2))
    sight: dict[str, str | float] = {"stroke": ink, "stroke_width": round(2.6 * size, 2)}
    shapes = [
        element("path", d=_scaled(_HORNS, size), fill=_HORN, **pen),
        element("path", d=_scaled(_EARS, size), fill=fill, **pen),
        element("path", d=_scaled(_BEARD, size), fill=fill, **pen),
        element("path", d=_scaled(_HEAD, size), fill=fill, **pen),
        element("path", d=eyes, stroke_linecap="round", **sight),
        element(
            "text",
            letter,
            x=0,
            y=round(9 * size, 2),
            text_anchor="middle",
            font_size=round(15 * size, 2),
            font_weight="bold",
            fill=ink,
        ),
    ]
    return moving(letter, x, y, shapes)


def _scaled(path: str, size: float) -> str:
    """Return a path of absolute coordinates, scaled by `size`."""
    return re.sub(r"-?[0-9.]+", lambda found: f"{round(float(found[0]) * size, 2):g}", path)


def seat_symbol(letter: str) -> str:
    """Return a player's goat for `Presentation.seat_symbol`."""
    return _goat(12, 12, letter, 0.66)


def _stack(x: float, y: float, letter: str, size: int) -> list[str]:
    """Return a stack: its top goat, the goats below without colours, and their number."""
    below = min(size - 1, _SLICES)
    top = y + 6 - 3 * max(below, 1)
    slices = [
        element(
            "ellipse",
            cx=x,
            cy=top + 11 + 4 * k,
            rx=17,
            ry=5,
            fill=_ROCK,
            stroke=INK,
            stroke_width=1.3,
        )
        for k in range(below, 0, -1)
    ]
    shapes = [*slices, _goat(x, top, letter)]
    if size > 1:
        count = str(size)
        shapes += [
            moving(
                "count",
                x + 14.5,
                y + 14.5,
                [
                    element("circle", r=9, fill="#ffffff", stroke=INK),
                    label(0, 0, count, 15 if len(count) == 1 else 12, font_weight="bold"),
                ],
            )
        ]
    return shapes


def _rock(x: float, y: float) -> list[str]:
    """Return an obstacle."""
    outline = "M-19 15l5 -17l8 -4l5 -9l11 3l4 13l6 14z"
    crack = "M-1 -15l-2 11l6 7M-14 -2l6 6"
    shapes = [
        element("path", d=outline, fill=_ROCK, stroke=INK, stroke_width=2, stroke_linejoin="round"),
        element("path", d=crack, fill="none", stroke=INK, stroke_opacity=0.6, stroke_width=1.5),
    ]
    return [moving("rock", x, y, shapes)]


def _arrow(begin: tuple[float, float], end: tuple[float, float]) -> str:
    """Return an arrow from one cell into the next, across the line between them."""
    x, y = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
    dx, dy = (end[0] - begin[0]) / CELL, (end[1] - begin[1]) / CELL
    # From the middle of its base to one side, the tip and the other side.
    base = x - 6 * dx, y - 6 * dy
    points = [
        (base[0] - 7 * dy, base[1] + 7 * dx),
        (x + 6 * dx, y + 6 * dy),
        (base[0] + 7 * dy, base[1] - 7 * dx),
    ]
    d = "M" + "L".join(f"{a:g} {b:g}" for a, b in points) + "z"
    return element("path", d=d, fill=LAST)


def _die(x: float, y: float, die: int) -> list[str]:
    """Return a die that shows a throw."""
    square = {"x": -16, "y": -16, "width": 32, "height": 32, "rx": 6}
    shapes = [element("rect", **square, fill="#ffffff", stroke=INK, stroke_width=2)]
    if die not in _PIPS:
        shapes.append(label(0, 0, str(die), size=16, font_weight="bold"))
    for place in _PIPS.get(die, ""):
        column, row = divmod(int(place), 3)
        shapes.append(element("circle", cx=9 * (column - 1), cy=9 * (row - 1), r=3, fill=INK))
    return [moving("die", x, y, shapes)]


def _words(x: float, y: float, text: str) -> str:
    return label(x, y, text, 17, text_anchor="start")
