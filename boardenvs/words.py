"""Numbers in words, as sentences for people have them."""

from __future__ import annotations

__all__ = ["number"]

_SMALL = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def number(value: int) -> str:
    """A number from 0 on: up to twelve as a word."""
    return _SMALL[value] if value < len(_SMALL) else str(value)
