"""Timing on a shared machine: sides take turns, and a figure is the median of its turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

__all__ = ["Side", "interleaved", "rate"]

Side = Callable[[], float]
"""Function that measures one side of a comparison for one turn and returns the figure."""

Name = TypeVar("Name", bound=Hashable)


def interleaved(sides: Mapping[Name, Side], rounds: int) -> dict[Name, float]:
    """Return the median figure of each side.

    Each round has one turn of each side, so a slow phase of the machine affects all sides. The
    first round compiles code and fills caches, and does not count.

    Args:
        sides: sides to compare, by name.
        rounds: number of rounds that count, at least 1.

    Raises:
        ValueError: `rounds` is less than 1.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    for side in sides.values():
        side()
    figures: dict[Name, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            figures[name].append(side())
    return {name: statistics.median(found) for name, found in figures.items()}


def rate(
    work: Callable[[], int], seconds: float, prepare: Callable[[], object] | None = None
) -> float:
    """Return the number of units of work per second.

    Args:
        work: function that returns the number of units it did. It is called at least once.
        seconds: minimum total time of `work`.
        prepare: function called before each call of `work`. Its time does not count.
    """
    done, spent = 0, 0.0
    while not done or spent < seconds:
        if prepare is not None:
            prepare()
        began = time.perf_counter()
        done += work()
        spent += time.perf_counter() - began
    return done / spent
