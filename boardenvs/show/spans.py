"""Spans: looks of parts of the console text in a terminal."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LOOKS", "Span"]

LOOKS = ("cyan", "red", "yellow", "green", "magenta", "faint", "last")
"""Looks of a span: a colour, faint, or the mark of the last move."""


class Span(NamedTuple):
    """A part of a line of the console text, and its look in a terminal."""

    line: int
    """Index of the line."""
    start: int
    """Index of the first character."""
    end: int
    """Index after the last character."""
    look: str
    """One of `LOOKS`. The looks of overlapping spans are combined."""
