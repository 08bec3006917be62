"""Pictures of Gomoku: stones on the intersections, the last move and the winning lines."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np
import numpy.typing as npt

from boardenvs.show.grid import runs
from boardenvs.show.svg import (
    BLACK,
    CELL,
    INK,
    MARGIN,
    centre,
    element,
    grid,
    label,
    label_size,
    last_mark,
    line_mark,
    moving,
    svg,
)

__all__ = ["board_picture", "seat_symbol"]

_NAMES = ("black", "white")
_RADIUS = 18
_BELOW = 52  # height of the line below the board


def board_picture(
    owners: npt.NDArray[np.int8],
    win_length: int,
    exact: bool,
    last: int,
    to_move: int | None,
    winner: int | None,
) -> str:
    """Return the board as SVG.

    Args:
        owners: seat of each stone, -1 for an empty intersection, shape (N, N).
        win_length: number of stones in a line that wins.
        exact: whether longer lines do not win.
        last: cell of the last move, counted row by row; -1 before the first move.
        to_move: seat to move; `None` after the end.
        winner: seat whose lines are marked; `None` without a winner.
    """
    size = len(owners)
    shapes = [*_board(size)]
    if winner is not None:
        held = {(int(r), int(c)) for r, c in np.argwhere(owners == winner)}
        for first, end, length in runs(held):
            if length == win_length if exact else length >= win_length:
                shapes.append(line_mark(first, end))
    for r, c in np.argwhere(owners >= 0):
        shapes.append(_stone(*centre(r, c), owners[r, c]))
    if last >= 0:
        shapes.append(last_mark(*divmod(last, size), pen=3 if size < 12 else 5))

    if winner is not None:
        seat, status = winner, "has won"
    elif to_move is not None:
        seat, status = to_move, "to move"
    else:
        seat, status = None, "over without a winner"
    title = f"Gomoku: {status}" if seat is None else f"Gomoku: {_NAMES[seat]} {status}"
    width = 2 * MARGIN + size * CELL
    y = MARGIN + size * CELL + _BELOW / 2
    letters = max(18, label_size(width, 0.034))
    if seat is not None:
        status = f"{_NAMES[seat].capitalize()} {status}"
        shapes.append(_stone(width / 2 - 5.1 * letters, y, seat, radius=0.72 * letters))
    shapes.append(label(width / 2, y, status, letters))
    return svg(width, MARGIN + size * CELL + _BELOW, title, shapes)


def _board(size: int) -> list[str]:
    """Return the shapes of an empty board: lines, star points and labels.

    The row numbers begin with 0 at the top, as on the console. They are at the left, as on board
    diagrams.
    """
    wood, _, *labels = grid([*ascii_uppercase[:size]], [*map(str, range(size))])
    shapes = [wood]
    (left, top), (right, bottom) = centre(0, 0), centre(size - 1, size - 1)
    lines = "".join(
        f"M{left:g} {centre(k, 0)[1]:g}H{right:g}M{centre(0, k)[0]:g} {top:g}V{bottom:g}"
        for k in range(size)
    )
    shapes.append(element("path", d=lines, stroke=INK, stroke_width=1.2, stroke_linecap="square"))
    for r, c in sorted(_star_points(size)):
        x, y = centre(r, c)
        shapes.append(element("circle", cx=x, cy=y, r=4.5, fill=INK))
    return shapes + labels


def _star_points(size: int) -> set[tuple[int, int]]:
    """Return the cells of the orientation dots, as on Go boards."""
    edge = 3 if size >= 12 else 2
    near, far, middle = edge, size - 1 - edge, size // 2
    points = {(middle, middle)} if size % 2 else set()
    if size >= 8:
        points |= {(near, near), (near, far), (far, near), (far, far)}
    if size % 2 and size >= 17:
        points |= {(near, middle), (middle, near), (middle, far), (far, middle)}
    return points


def _stone(x: float, y: float, seat: int, radius: float = _RADIUS) -> str:
    """Return a stone: a filled disc for black, a ring for white."""
    if seat == 0:
        stone = element("circle", r=radius, fill=BLACK)
    else:
        stone = element("circle", r=radius - 1, fill="#fff", stroke=BLACK, stroke_width=2.5)
    return moving(_NAMES[seat] if radius == _RADIUS else "turn", x, y, [stone])


def seat_symbol(seat: int) -> str:
    """Return a player's stone for `Presentation.seat_symbol`."""
    return _stone(12, 12, seat, radius=11)
