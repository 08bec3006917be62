"""The rating of a policy on a ladder: its Elo from games against agents with known Elo.

The model is that of Bradley and Terry, with a draw as half a win: the odds against an agent 400
points below are ten to one. One observation is a pair of games with the same opening and swapped
seats, so an opening that favours one side does not add to the spread.

The likelihood has Jeffreys' prior (D. Firth, "Bias reduction of maximum likelihood estimates",
Biometrika 80, 1993), so the rating is finite even if all games were won or lost. The interval
contains the ratings that the likelihood, divided by the dispersion, does not reject (G. Heinze,
M. Schemper, "A solution to the problem of separation in logistic regression", Statistics in
Medicine 21, 2002). The dispersion is that of the sandwich estimator (P. J. Huber, 1967). Draws make
it smaller than 1. A policy whose results against some agents do not fit its rating makes it larger.

The agents' own ratings are estimates, too. A policy's rating is relative to a weighted mean of
them, so the variance of that mean is added.

All functions accept any number of policies as leading axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.analysis.intervals import Z

__all__ = ["ELO", "Estimate", "Evidence", "Scale", "fit", "next_opponent", "win_rates"]

ELO = 400 / math.log(10)
"""Elo points per unit of the natural logarithm of odds."""
_PRIOR = 30.0  # prior information with a dispersion of 1
_LEAST = 0.1  # minimum dispersion, for a few games that went as expected
_REACH = 12.0  # search range of ratings beyond the ladder's ends, in logarithms of odds
_HALVINGS = 32
_WIDEST = 300.0  # maximum uncertainty in points that is used to choose an opponent
_NEARLY = 0.85
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """The ratings of a ladder's agents."""

    elo: Array
    """Elo of each agent, shape (A,)."""
    covariance: Array
    """Covariance of these estimates in squared points, shape (A, A); 0 for the agent at 0."""


@dataclass(frozen=True)
class Evidence:
    """Results of pairs of games with each agent of a ladder; leading axes are policies."""

    pairs: Array
    """Number of pairs, shape (..., A)."""
    scores: Array
    """Sum of the policy's scores in the pairs, each from 0 to 2, shape (..., A)."""
    squares: Array
    """Sum of the squares of these scores, shape (..., A)."""

    @classmethod
    def none(cls, *shape: int) -> Evidence:
        """Return evidence without games; `shape` ends with the number of agents."""
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))


@dataclass(frozen=True)
class Estimate:
    """Ratings, each array of shape (...)."""

    elo: Array
    low: Array
    """Lower end of the 95% interval."""
    high: Array
    """Upper end of the 95% interval."""
    by_games: Array
    """Half the width of the interval if the ladder's ratings were certain."""
    by_ladder: Array
    """Half the width of the interval from the ladder's uncertainty only."""
    dispersion: Array

    @property
    def half_width(self) -> Array:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def win_rates(elo: npt.ArrayLike, scale: Scale) -> Array:
    """Return the expected score against each agent, shape (..., A).

    Args:
        elo: Elo of policies, shape (...).
        scale: ratings of the agents.
    """
    lead = (np.asarray(elo, np.float64)[..., None] - scale.elo) / ELO
    rates: Array = 1 / (1 + np.exp(-lead))
    return rates


