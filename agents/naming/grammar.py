"""Time limits as text, such as `500ms` or `2s`."""

from __future__ import annotations

import re

__all__ = ["LONGEST", "MEANT", "seconds_of"]

_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s)")
LONGEST = 86_400
"""Maximum time limit: a day, in seconds."""
MEANT = "a time such as 500ms or 2s"


def seconds_of(text: str) -> float | None:
    """Return the seconds of a time limit; `None` if the text is not a time.

    Raises:
        ValueError: the time is zero or longer than a day.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1)
    if not 0 < seconds <= LONGEST:
        raise ValueError(f"time must be above 0 and at most a day, got {text!r}")
    return seconds
