"""Parts of the games' SVG pictures.

A picture is a list of elements, one per line, drawn in order. Its background is light, also on a
dark page. Colour is never the only difference between two things.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

__all__ = [
    "BLACK",
    "CELL",
    "INK",
    "LAST",
    "MARGIN",
    "PAPER",
    "RED",
    "WIN",
    "Area",
    "Picture",
    "cell_area",
    "centre",
    "element",
    "grid",
    "label",
    "label_size",
    "last_frame",
    "last_mark",
    "line_mark",
    "moving",
    "piece",
    "svg",
    "text_picture",
    "turn_mark",
    "winner_mark",
]

Area = tuple[float, float, float, float]
"""A rectangle in a picture: x, y, width and height, in user units."""
CELL = 48
"""Side of a cell, in user units."""
MARGIN = 32
"""Width of the border with the labels of rows and columns, in user units."""
INK = "#3b3326"
BLACK = "#26282c"
RED = "#c23b2e"
PAPER = "#fcf9f2"
"""Background colour of all pictures."""
_BOARD = "#f1e4c8"
_LINE = "#a08a5f"
_LONG = 200
LAST = "#1c62c4"
"""Colour of the mark of the last move."""
WIN = "#f5b50f"
"""Colour of the winning line and of the winner."""


class Picture(str):
    """SVG text that notebooks display as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def element(tag: str, content: str | None = None, /, **attributes: str | float) -> str:
    """Return an escaped SVG element. `stroke_width=2` becomes `stroke-width="2"`."""
    start = tag
    for key, value in attributes.items():
        text = value if isinstance(value, str) else f"{value:g}"
        start += f" {key.replace('_', '-')}={quoteattr(text)}"
    return f"<{start}/>" if content is None else f"<{start}>{escape(content)}</{tag}>"


