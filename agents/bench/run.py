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
"""Name of one side of a comparison."""


class Bench:
    """Sizes of a run and missing peers, shared by all measures."""

    def __init__(self, effort: Effort) -> None:
        """Create a run with these sizes."""
        self.effort = effort
        self.missing: list[str] = []
        """One message for each peer that is not installed."""

    def peer(self, what: str, extra: str, build: Callable[[], Thing]) -> Thing | None:
        """Return the result of `build`, or `None` if it raises `ImportError`.

        In the second case, add a message to `missing`.

        Args:
            what: name of the peer in the message.
            extra: extra of boardenvs that installs the peer.
            build: function that imports the peer.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # users cannot fix the warnings of a peer
                return build()
        except ImportError as error:
            reason = (
                f"{error.name} is not installed" if error.name else " ".join(str(error).split())
            )
            line = f"skipped {what}: {reason}; run pip install 'boardenvs[{extra}]'"
            if line not in self.missing:
                self.missing.append(line)
            return None

    def compare(self, sides: dict[Key, Side]) -> dict[Key, float]:
        """Return the median figure of each side, as `interleaved` does."""
        return interleaved(sides, self.effort.rounds)
