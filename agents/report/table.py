"""Tables for a terminal, for Markdown and for HTML."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Table", "html_table"]


@dataclass(frozen=True)
class Table:
    """A table with headings. A column without text in any row is left out.

    Example:
        >>> from agents.report.table import Table
        >>> table = Table(("agent", "score"), [("greedy", "0.965"), ("random", "0.035")])
        >>> print(table)
        agent   score
        -------------
        greedy  0.965
        random  0.035
        >>> print(table.markdown(), end="")
        | agent | score |
        |---|---:|
        | greedy | 0.965 |
        | random | 0.035 |
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    """Cells of each row, one for each heading."""
    left: Collection[int] = (0,)
    """Indices of left-aligned columns. The others are right-aligned."""
    code: Collection[int] = ()
    """Indices of columns that Markdown shows as code."""

    def __str__(self) -> str:
        """Return the lines for a terminal, without a newline at the end."""
        columns = self._columns()
        cells = [[row[k] for k in columns] for row in (self.head, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if k in self.left else cell.rjust(width)
                for k, cell, width in zip(columns, row, widths, strict=True)
            ).rstrip()
            for row in cells
        ]
        return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])

    def markdown(self) -> str:
        """Return the lines of a Markdown table, each with a newline."""
        columns = self._columns()
        rule = "".join("---|" if k in self.left else "---:|" for k in columns)
        rows = [
            [f"`{row[k]}`" if k in self.code and row[k] else row[k] for k in columns]
            for row in self.rows
        ]
        lines = [_markdown([self.head[k] for k in columns]), f"|{rule}", *map(_markdown, rows)]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return an HTML table. The first cell of each row is the row's heading."""
        columns = self._columns()
        head, *rows = ([html.escape(row[k]) for k in columns] for row in (self.head, *self.rows))
        return html_table(head, rows)

    def _columns(self) -> list[int]:
        """Return the indices of the columns that are not empty."""
        return [
            k for k in range(len(self.head)) if not self.rows or any(row[k] for row in self.rows)
        ]


def _markdown(cells: Iterable[str]) -> str:
    texts = (cell.replace("|", "\\|") for cell in cells)
    return f"|{'|'.join(f' {text} ' if text else ' ' for text in texts)}|"


def html_table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of cells that are HTML.

    Args:
        head: headings of the columns.
        rows: cells of each row, one for each heading. The first cell is the row's heading.
    """
    columns = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    lines = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{columns}</tr></thead>\n'
        f"<tbody>\n{lines}\n</tbody>\n</table></div>"
    )
