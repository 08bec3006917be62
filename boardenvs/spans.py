"""What stands where in a position's console text, so that a terminal can colour and mark it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LOOKS", "Span"]

LOOKS = ("cyan", "red", "yellow", "green", "magenta", "faint", "last")
"""How a span may look: in a colour, faint, or marked as that of the last move."""


class Span(NamedTuple):
    """Some characters of one line."""

    line: int
    """Counted from 0."""
    start: int
    """The first character, counted from 0."""
    end: int
    """The character after the last one."""
    look: str
    """One of `LOOKS`; of spans that overlap each counts, so that the last move keeps its colour."""
