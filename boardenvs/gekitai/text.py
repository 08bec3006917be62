"""The console format of Gekitai: the board as a grid, and below it the pieces in hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from boardenvs.core.checks import text_value
from boardenvs.show.grid import address, address_from_text, grid_cells, grid_text

__all__ = ["SYMBOLS", "action_from_text", "action_to_text", "board_from_text", "board_to_text"]

SYMBOLS = "XO"


def board_to_text(rows: Sequence[str], pieces: int) -> str:
    """Return the text of the board and the hands.

    Args:
        rows: rows of the board, strings of `X`, `O` and `.`.
        pieces: number of pieces of each player.
    """
    lines = [grid_text([[" " if c == "." else c for c in row] for row in rows])]
    for symbol in SYMBOLS:
        hand = pieces - sum(row.count(symbol) for row in rows)
        lines.append(f"{symbol}: {[symbol] * hand}\n")
    return "".join(lines)


def board_from_text(text: str, size: int, pieces: int) -> list[str]:
    """Return the rows of a text from `board_to_text`; the hands may be missing.

    Raises:
        ValueError: if the text is malformed, or the hands do not match the board.
    """
    lines = text_value("text", text).splitlines()
    height = 2 * size + 2
    rows = grid_cells("\n".join(lines[:height]), size, size, "XO ")
    rows = [row.replace(" ", ".") for row in rows]
    if lines[height:]:
        expected = board_to_text(rows, pieces).splitlines()[height:]
        if lines[height:] != expected:
            raise ValueError(f"text must end with the hands {expected}, got {lines[height:]}")
    return rows


def action_to_text(action: int, size: int) -> str:
    """Return the address of a cell, such as `B2`."""
    return address(*divmod(action, size))


def action_from_text(text: str, size: int) -> int:
    """Return the cell of an address, ignoring case and blanks.

    Raises:
        ValueError: if the address is malformed or off the board.
    """
    row, column = address_from_text(re.sub(r"\s", "", text_value("text", text)))
    if row >= size or column >= size:
        last = address(size - 1, size - 1)
        raise ValueError(f"{text.strip()!r} is off the board; its last cell is {last}")
    return row * size + column