def fit(scale: Scale, evidence: Evidence) -> Estimate:
    """Rate policies by their games.

    Args:
        scale: ratings of the agents.
        evidence: results of the games. Without games, the rating is the middle of the ladder, and
            its interval is much wider than the ladder.
    """
    anchors = scale.elo / ELO
    low = np.full(evidence.pairs.shape[:-1], anchors.min() - _REACH)
    high = np.full_like(low, anchors.max() + _REACH)
    peak = _crossing(lambda x: _slope(anchors, evidence, x) > 0, low, high)
    peak = np.where(evidence.pairs.sum(-1) > 0, peak, (low + high) / 2)
    rates = 1 / (1 + np.exp(anchors - peak[..., None]))
    fisher = 2 * evidence.pairs * rates * (1 - rates)
    residual = evidence.squares - 4 * rates * evidence.scores + 4 * evidence.pairs * rates**2
    information = fisher.sum(-1)
    dispersion = (_PRIOR + residual.sum(-1)) / (_PRIOR + information)
    dispersion = np.maximum(dispersion, _LEAST)
    bound = _height(anchors, evidence, peak) - dispersion * Z**2 / 2
    left = _crossing(lambda x: _height(anchors, evidence, x) < bound, low, peak)
    right = _crossing(lambda x: _height(anchors, evidence, x) > bound, peak, high)
    below, above = (peak - left) * ELO, (right - peak) * ELO
    weights = fisher / np.maximum(information, 1e-300)[..., None]
    by_ladder = Z * np.sqrt(_quadratic(weights, scale.covariance))
    elo = peak * ELO
    return Estimate(
        elo,
        elo - np.hypot(below, by_ladder),
        elo + np.hypot(above, by_ladder),
        (below + above) / 2,
        by_ladder,
        dispersion,
    )


def next_opponent(
    scale: Scale, estimate: Estimate, pairs: Array, allowed: npt.ArrayLike | None = None
) -> npt.NDArray[np.intp]:
    """Return the agent whose games are most informative about the rating.

    This is the agent with the largest Fisher information, averaged over the uncertain rating. Of
    agents with nearly the same information, the one with the fewest games is chosen, because a
    rating should not depend on one agent.

    Args:
        scale: ratings of the agents.
        estimate: ratings of the policies so far.
        pairs: number of pairs of games with each agent so far, shape (..., A).
        allowed: mask of the agents that may be chosen, shape (..., A); by default all.

    Returns:
        Index of the agent in the ladder, shape (...).
    """
    spread = np.minimum(estimate.by_games / Z, _WIDEST)
    at = np.clip(estimate.elo, scale.elo.min() - _WIDEST, scale.elo.max() + _WIDEST)
    fisher = np.zeros((*at.shape, len(scale.elo)))
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        rates = win_rates(at + node * spread, scale)
        fisher += weight * rates * (1 - rates)
    if allowed is not None:
        fisher = np.where(allowed, fisher, -1)
    near = fisher >= _NEARLY * fisher.max(-1, keepdims=True)
    # The information, which is below 1, breaks ties in the number of games.
    return np.where(near, pairs - fisher, np.inf).argmin(-1)


def _quadratic(weights: Array, matrix: Array) -> Array:
    """Return the variance of a weighted sum."""
    found: Array = np.maximum(((weights @ matrix) * weights).sum(-1), 0)
    return found


def _height(anchors: Array, evidence: Evidence, x: Array) -> Array:
    """Return the log-likelihood with Jeffreys' prior."""
    lead = x[..., None] - anchors
    losses = np.logaddexp(0, lead)  # for a lost game; subtract `lead` for a won one
    fisher = 2 * evidence.pairs * np.exp(lead - 2 * losses)
    likelihood = (evidence.scores * lead - 2 * evidence.pairs * losses).sum(-1)
    height: Array = likelihood + np.log(np.maximum(fisher.sum(-1), 1e-300)) / 2
    return height


def _slope(anchors: Array, evidence: Evidence, x: Array) -> Array:
    """Return the derivative of `_height`."""
    rates = 1 / (1 + np.exp(anchors - x[..., None]))
    fisher = 2 * evidence.pairs * rates * (1 - rates)
    bias = (fisher * (1 - 2 * rates)).sum(-1) / np.maximum(fisher.sum(-1), 1e-300) / 2
    slope: Array = (evidence.scores - 2 * evidence.pairs * rates).sum(-1) + bias
    return slope


def _crossing(before: object, low: Array, high: Array) -> Array:
    """Return by bisection where a condition that holds at `low` becomes false."""
    assert callable(before)
    low, high = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        ahead = before(middle)
        low = np.where(ahead, middle, low)
        high = np.where(ahead, high, middle)
    return (low + high) / 2
