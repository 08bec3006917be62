"""Time limits as people write them, such as `500ms` or `2s`."""

from __future__ import annotations

import re

__all__ = ["LONGEST", "MEANT", "seconds_of"]

_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s)")
LONGEST = 86_400
"""Seconds: a day."""
MEANT = "a time such as 500ms or 2s"


def seconds_of(text: str) -> float | None:
    """The seconds that a text says; `None` if it is no time.

    Raises:
        ValueError: it is a time, but none to think for: zero, or more than a day.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1)
    if not 0 < seconds <= LONGEST:
        raise ValueError(f"a time must be above 0 and no more than a day, got {text!r}")
    return seconds
