"""Suggestions for mistyped names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]

_NEAR = 0.7
"""Minimum similarity of a suggested name, from 0 to 1. That of `plya` and `play` is 0.75."""


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return a suggestion for the end of a message, empty if no known name is similar."""
    near = difflib.get_close_matches(str(word)[:100].lower(), list(known), 1, _NEAR)
    return f"; did you mean {near[0]}?" if near else ""
