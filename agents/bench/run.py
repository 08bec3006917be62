"""State that all measures share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from agents.bench.effort import Effort
from agents.bench.timing import Side, interleaved

__all__ = ["Bench", "Key"]

Thing = TypeVar("Thing")
Key = tuple[str, ...]
"""Names one side of a comparison."""


class Bench:
    """Sizes of a run and available peers, shared by all measures."""

    def __init__(self, effort: Effort) -> None:
        """Nothing is missing yet."""
        self.effort = effort
        self.missing: list[str] = []
        """A line for each peer that is not installed."""

    def peer(self, what: str, extra: str, build: Callable[[], Thing]) -> Thing | None:
        """Return the result of `build`, or `None` and add a line to `missing` on an ImportError.

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
        """Return the median figure of each side; see `interleaved`."""
        return interleaved(sides, self.effort.rounds)
