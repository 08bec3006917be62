"""A sequential test of which of two agents is better, valid after any number of games.

The usual interval requires a fixed number of games. Checking it after every game would sooner or
later find a difference between equal agents. This test bets against the claim that a mean is m. If
the claim is true, the probability that the capital ever reaches 1/ERROR times its start is at most
ERROR, for any number of checks (Ville's inequality).

Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
betting", Journal of the Royal Statistical Society B 86 (2024): the hedged capital process,
theorem 3, with the bets that follow the theorem, c = 1/2 and theta = 1/2.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["ERROR", "confidence_sequence", "decided_after"]

ERROR = 0.05
"""Maximum probability that equal agents are found different, or that an interval misses the mean.
"""

_BOLDEST = 0.5  # maximum share of the capital that a bet may lose
_Values = npt.NDArray[np.float64]


def decided_after(scores: _Values) -> int | None:
    """Return the number of scores after which the test first rejects a mean of 1/2.

    Args:
        scores: scores from 0 to 1 in the order of the games, shape (N,).

    Returns:
        A number from 1 to N; `None` if the test does not decide.
    """
    up, down = _log_capitals(scores, _bets(scores), 0.5)
    reached = np.maximum(up, down) >= math.log(2 / ERROR)
    return int(reached.argmax()) + 1 if reached.any() else None


def confidence_sequence(scores: _Values) -> tuple[float, float]:
    """Return the interval of the mean after these scores.

    The probability that any of the intervals, one after each score, misses the mean is at most
    `ERROR`. The interval at which `decided_after` stops excludes 1/2.

    Args:
        scores: scores from 0 to 1, shape (N,).

    Returns:
        Low and high; (0, 1) without scores.
    """
    if not len(scores):
        return 0.0, 1.0
    bets = _bets(scores)

    def refuted(mean: float, side: int) -> bool:
        capital = _log_capitals(scores, bets, mean)[side][-1]
        return bool(capital >= math.log(2 / ERROR))

    # The capital on a higher mean decreases with m, the other increases. So each capital refutes
    # all means from one end of the range to a border.
    def border(side: int, out: float, inside: float) -> float:
        for _ in range(40):
            middle = (out + inside) / 2
            if refuted(middle, side):
                out = middle
            else:
                inside = middle
        return out

    return border(0, 0.0, 1.0), border(1, 1.0, 0.0)


def _bets(scores: _Values) -> _Values:
    """Return the bet on each score, which depends only on the scores before it."""
    n = np.arange(1, len(scores) + 1)
    means = (0.5 + scores.cumsum()) / (n + 1)
    variances = (0.25 + ((scores - means) ** 2).cumsum()) / (n + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    return np.sqrt(2 * math.log(2 / ERROR) / (before * n * np.log(n + 1)))


def _log_capitals(scores: _Values, bets: _Values, mean: float) -> tuple[_Values, _Values]:
    """Return the logarithms of both capitals after each score: on a higher and on a lower mean."""
    off = scores - mean
    up = np.log1p(np.minimum(bets, _BOLDEST / mean) * off)
    down = np.log1p(-np.minimum(bets, _BOLDEST / (1 - mean)) * off)
    return up.cumsum(), down.cumsum()
