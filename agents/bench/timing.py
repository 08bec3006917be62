"""Fair timing on a shared machine: sides take turns, and medians count."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

__all__ = ["Side", "interleaved", "rate"]

Side = Callable[[], float]
"""One turn of one side of a comparison: measures and returns its figure."""

Name = TypeVar("Name", bound=Hashable)


def interleaved(sides: Mapping[Name, Side], rounds: int) -> dict[Name, float]:
    """Return the median figure of each side; each round has one turn of each side.

    What slows the machine down for a while so meets all sides alike. A first round, in
    which things compile and caches fill, does not count.

    Args:
        sides: what is compared.
        rounds: how many turns of each side count, at least 1.

    Raises:
        ValueError: there are no rounds.
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
    """Return the number of things per second that `work` does.

    Args:
        work: function that returns how many things it did.
        seconds: minimum time of the repetitions; there is at least one.
        prepare: function called before each `work`, whose time does not count.
    """
    done, spent = 0, 0.0
    while not done or spent < seconds:
        if prepare is not None:
            prepare()
        began = time.perf_counter()
        done += work()
        spent += time.perf_counter() - began
    return done / spent
