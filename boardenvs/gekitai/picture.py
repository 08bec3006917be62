"""Pictures of Gekitai: the board, the last move, the winning lines and the hands."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from boardenvs.gekitai.text import SYMBOLS
from boardenvs.show.grid import Cell, runs
from boardenvs.show.svg import (
    BLACK,
    CELL,
    INK,
    MARGIN,
    RED,
    centre,
    element,
    grid,
    last_mark,
    line_mark,
    piece,
    svg,
    turn_mark,
    winner_mark,
)

__all__ = ["board_picture", "lines", "seat_symbol"]

_FILLS = (BLACK, RED)
_HAND = 28  # height of a row of pieces in hand


def board_picture(
    rows: Sequence[str],
    pieces: int,
    line_length: int,
    last: int,
    to_move: int | None,
    winner: int | None,
) -> str:
    """Return the board and the hands as SVG.

    Args:
        rows: rows of the board, strings of `X`, `O` and `.`.
        pieces: number of pieces of each player.
        line_length: number of pieces in a line that wins.
        last: cell of the last move, counted row by row; -1 before the first move.
        to_move: seat to move; `None` after the end.
        winner: seat that is marked, with its lines; `None` without a winner.
    """
    size = len(rows)
    shapes = grid(ascii_uppercase[:size], [str(r + 1) for r in range(size)])
    if winner is not None:
        shapes += [line_mark(*ends) for ends in lines(rows, SYMBOLS[winner], line_length)]
    for r, row in enumerate(rows):
        for c, symbol in enumerate(row):
            if symbol != ".":
                shapes += piece(*centre(r, c), _FILLS[SYMBOLS.index(symbol)], symbol)
    if last >= 0:
        shapes.append(last_mark(*divmod(last, size)))
    below = MARGIN + size * CELL + 10
    for seat, symbol in enumerate(SYMBOLS):
        y = below + (seat + 0.5) * _HAND
        if seat == to_move:
            shapes.append(turn_mark(MARGIN - 12, y))
        elif seat == winner:
            shapes.append(winner_mark(MARGIN - 12, y))
        hand = pieces - sum(row.count(symbol) for row in rows)
        for k in range(pieces):
            x = MARGIN + 12 + 24 * k
            if k < hand:
                shapes += piece(x, y, _FILLS[seat], symbol, radius=10)
            else:  # the empty place of a piece on the board
                shapes.append(
                    element("circle", cx=x, cy=y, r=9, fill="none", stroke=INK, stroke_opacity=0.3)
                )
    if winner is not None:
        title = f"Gekitai: {SYMBOLS[winner]} has won"
    elif to_move is not None:
        title = f"Gekitai: {SYMBOLS[to_move]} to move"
    else:
        title = "Gekitai: over without a winner"
    width = 2 * MARGIN + max(size * CELL, 24 * pieces)
    return svg(width, below + 2 * _HAND + 10, title, shapes)


def seat_symbol(seat: int) -> str:
    """Return a player's piece for `Presentation.seat_symbol`."""
    return "".join(piece(12, 12, _FILLS[seat], SYMBOLS[seat], radius=11))


def lines(rows: Sequence[str], symbol: str, length: int) -> list[tuple[Cell, Cell]]:
    """Return the ends of every unbroken line of at least `length` symbols."""
    held = {(r, c) for r, row in enumerate(rows) for c, s in enumerate(row) if s == symbol}
    return [(first, last) for first, last, run in runs(held) if run >= length]
