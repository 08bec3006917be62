"""What `agents.exploitability` answers: how near an agent comes to perfect play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

__all__ = ["Distance", "Exploitability", "Measure"]


class Measure(Protocol):
    """How near an agent comes to perfect play; which measure it is, depends on the game."""

    kind: ClassVar[str]
    """What `value` is."""

    @property
    def value(self) -> float:
        """The measure."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of a value that was measured; twice the value where it was computed."""


@dataclass(frozen=True)
class Exploitability:
    """What somebody who knows an agent's policy gets out of it."""

    kind: ClassVar[str] = "exploitability"

    best_responses: tuple[float, ...]
    """The result, from -1 to 1, of the best response that has each seat; the agent has the other
    one."""
    positions: int
    """How many there are in the game, with another last move counted as others."""

    @property
    def value(self) -> float:
        """The mean over the seats: 0 for perfect play, at most 1.

        In a zero-sum game it is half of "NashConv" (M. Lanctot and others, "A unified
        game-theoretic approach to multiagent reinforcement learning", NeurIPS 2017).
        """
        return sum(self.best_responses) / len(self.best_responses)

    @property
    def interval(self) -> tuple[float, float]:
        """Twice the value: it is computed."""
        return self.value, self.value


@dataclass(frozen=True)
class Distance:
    """By how much an agent's mean result is below that of the best policy."""

    kind: ClassVar[str] = "distance from the best policy"

    value: float
    """The best policy's mean result less the agent's: 0 for perfect play."""
    interval: tuple[float, float]
    """The 95% interval, or twice the value where it was computed."""
    best: float
    """The mean result of the best policy."""
    games: int
    """How many were played: where the value was computed, all that there are."""

    def __str__(self) -> str:
        low, high = self.interval
        found = f"{self.kind}: {self.value:.4f}"
        if low == high:
            return f"{found}, computed over all {self.games:,} games"
        return f"{found} ({low:.4f} to {high:.4f}), measured in {self.games:,} games"
