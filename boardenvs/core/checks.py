"""Checks of arguments. Each raises `ValueError` with a one-line message."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "callable_or_none",
    "counted",
    "file_path",
    "finite_number",
    "is_list",
    "is_whole",
    "one_of",
    "printable",
    "require_implied",
    "require_lines",
    "shown",
    "symbol_rows",
    "text_value",
    "truth_value",
    "whole_number",
]

_LONGEST = 200
"""Maximum number of characters of a value in a message."""


def printable(text: str) -> str:
    """Return a text on one line, with escapes for characters that cannot be printed."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(value: Any) -> str:
    """Return a value as text for a message, on one line of limited length."""
    text = " ".join(repr(value).split("\n"))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number and its noun, such as `1 game` or `2 games`.

    Args:
        number: the number.
        noun: singular of the noun.
        plural: plural of the noun, by default with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def is_whole(value: Any) -> bool:
    """Return whether `value` is an int or a NumPy integer, but not a bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_list(value: Any) -> bool:
    """Return whether `value` is a sequence or an array, but not text or bytes."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def whole_number(what: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int.

    Raises:
        ValueError: `value` is not an integer from `low` to `high`.
    """
    if not is_whole(value) or value < low or (high is not None and value > high):
        expected = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise ValueError(f"{what} must be a whole number {expected}, got {shown(value)}")
    return int(value)


def finite_number(what: str, value: Any, low: float = 0, high: float | None = None) -> float:
    """Return `value` as a float.

    Raises:
        ValueError: `value` is not a finite number from `low` to `high`.
    """
    number = math.nan
    if is_whole(value) or isinstance(value, float | np.floating):
        with contextlib.suppress(OverflowError):  # a large int
            number = float(value)
    if not (math.isfinite(number) and number >= low and (high is None or number <= high)):
        expected = f"from {low:g} to {high:g}" if high is not None else f"of at least {low:g}"
        raise ValueError(f"{what} must be a number {expected}, got {shown(value)}")
    return number


def truth_value(what: str, value: Any) -> bool:
    """Return `value` as a bool.

    Raises:
        ValueError: `value` is neither `True` nor `False`.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{what} must be True or False, got {shown(value)}")
    return bool(value)


def text_value(what: str, value: Any) -> str:
    """Return `value` as a str.

    Raises:
        ValueError: `value` is not text.
    """
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text, got {shown(value)}")
    return value


def one_of(what: str, value: Any, expected: Iterable[str]) -> str:
    """Return `value` if it is one of the expected words.

    Raises:
        ValueError: `value` is another word, or not text.
    """
    words = list(expected)
    if not isinstance(value, str) or value not in words:
        listed = " or ".join(map(repr, words)) if len(words) < 3 else f"one of {words}"
        raise ValueError(f"{what} must be {listed}, got {shown(value)}")
    return value


def symbol_rows(what: str, value: Any, size: int, symbols: str) -> list[str]:
    """Return `value` if it is a list of `size` strings of `size` symbols.

    Raises:
        ValueError: `value` is not such a list, or a character is not in `symbols`.
    """
    if (
        not isinstance(value, list)
        or len(value) != size
        or not all(isinstance(row, str) and len(row) == size for row in value)
        or set("".join(value)) - set(symbols)
    ):
        raise ValueError(
            f"{what} must be {size} strings of {size} characters, each one of {symbols!r}, "
            f"got {shown(value)}"
        )
    return value


def require_lines(lines: Sequence[str], expected: Sequence[str]) -> None:
    """Raise `ValueError` for the first line of a text that differs from the expected line."""
    for number, (line, right) in enumerate(zip(lines, expected, strict=False), 1):
        if line != right:
            raise ValueError(f"line {number} must be {right!r}, got {shown(line)}")
    if len(lines) != len(expected):
        raise ValueError(f"text must have {counted(len(expected), 'line')}, got {len(lines)}")


def require_implied(given: Mapping[str, Any], reason: str, **implied: int) -> None:
    """Raise `ValueError` for a value that differs from the value that a position implies.

    Args:
        given: values by name. Names may be missing.
        reason: reason for the message, such as `with 3 stones on the board`.
        **implied: expected values by name.
    """
    for name, value in implied.items():
        if given.get(name, value) != value:
            raise ValueError(f"{name} must be {value} {reason}, got {given[name]}")


def file_path(what: str, value: Any) -> Path:
    """Return `value` as a path.

    Raises:
        ValueError: `value` is not a path.
    """
    if not isinstance(value, str | os.PathLike):
        raise ValueError(f"{what} must be a path, got {shown(value)}")
    return Path(value)


def callable_or_none(what: str, value: Any) -> None:
    """Raise `ValueError` unless `value` is callable or `None`."""
    if value is not None and not callable(value):
        raise ValueError(f"{what} must be a function or None, got {shown(value)}")
