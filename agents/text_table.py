"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["text_table"]


def text_table(rows: Sequence[Sequence[str]], right: Collection[int]) -> str:
    """Rows of cells as lines of columns, a rule below the first row.

    Args:
        rows: cells, as many in each row; the first row holds the headings.
        right: numbers of the columns that are flush right; the others are flush left.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines) + "\n"
