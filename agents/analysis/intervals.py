"""Intervals of measurements in games."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import finite_number, whole_number

__all__ = ["Z", "bootstrap_mean", "interquartile_mean", "mean_interval", "wilson"]

Z = 1.959964
"""Number of standard deviations on each side that contain 95% of a normal distribution."""
_DRAWS = 10_000
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622)
"""The 97.5% quantiles of Student's distributions with 1 to 9 degrees of freedom."""


def wilson(successes: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95% score interval for a proportion.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22 (1927). A draw counts as half a success. This makes the interval a
    little too wide, never too narrow.

    Args:
        successes: number of successes from 0 to `games`, including halves.
        games: number of games, at least 0.

    Returns:
        Low and high, within [0, 1]; (0, 1) without games.

    Raises:
        ValueError: a number is out of range.

    Example:
        >>> from agents.arena import wilson
        >>> low, high = wilson(75, games=100)
        >>> round(low, 3), round(high, 3)
        (0.657, 0.825)
    """
    games = whole_number("games", games, 0)
    # Rounding may lift a sum of shares slightly above `games`.
    successes = min(finite_number("successes", successes, 0, games * (1 + 1e-9)), games)
    if games == 0:
        return 0.0, 1.0
    p = successes / games
    centre = p + Z * Z / (2 * games)
    spread = Z * math.sqrt(p * (1 - p) / games + Z * Z / (4 * games * games))
    scale = 1 + Z * Z / games
    # Without successes or failures, the end is exactly 0 or 1, despite rounding.
    low = (centre - spread) / scale if successes > 0 else 0.0
    high = (centre + spread) / scale if successes < games else 1.0
    return low, high


def interquartile_mean(values: npt.ArrayLike, axis: int = -1) -> float | npt.NDArray[np.float64]:
    """Return the mean without the lowest and the highest quarter (rounded down) of the values.

    Source: R. Agarwal and others, "Deep reinforcement learning at the edge of the statistical
    precipice", NeurIPS 2021; the same as SciPy's `trim_mean(values, 0.25)`.

    Args:
        values: at least one value along `axis`.
        axis: axis of the mean.
    """
    ordered = np.sort(np.asarray(values, np.float64), axis)
    size = ordered.shape[axis]
    middle = np.take(ordered, np.arange(size // 4, size - size // 4), axis).mean(axis)
    return float(middle) if middle.ndim == 0 else middle


def bootstrap_mean(
    values: npt.NDArray[np.float64], errors: npt.NDArray[np.float64], rng: np.random.Generator
) -> tuple[float, float]:
    """Return the 95% interval of an interquartile mean of estimates, by the parametric bootstrap.

    Every estimate is resampled from a normal distribution. The tasks are fixed and not resampled.

    Args:
        values: estimates, shape (N,).
        errors: standard errors of the estimates, shape (N,).
        rng: generator of the bootstrap.
    """
    drawn = values + errors * rng.standard_normal((_DRAWS, len(values)))
    low, high = np.quantile(interquartile_mean(drawn, 1), [0.025, 0.975])
    return float(low), float(high)


def mean_interval(
    values: npt.ArrayLike, axis: int = -1
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return Student's 95% interval of the mean of some measurements.

    Source: Student, "The probable error of a mean", Biometrika 6 (1908).

    Args:
        values: at least one value along `axis`.
        axis: axis of the mean.

    Returns:
        Low and high, without that axis; NaN for a single value.
    """
    known = np.asarray(values, np.float64)
    number = known.shape[axis]
    mean = known.mean(axis)
    if number == 1:
        unknown = np.full_like(mean, np.nan)
        return unknown, unknown
    spread = _student(number - 1) * known.std(axis, ddof=1) / math.sqrt(number)
    return mean - spread, mean + spread


def _student(freedom: int) -> float:
    """Return Student's 97.5% quantile; above 9 degrees by Fisher's expansion, Metron 5 (1925)."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    return (
        Z
        + (Z**3 + Z) / (4 * freedom)
        + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * freedom**2)
        + (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / (384 * freedom**3)
    )
