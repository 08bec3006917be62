"""A run of the benchmark: all measures, one after the other."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import TypeVar

from tqdm import tqdm

from agents.bench.effort import Effort
from agents.bench.row import Row
from agents.bench.timing import Side, interleaved

__all__ = ["Bench", "Key", "measure"]

Thing = TypeVar("Thing")
Key = tuple[str, ...]
"""Names one side of a comparison."""


class Bench:
    """What the measures share: how much to do, and which peers there are."""

    def __init__(self, effort: Effort) -> None:
        """Nothing is missing yet."""
        self.effort = effort
        self.missing: list[str] = []
        """A line for each peer that is not installed."""

    def peer(self, what: str, extra: str, build: Callable[[], Thing]) -> Thing | None:
        """What `build` makes, or `None` and a line in `missing` where it cannot be imported.

        Args:
            what: is missing then, in words.
            extra: of this package that brings it.
            build: imports the peer.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the peer's own affair
                return build()
        except ImportError as error:
            reason = f"there is no {error.name}" if error.name else " ".join(str(error).split())
            line = f"{what} is left out: {reason}; pip install 'boardenvs[{extra}]' brings it"
            if line not in self.missing:
                self.missing.append(line)
            return None

    def compare(self, sides: dict[Key, Side]) -> dict[Key, float]:
        """The median figure of each side, all taking turns; see `interleaved`."""
        return interleaved(sides, self.effort.rounds)


def measure(bench: Bench) -> list[Row]:
    """All figures; a bar on standard error shows how far it is."""
    from agents.bench.measures import MEASURES

    rows: list[Row] = []
    with tqdm(MEASURES.items(), disable=not sys.stderr.isatty()) as bar:
        for name, one in bar:
            bar.set_description(name)
            rows += one(bench)
    return rows
