"""A name that was mistyped, and the one that may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The end of a message about a name that there is not; nothing if no other is near."""
    near = difflib.get_close_matches(str(word)[:100].lower(), list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
