"""Until when two agents must play: a test that may look at the score after every game.

The usual interval holds for a number of games fixed beforehand. Who looks again and again
and stops at the first clear score will find a difference between equal agents sooner or
later. The test here is made for that: it bets against the claim that a mean is m, and if
the claim is true, the chance that its capital ever reaches 1/ERROR times what it began
with is at most ERROR, however often and whenever one looks (Ville's inequality).

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
"""How often at most equal agents are ever told apart, and an interval ever misses the mean."""

_BOLDEST = 0.5  # the share of the capital that a bet may lose at most
_Values = npt.NDArray[np.float64]


def decided_after(scores: _Values) -> int | None:
    """After how many of the scores it is first decided that their mean is not 1/2.

    Args:
        scores: one after the other, from 0 to 1, shape (N,).

    Returns:
        A number from 1 to N; `None` while it is open.
    """
    up, down = _log_capitals(scores, _bets(scores), 0.5)
    reached = np.maximum(up, down) >= math.log(2 / ERROR)
    return int(reached.argmax()) + 1 if reached.any() else None


def confidence_sequence(scores: _Values) -> tuple[float, float]:
    """The interval of the mean after these scores; all of them hold at once.

    The chance that any interval of the sequence misses the mean is at most `ERROR`. The one
    at which `decided_after` stops leaves out 1/2.

    Args:
        scores: from 0 to 1, shape (N,).

    Returns:
        Low and high; (0, 1) without scores.
    """
    if not len(scores):
        return 0.0, 1.0
    bets = _bets(scores)

    def refuted(mean: float, side: int) -> bool:
        capital = _log_capitals(scores, bets, mean)[side][-1]
        return bool(capital >= math.log(2 / ERROR))

    # The capital on a higher mean falls in m, that on a lower one rises, so the claims that
    # either refutes reach from one end to a border.
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
    """How much is bet on each score, told by those before it alone."""
    n = np.arange(1, len(scores) + 1)
    means = (0.5 + scores.cumsum()) / (n + 1)
    variances = (0.25 + ((scores - means) ** 2).cumsum()) / (n + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    return np.sqrt(2 * math.log(2 / ERROR) / (before * n * np.log(n + 1)))


def _log_capitals(scores: _Values, bets: _Values, mean: float) -> tuple[_Values, _Values]:
    """Logarithms of the capitals after each score, bet on a higher and on a lower mean."""
    off = scores - mean
    up = np.log1p(np.minimum(bets, _BOLDEST / mean) * off)
    down = np.log1p(-np.minimum(bets, _BOLDEST / (1 - mean)) * off)
    return up.cumsum(), down.cumsum()
