"""Where a policy stands on a ladder: its Elo from its games against agents whose Elo is known.

The model is Bradley's and Terry's, a draw half a win: the odds against an agent 400 points below
are ten to one. What counts as one observation is a pair of games of one opening, in which the two
swap seats: so an opening that favours one side adds nothing to the spread.

The likelihood has Jeffreys' prior (D. Firth, "Bias reduction of maximum likelihood estimates",
Biometrika 80, 1993), which gives whoever won or lost everything a finite rating. Its interval holds
what the likelihood, divided by the dispersion, does not reject (G. Heinze, M. Schemper, "A solution
to the problem of separation in logistic regression", Statistics in Medicine 21, 2002). The
dispersion is that of the sandwich estimator (P. J. Huber, 1967): draws make it smaller than 1, a
policy that does better against some agents than its rating says makes it larger.

The agents' own ratings are estimates, too. A weighted mean of theirs is what a policy's rating is
measured from, so the variance of that mean is added.

All functions take any number of policies at once, as leading axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.analysis.intervals import Z

__all__ = ["ELO", "Estimate", "Evidence", "Scale", "fit", "next_opponent", "win_rates"]

ELO = 400 / math.log(10)
"""Points of a natural logarithm of odds."""
_PRIOR = 30.0  # the information for which a dispersion of 1 stands, before there are games
_LEAST = 0.1  # of the dispersion: a few games that went as expected prove no certainty
_REACH = 12.0  # how far beyond the ladder's ends a rating is looked for, in logarithms of odds
_HALVINGS = 32
_WIDEST = 300.0  # most points by which a rating is taken to be uncertain, to choose an opponent
_NEARLY = 0.85
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """The agents of a ladder, as far as ratings go."""

    elo: Array
    """Of each agent, shape (A,)."""
    covariance: Array
    """Of these estimates, in squared points, shape (A, A); an agent that is 0 by definition has
    none."""


@dataclass(frozen=True)
class Evidence:
    """What came out of pairs of games with each agent of the ladder; leading axes are policies."""

    pairs: Array
    """How many there were, shape (..., A)."""
    scores: Array
    """The sum of the policy's scores in them, of each pair from 0 to 2, likewise."""
    squares: Array
    """The sum of the squares of these scores."""

    @classmethod
    def none(cls, *shape: int) -> Evidence:
        """Before the first game; `shape` ends with the number of agents."""
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))


@dataclass(frozen=True)
class Estimate:
    """Ratings, each array of shape (...)."""

    elo: Array
    low: Array
    """The lower end of the 95% interval."""
    high: Array
    by_games: Array
    """Half the width of an interval that takes the ladder's ratings for certain."""
    by_ladder: Array
    """Half the width that the ladder's own uncertainty alone would make."""
    dispersion: Array

    @property
    def half_width(self) -> Array:
        """Half the interval's width."""
        return (self.high - self.low) / 2


def win_rates(elo: npt.ArrayLike, scale: Scale) -> Array:
    """The score that is expected against each agent, shape (..., A).

    Args:
        elo: of policies, shape (...).
        scale: of the agents.
    """
    lead = (np.asarray(elo, np.float64)[..., None] - scale.elo) / ELO
    rates: Array = 1 / (1 + np.exp(-lead))
    return rates


def fit(scale: Scale, evidence: Evidence) -> Estimate:
    """Rate policies by their games.

    Args:
        scale: of the agents that they met.
        evidence: what came of it. Without games a rating is anything: its interval then is much
            wider than the ladder, in the middle of which it is put.
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
    """Against whom a game tells most about the rating.

    It is whose games have the largest Fisher information, in the mean over where the rating may
    be; of agents whose games tell nearly as much, whoever played least, since a rating should not
    hang on one agent.

    Args:
        scale: of the agents.
        estimate: so far.
        pairs: of games with each agent so far, shape (..., A).
        allowed: who may be chosen, shape (..., A); by default all.

    Returns:
        The agent's place in the ladder, shape (...).
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
    # Of equally many games, whose tell more.
    return np.where(near, pairs - fisher, np.inf).argmin(-1)


def _quadratic(weights: Array, matrix: Array) -> Array:
    """The variance of a weighted sum."""
    found: Array = np.maximum(((weights @ matrix) * weights).sum(-1), 0)
    return found


def _height(anchors: Array, evidence: Evidence, x: Array) -> Array:
    """The logarithm of the likelihood with Jeffreys' prior."""
    lead = x[..., None] - anchors
    losses = np.logaddexp(0, lead)  # of a game that is lost; a won one has `lead` less
    fisher = 2 * evidence.pairs * np.exp(lead - 2 * losses)
    likelihood = (evidence.scores * lead - 2 * evidence.pairs * losses).sum(-1)
    height: Array = likelihood + np.log(np.maximum(fisher.sum(-1), 1e-300)) / 2
    return height


def _slope(anchors: Array, evidence: Evidence, x: Array) -> Array:
    """Its derivative."""
    rates = 1 / (1 + np.exp(anchors - x[..., None]))
    fisher = 2 * evidence.pairs * rates * (1 - rates)
    bias = (fisher * (1 - 2 * rates)).sum(-1) / np.maximum(fisher.sum(-1), 1e-300) / 2
    slope: Array = (evidence.scores - 2 * evidence.pairs * rates).sum(-1) + bias
    return slope


def _crossing(before: object, low: Array, high: Array) -> Array:
    """Where a condition that holds from `low` on ceases, by halving."""
    assert callable(before)
    low, high = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        ahead = before(middle)
        low = np.where(ahead, middle, low)
        high = np.where(ahead, high, middle)
    return (low + high) / 2
