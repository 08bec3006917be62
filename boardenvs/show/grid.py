"""Grids of several games: console text, addresses of cells, and runs of cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from boardenvs.core.checks import counted, require_lines
from boardenvs.show.spans import Span

__all__ = [
    "Cell",
    "address",
    "address_from_text",
    "cell_span",
    "cell_width",
    "grid_cells",
    "grid_text",
    "runs",
]

Cell = tuple[int, int]
"""Row and column, counted from 0."""


def grid_text(rows: Sequence[Sequence[str]]) -> str:
    """Return a grid whose cells are as wide as the longest text of a cell.

    Every line ends with a newline.
    """
    digits = len(str(len(rows)))
    size = cell_width(rows)
    rule = " " * digits + " " + f"+{'-' * (size + 2)}" * len(rows[0]) + "+\n"
    columns = "   ".join(f"{letter:{size}}" for letter in ascii_uppercase[: len(rows[0])])
    text = " " * digits + f"   {columns.rstrip()}\n{rule}"
    for number, row in enumerate(rows, 1):
        cells = " | ".join(cell.rjust(size) for cell in row)
        text += f"{number:{digits}} | {cells} |\n{rule}"
    return text


def cell_width(rows: Sequence[Sequence[str]]) -> int:
    """Return the length of the longest text of a cell, at least 1."""
    return max(1, *(len(cell) for row in rows for cell in row))


def grid_cells(text: str, height: int, width: int, symbols: str) -> list[str]:
    """Return the cells of a grid as one string per row.

    Raises:
        ValueError: the text is not such a grid, or a cell is not one of `symbols`.
    """
    lines = text.splitlines()
    first = 3 + len(str(height))
    rows = [line[first : first + 4 * width : 4] for line in lines[2::2]]
    for number, row in enumerate(rows, 1):
        for cell in row:
            if cell not in symbols:
                raise ValueError(f"cells of row {number} must be one of {symbols!r}, got {cell!r}")
    if len(rows) == height and all(len(row) == width for row in rows):
        require_lines(lines, grid_text(rows).splitlines())
        return rows
    raise ValueError(
        f"expected a grid of {counted(height, 'row')} and {counted(width, 'column')} in "
        f"{2 * height + 2} lines, got {counted(len(lines), 'line')}"
    )


def cell_span(row: int, column: int, height: int, look: str, size: int = 1) -> Span:
    """Return the span of a cell in the text of a grid with `height` rows, cells `size` wide."""
    start = 3 + len(str(height)) + (size + 3) * column
    return Span(2 + 2 * row, start, start + size, look)


def address(row: int, column: int) -> str:
    """Return the address of a cell: (1, 2), counted from 0, is `C2`."""
    return f"{ascii_uppercase[column]}{row + 1}"


def address_from_text(text: str) -> tuple[int, int]:
    """Return row and column, counted from 0, of an address such as `c2`.

    Raises:
        ValueError: the text is not one letter and a number without leading zeros.
    """
    if not re.fullmatch(r"[A-Za-z][1-9][0-9]*", text):
        raise ValueError(f"expected an address such as A1, got {text!r}")
    return int(text[1:]) - 1, ascii_uppercase.index(text[0].upper())


def runs(cells: set[Cell]) -> Iterator[tuple[Cell, Cell, int]]:
    """Yield the ends and the length of every unbroken row, column and diagonal of cells."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for r, c in sorted(cells):
            if (r - down, c - right) in cells:
                continue  # part of an earlier run
            length = 1
            while (r + length * down, c + length * right) in cells:
                length += 1
            yield (r, c), (r + (length - 1) * down, c + (length - 1) * right), length
