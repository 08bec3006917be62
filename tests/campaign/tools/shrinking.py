"""The smallest list that still shows a failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def smallest(parts: list[T], fails: Callable[[list[T]], bool], seconds: float = 20) -> list[T]:
    """What is left of a list after dropping all that it fails without: halves first, then less.

    Args:
        parts: that fail together.
        fails: whether fewer do, too.
        seconds: after which it gives up; what it has by then is returned.
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
