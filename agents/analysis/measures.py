"""Results of `agents.exploitability`: measures of the distance from perfect play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from boardenvs.core.checks import counted

__all__ = ["Distance", "Exploitability", "Measure"]


class Measure(Protocol):
    """A measure of the distance from perfect play. The kind of measure depends on the game."""

    kind: ClassVar[str]
    """Name of the measure."""

    @property
    def value(self) -> float:
        """Value of the measure."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of a measured value; both ends are the value if it was computed."""


@dataclass(frozen=True)
class Exploitability:
    """The results of the best responses to an agent's policy."""

    kind: ClassVar[str] = "exploitability"

    best_responses: tuple[float, ...]
    """Result of the best response in each seat, from -1 to 1; the agent has the other seat."""
    positions: int
    """Number of positions of the game. Positions with different last moves count separately."""

    @property
    def value(self) -> float:
        """Mean over the seats: 0 for perfect play, at most 1.

        In a zero-sum game it is half of "NashConv" (M. Lanctot and others, "A unified
        game-theoretic approach to multiagent reinforcement learning", NeurIPS 2017).
        """
        return sum(self.best_responses) / len(self.best_responses)

    @property
    def interval(self) -> tuple[float, float]:
        """The value as both ends, because it is computed."""
        return self.value, self.value


@dataclass(frozen=True)
class Distance:
    """The difference between the mean results of the best policy and an agent."""

    kind: ClassVar[str] = "distance from the best policy"

    value: float
    """Mean result of the best policy minus the agent's: 0 for perfect play."""
    interval: tuple[float, float]
    """The 95% interval; both ends are the value if it was computed."""
    best: float
    """Mean result of the best policy."""
    games: int
    """Number of games played; if the value was computed, the number of all possible games."""

    def __str__(self) -> str:
        low, high = self.interval
        found = f"{self.kind}: {self.value:.4f}"
        if low == high:
            return f"{found}, computed over all {counted(self.games, 'game')}"
        return f"{found} ({low:.4f} to {high:.4f}), measured in {counted(self.games, 'game')}"
