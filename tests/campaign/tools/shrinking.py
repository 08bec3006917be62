"""Reduction of a list to the smallest one that still fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def smallest(parts: list[T], fails: Callable[[list[T]], bool], seconds: float = 20) -> list[T]:
    """Return a list after dropping all parts that are not needed to fail, larger chunks first.

    Args:
        parts: a list that fails.
        fails: returns whether a shorter list fails.
        seconds: time limit, after which the list so far is returned.
    """
    until = time.monotonic() + seconds
    size = max(1, len(parts) // 2)
    while parts:
        place, before = 0, len(parts)
        while place < len(parts):
            fewer = parts[:place] + parts[place + size :]
            if time.monotonic() > until:
                return parts
            if fails(fewer):
                parts = fewer
            else:
                place += size
        if size == 1 and len(parts) == before:
            return parts
        size = max(1, size // 2)
    return parts
