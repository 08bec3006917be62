"""The console format of Gomoku: a grid of stones, letters above it, numbers at its right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase

from boardenvs.core.checks import require_lines, text_value
from boardenvs.show.presentation import Span

__all__ = [
    "STONES",
    "action_from_text",
    "action_to_text",
    "board_from_text",
    "board_to_text",
    "cell_from_words",
    "stone_span",
]

STONES = "●○"
"""Stone of each seat: black, white."""


def board_to_text(rows: Sequence[str]) -> str:
    """Return the grid; every line ends with a newline.

    Args:
        rows: rows of the board, strings of blanks and `STONES`.
    """
    size = len(rows)
    between = "  ".join("|" * size) + "\n"
    lines = [f"{'--'.join(row)} {number}\n" for number, row in enumerate(rows)]
    return "  ".join(ascii_uppercase[:size]) + "\n" + between.join(lines)


def board_from_text(text: str, size: int) -> list[str]:
    """Return the rows of a text from `board_to_text`; the last newline may be missing.

    Raises:
        ValueError: if the text is malformed.
    """
    lines = text_value("text", text).removesuffix("\n").split("\n")
    rows = [line[: 3 * size - 2 : 3] for line in lines[1::2]]
    for number, row in enumerate(rows):
        for cell in row:
            if cell not in f" {STONES}":
                raise ValueError(
                    f"row {number} must have {STONES[0]}, {STONES[1]} or a blank in each cell, "
                    f"got {cell!r}"
                )
    if len(lines) != 2 * size or any(len(row) != size for row in rows):
        raise ValueError(
            f"expected a grid of {size} rows and columns in {2 * size} lines, got {len(lines)}"
        )
    require_lines(lines, board_to_text(rows).splitlines())
    return rows


def stone_span(row: int, column: int, look: str) -> Span:
    """Return the place of a stone in the text of a board."""
    return Span(1 + 2 * row, 3 * column, 3 * column + 1, look)


def action_to_text(action: int, size: int) -> str:
    """Return the row and column of a cell, such as `2 F`."""
    row, column = divmod(action, size)
    return f"{row} {ascii_uppercase[column]}"


def action_from_text(text: str, size: int) -> int:
    """Return the cell of a row and a column separated by blanks, ignoring case.

    Raises:
        ValueError: if the text is malformed or off the board.
    """
    words = text_value("text", text).split()
    if len(words) != 2:
        raise ValueError(f"expected a row and a column such as '2 F', got {text.strip()!r}")
    return cell_from_words(words[0], words[1], size)


def cell_from_words(row: str, column: str, size: int) -> int:
    """Return the cell of a row, such as `2`, and a column, such as `F` or `f`.

    Raises:
        ValueError: if the row or column is malformed or off the board.
    """
    if not re.fullmatch("0|[1-9][0-9]*", row) or not re.fullmatch("[A-Za-z]", column):
        raise ValueError(f"expected a row and a column such as '2 F', got {f'{row} {column}'!r}")
    # Four digits are enough: Python refuses to convert very long numbers.
    number, place = int(row[:4]), ascii_uppercase.index(column.upper())
    if number >= size or place >= size:
        raise ValueError(
            f"{row} {column} is off the board; its last position is "
            f"{action_to_text(size * size - 1, size)}"
        )
    return number * size + place
