"""State that all measures share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TypeVar

from agents.speed.effort import Effort
from agents.speed.row import Row
from agents.speed.timing import Side, interleaved

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

    def rows(
        self,
        measure: str,
        unit: str,
        against: str,
        sides: Mapping[Key, Side | None],
        rounds: int | None = None,
    ) -> list[Row]:
        """Return a row for each game, which compares it with a ceiling or a peer.

        Args:
            measure: name of the measure.
            unit: unit of the figures.
            against: name of the ceiling or peer.
            sides: the side of each game by `(game,)`, and the other side by `(game, against)`, or
                by `(against,)` if it is the same for all games. A peer that is not installed is
                `None`.
            rounds: number of rounds; that of the run by default.
        """
        there = {key: side for key, side in sides.items() if side is not None}
        found = interleaved(there, rounds or self.effort.rounds)
        games = [key[0] for key in there if len(key) == 1 and key[0] != against]
        return [
            Row(
                measure,
                game,
                found[game,],
                unit,
                against,
                found.get((game, against), found.get((against,))),
            )
            for game in games
        ]

    def compare(self, sides: dict[Key, Side]) -> dict[Key, float]:
        """Return the median figure of each side, as `interleaved` does."""
        return interleaved(sides, self.effort.rounds)
