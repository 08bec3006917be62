"""Proved bounds of a position's result."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["UNKNOWN", "Solution"]


class Solution(NamedTuple):
    """Proved bounds of the result of the seat to move: 1 for a win, 0 for a draw, -1 for a loss."""

    low: float
    """Result that the seat can force."""
    high: float
    """Result that the other player cannot prevent from being the maximum."""
    plies: int
    """Maximum number of plies until the game is won or lost; -1 if unknown or drawn."""
    source: str
    """Kind of proof: "certificate", "theorem", "proof search", "exhaustive search", or an
    empty string without a proof."""

    @property
    def settled(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    @property
    def text(self) -> str:
        """The bounds as a verb: "wins", "draws", "loses", "does not lose", "does not win"."""
        return _TEXTS[self.low, self.high]


_TEXTS = {
    (1.0, 1.0): "wins",
    (0.0, 0.0): "draws",
    (-1.0, -1.0): "loses",
    (0.0, 1.0): "does not lose",
    (-1.0, 0.0): "does not win",
    (-1.0, 1.0): "",
}
UNKNOWN = Solution(-1.0, 1.0, -1, "")
"""The solution of a position without a proof."""
