"""Output on a terminal: boards with colours and marks, and wrapped text."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from boardenvs.show.presentation import Span

__all__ = ["Screen", "has_colours", "marked", "signed"]

_CODES = {
    "cyan": "1;36",
    "red": "1;31",
    "yellow": "1;33",
    "green": "1;32",
    "magenta": "1;35",
    "faint": "2",
    "bold": "1",
    "last": "7",
}
"""Escape codes by look, visible on black and on white."""
_BEFORE, _AFTER = "><"
_FREE = " -"
"""Characters of a board that a mark may replace."""


def has_colours(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether a stream is a terminal with colours.

    Args:
        stream: such as `sys.stdout`.
        environment: environment variables. A non-empty `NO_COLOR` or `TERM=dumb` disables colours;
            without `TERM` only Windows Terminal has them.
    """
    if environment.get("NO_COLOR") or not stream.isatty():
        return False
    return environment.get("TERM", "dumb") != "dumb" or "WT_SESSION" in environment


def marked(text: str, spans: Iterable[Span]) -> str:
    """Return a board with the last move between `>` and `<`, of the same width.

    A mark replaces a blank or a dash. A line that ends with the move has no mark.
    """
    lines = [list(line) for line in text.split("\n")]
    for span in spans:
        if span.look == "last" and _has_room(lines[span.line], span.end):
            lines[span.line][span.end] = _AFTER
            if span.start and _has_room(lines[span.line], span.start - 1):
                lines[span.line][span.start - 1] = _BEFORE
    return "\n".join("".join(line) for line in lines)


def _has_room(line: Sequence[str], place: int) -> bool:
    return place < len(line) and line[place] in _FREE


def signed(value: float) -> str:
    """Return an expected result with its sign, such as `+0.25`."""
    return f"{value:+.2f}" if abs(value) >= 0.005 else "0.00"


class Screen:
    """A person's terminal.

    Attributes, not to be changed:
        colours: whether the terminal shows colours, a bool.
    """

    def __init__(self) -> None:
        """Check whether standard output shows colours."""
        self.colours = has_colours(sys.stdout, os.environ)

    @property
    def width(self) -> int:
        """Number of columns of the window, at least 20; 80 without a window."""
        return max(20, shutil.get_terminal_size((80, 24)).columns)

    def styled(self, text: str, look: str) -> str:
        """Return a text in one of the looks."""
        return f"\x1b[{_CODES[look]}m{text}\x1b[0m" if self.colours and text else text

    def board(self, text: str, spans: Sequence[Span]) -> None:
        """Print a position with coloured pieces and the last move marked."""
        lines = marked(text, spans).split("\n")
        if self.colours:
            lines = [
                _coloured(line, [span for span in spans if span.line == number])
                for number, line in enumerate(lines)
            ]
        print("\n".join(lines), end="")

    def say(self, text: str, look: str = "", indent: str = "") -> None:
        """Print a text wrapped to the window; lines after the first are indented."""
        for line in self.wrapped(text, indent):
            print(self.styled(line, look) if look else line)

    def wrapped(self, text: str, indent: str = "") -> list[str]:
        """Return the lines of a text wrapped to the window."""
        return textwrap.wrap(
            text, self.width - 1, subsequent_indent=indent, break_on_hyphens=False
        ) or [""]

    def columns(self, words: Sequence[str]) -> None:
        """Print words in columns of equal width."""
        wide = max(map(len, words)) + 2
        number = max(1, (self.width - 1) // wide)
        for first in range(0, len(words), number):
            row = words[first : first + number]
            print("".join(f"{word:{wide}}" for word in row).rstrip())


def _coloured(line: str, spans: Sequence[Span]) -> str:
    codes: list[list[str]] = [[] for _ in line]
    for _, start, end, look in spans:
        is_last = look == "last"  # its marks share its look
        before = is_last and line[start - 1 : start] == _BEFORE
        after = is_last and line[end : end + 1] == _AFTER
        for place in range(start - before, end + after):
            codes[place].append(_CODES[look])
    parts = []
    for some, characters in itertools.groupby(zip(codes, line, strict=True), lambda one: one[0]):
        part = "".join(character for _, character in characters)
        parts.append(f"\x1b[{';'.join(some)}m{part}\x1b[0m" if some else part)
    return "".join(parts)
