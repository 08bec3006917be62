"""A name that was mistyped, and the one that may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]

_NEAR = 0.7
"""Minimum similarity, from 0 to 1, of a suggested name: `plya` has 0.75 to `play`."""


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name, empty if no known name is similar."""
    near = difflib.get_close_matches(str(word)[:100].lower(), list(known), 1, _NEAR)
    return f"; did you mean {near[0]}?" if near else ""
