"""Intervals of what is measured in games."""

from __future__ import annotations

import math

from boardenvs.checks import finite_number, whole_number

__all__ = ["wilson"]


def wilson(successes: float, games: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval for a proportion, 95% by default.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22 (1927). A draw counts as half a success, for which the interval is
    a little too wide, never too narrow.

    Args:
        successes: from 0 to `games`, halves allowed.
        games: how many there were.
        z: standard normal quantile.

    Returns:
        Low and high, within [0, 1]; (0, 1) without games.

    Raises:
        ValueError: these are no such numbers.
    """
    games = whole_number("games", games, 0)
    # A sum of shares may be a trifle above.
    successes = min(finite_number("successes", successes, 0, games * (1 + 1e-9)), games)
    z = finite_number("z", z, 0)
    if games == 0:
        return 0.0, 1.0
    p = successes / games
    centre = p + z * z / (2 * games)
    spread = z * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    # Without a success, or a failure, the end is exact; rounding would leave a trace there.
    low = (centre - spread) / scale if successes > 0 else 0.0
    high = (centre + spread) / scale if successes < games else 1.0
    return low, high
