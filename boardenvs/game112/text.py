"""The console format of the 112 game: one line, `| - - 1 2 - |`."""

from __future__ import annotations

from collections.abc import Sequence

from boardenvs.core.checks import text_value
from boardenvs.show.presentation import Span

__all__ = [
    "action_from_text",
    "action_to_text",
    "board_from_text",
    "board_to_text",
    "cell_span",
]


def board_to_text(cells: Sequence[int]) -> str:
    """Return the line of a board; value 0 is an empty position."""
    return f"| {' '.join('-12'[c] for c in cells)} |\n"


def board_from_text(text: str, size: int) -> list[int]:
    """Return the values of a line from `board_to_text`; the bars may be missing.

    Raises:
        ValueError: if the line is malformed.
    """
    line = text_value("text", text).rstrip("\n")
    if line.startswith("| ") and line.endswith(" |"):
        line = line[2:-2]
    symbols = line.split(" ")
    if len(symbols) == size and all(s in ("-", "1", "2") for s in symbols):
        return ["-12".index(s) for s in symbols]
    expected = board_to_text([0] * size).rstrip("\n")
    raise ValueError(f"expected a board such as {expected!r} of -, 1 and 2, got {text!r}")


def cell_span(cell: int, look: str) -> Span:
    """Return the place of a position, counted from 0, in the line."""
    return Span(0, 2 + 2 * cell, 3 + 2 * cell, look)


def action_to_text(action: int) -> str:
    """Return the position and value of an action, such as `4 2`."""
    return f"{action // 2 + 1} {action % 2 + 1}"


def action_from_text(text: str, size: int) -> int:
    """Return the action of a position and a value separated by blanks.

    Raises:
        ValueError: if the text is malformed, or the position or value is out of range.
    """
    words = text_value("text", text).split()
    if len(words) != 2 or not all(w.isascii() and w.isdigit() for w in words):
        raise ValueError(f"expected a position and a value such as '4 2', got {text.strip()!r}")
    position, value = map(int, words)
    if not 1 <= position <= size:
        raise ValueError(f"position must be from 1 to {size}, got {position}")
    if value not in (1, 2):
        raise ValueError(f"value must be 1 or 2, got {value}")
    return 2 * (position - 1) + (value - 1)