def svg(width: float, height: float, title: str, elements: Iterable[str]) -> Picture:
    """Return a picture with a background, which ends with a newline.

    Args:
        width: width in user units, which are pixels unless the page scales the picture.
        height: height in user units.
        title: text for screen readers.
        elements: SVG elements, from bottom to top.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label={quoteattr(title)} '
        f'font-family="sans-serif">'
    )
    paper = element("rect", width=width, height=height, rx=8, fill=PAPER)
    return Picture("\n".join([head, paper, *elements, "</svg>\n"]))


def centre(row: int, column: int) -> tuple[float, float]:
    """Return x and y of the centre of a cell of `grid`."""
    return MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL


def cell_area(row: int, column: int) -> Area:
    """Return the area of a cell of `grid`."""
    return MARGIN + column * CELL, MARGIN + row * CELL, CELL, CELL


def label(x: float, y: float, text: str, size: float = 14, **attributes: str | float) -> str:
    """Return a text that is centred on a point, or starts there with `text_anchor="start"`."""
    attributes = {"text_anchor": "middle", "font_size": size, "fill": INK, **attributes}
    return element("text", text, x=x, y=y + 0.36 * size, **attributes)  # half of the capital height


def label_size(width: float, share: float = 0.03) -> float:
    """Return a font size, from 14 to 30, that is legible if the picture is 300 pixels wide.

    Args:
        width: width of the picture.
        share: preferred ratio of the font size to the width.
    """
    return min(max(14, round(share * width)), 30)


def grid(columns: Sequence[str], rows: Sequence[str]) -> list[str]:
    """Return an empty board with column labels above and row labels at the left."""
    size = min(label_size(2 * MARGIN + len(columns) * CELL), 22)  # so two digits fit
    width, height = len(columns) * CELL, len(rows) * CELL
    lines = [f"M{MARGIN + c * CELL} {MARGIN}v{height}" for c in range(1, len(columns))]
    lines += [f"M{MARGIN} {MARGIN + r * CELL}h{width}" for r in range(1, len(rows))]
    board = {"x": MARGIN, "y": MARGIN, "width": width, "height": height, "rx": 4}
    return [
        element("rect", **board, fill=_BOARD, stroke=_LINE, stroke_width=2),
        element("path", d="".join(lines), stroke=_LINE),
        *(label(centre(0, c)[0], MARGIN / 2, text, size) for c, text in enumerate(columns)),
        *(label(MARGIN / 2, centre(r, 0)[1], text, size) for r, text in enumerate(rows) if text),
    ]


def moving(kind: str, x: float, y: float, shapes: Iterable[str], was: str = "") -> str:
    """Return a piece that pages animate to its place in the next picture.

    Args:
        kind: kind of the piece. Pieces of the same kind are interchangeable.
        x: x of the piece. Its shapes are centred on (0, 0).
        y: y of the piece.
        shapes: SVG elements of the piece.
        was: kind of the piece before it was turned over, if it was.
    """
    before = f" data-was={quoteattr(was)}" if was else ""
    head = f'<g class="piece" data-kind={quoteattr(kind)}{before}'
    drawn = "".join(shapes)
    # Pages store equal lines once, so long shapes get a line that equal pieces share.
    between = "\n" if len(drawn) > _LONG else ""
    return f'{head} transform="translate({x:g} {y:g})">{between}{drawn}</g>'


def piece(x: float, y: float, fill: str, mark: str = "", radius: float = 18) -> list[str]:
    """Return a round piece. Its mark, a short text or "", distinguishes the players without colour.

    "X" and "O" are drawn as a cross and a ring.
    """
    shapes = [element("circle", r=radius, fill=fill)]
    arm = 0.36 * radius
    pen: dict[str, str | float] = {"stroke": "#fff", "stroke_width": max(1.5, radius / 6)}
    if mark == "X":
        cross = f"M{-arm:g} {-arm:g}L{arm:g} {arm:g}M{-arm:g} {arm:g}L{arm:g} {-arm:g}"
        shapes.append(element("path", d=cross, stroke_linecap="round", **pen))
    elif mark == "O":
        shapes.append(element("circle", r=1.2 * arm, fill="none", **pen))
    elif mark:
        shapes.append(label(0, 0, mark, radius / max(1, 0.6 * len(mark)), fill="#fff"))
    return [moving(mark or fill, x, y, shapes)]


def last_mark(row: int, column: int, pen: float = 3) -> str:
    """Return the mark of the last move: a frame inside of a cell, of line width `pen`."""
    x, y = MARGIN + column * CELL + 2.5, MARGIN + row * CELL + 2.5
    return last_frame(x, y, CELL - 5, CELL - 5, pen)


def last_frame(x: float, y: float, width: float, height: float, pen: float = 3) -> str:
    """Return the mark of the last move: a frame around a rectangle."""
    box: dict[str, str | float] = {"x": x, "y": y, "width": width, "height": height}
    return element("rect", **box, rx=3, fill="none", stroke=LAST, stroke_width=pen)


def turn_mark(x: float, y: float) -> str:
    """Return the mark of the player to move: a triangle that points to the right."""
    return element("path", d=f"M{x - 6:g} {y - 7:g}l12 7l-12 7z", fill=INK)


def winner_mark(x: float, y: float) -> str:
    """Return the mark of the winner: a star."""
    points = []
    for k in range(10):
        radius, angle = (4, 9.5)[k % 2 == 0], math.pi * k / 5
        points.append(f"{x + radius * math.sin(angle):.4g} {y - radius * math.cos(angle):.4g}")
    star = f"M{'L'.join(points)}z"
    return element("path", d=star, fill=WIN, stroke=INK, stroke_width=1.2, stroke_linejoin="round")


def line_mark(first: tuple[int, int], last: tuple[int, int]) -> str:
    """Return the mark of the winning line: a band from one cell to another."""
    (x1, y1), (x2, y2) = centre(*first), centre(*last)
    return element(
        "line",
        x1=x1,
        y1=y1,
        x2=x2,
        y2=y2,
        stroke=WIN,
        stroke_width=CELL - 3,
        stroke_linecap="round",
    )


def text_picture(text: str, title: str) -> Picture:
    """Return a picture of a position's console text, for games without pictures."""
    lines = text.splitlines()
    size = 14
    width = 2 * size + 0.62 * size * max(map(len, lines), default=0)
    elements = [
        element(
            "text",
            line,
            x=size,
            y=1.35 * size * number + size,
            font_family="monospace",
            font_size=size,
            fill=INK,
            **{"xml:space": "preserve"},
        )
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]
    return svg(width, 1.35 * size * len(lines) + 2 * size, title, elements)
