"""Ratings, scores, intervals and times as text."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["elo_text", "interval_text", "score_text", "time_text"]


def elo_text(elo: float) -> str:
    """Return an Elo rating or difference as a whole number with its sign, such as `+12`."""
    return f"{round(elo):+d}" if round(elo) else "0"


def score_text(score: float) -> str:
    """Return a score from 0 to 1 with three decimals."""
    return f"{score:.3f}"


def interval_text(low: float, high: float, text: Callable[[float], str] = score_text) -> str:
    """Return an interval such as `0.354 to 0.863`.

    Args:
        low: the lower end.
        high: the upper end.
        text: writes one end.
    """
    return f"{text(low)} to {text(high)}"


def time_text(seconds: float) -> str:
    """Return a time in s, ms or µs with three digits, such as `1.25 ms`."""
    for size, unit in ((1, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
