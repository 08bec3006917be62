"""Fair timing on a machine that is not ours alone: sides take turns, medians count."""

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
    """The median figure of each side; in every round each side has its turn once.

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
    """How many things a second `work` does.

    Args:
        work: does some and says how many.
        seconds: it is repeated until it has run so long, at least once.
        prepare: called before each `work`; its time does not count.
    """
    done, spent = 0, 0.0
    while not done or spent < seconds:
        if prepare is not None:
            prepare()
        began = time.perf_counter()
        done += work()
        spent += time.perf_counter() - began
    return done / spent
