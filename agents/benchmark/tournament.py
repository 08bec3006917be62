"""The tournament of a ladder's agents: the pairing of each round, and the ratings.

Each round is played by the two agents whose games most reduce the uncertainty of the differences
between neighbours. Every fifth round is played by agents that are further apart, in turn. The
ratings use the model of `agents.benchmark.rating`, fitted to all games at once. The covariance is
that of the sandwich estimator.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.analysis.intervals import Z
from agents.benchmark.rating import ELO, Scale

__all__ = ["Crosstable", "next_pair", "rate_ladder"]

_PRIOR = 4.0
_FURTHER = 5  # every fifth round is played by agents that are not neighbours
_FURTHEST = 3  # maximum distance in places of two agents that play each other
_TOLERANCE = 1e-10

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Crosstable:
    """Results of games between the agents of a ladder.

    All arrays have shape (A, A). The row is the higher agent.
    """

    pairs: Array
    """Number of pairs of games."""
    scores: Array
    """Sum of the row agent's scores, from 0 to 2 for each pair of games."""
    squares: Array
    """Sum of the squared distances of these scores from 1."""

    @classmethod
    def none(cls, size: int) -> Crosstable:
        """Return a table without games."""
        return cls(np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size)))


def rate_ladder(table: Crosstable) -> Scale:
    """Return the ratings of the agents, with the first one at 0, and their covariance.

    Every two neighbours are assumed to have drawn an additional half pair of games, so that all
    ratings are finite.
    """
    size = len(table.pairs)
    low, high = np.triu_indices(size, 1)
    # The stronger agent has the higher index and is the row.
    pairs = table.pairs[high, low] + 0.5 * (high - low == 1)
    scores = table.scores[high, low] + 0.5 * (high - low == 1)
    squares = table.squares[high, low]
    sides = np.zeros((len(pairs), size))
    sides[np.arange(len(pairs)), high] = 1
    sides[np.arange(len(pairs)), low] = -1
    sides = sides[:, 1:]
    x = np.zeros(size - 1)
    for _ in range(100):
        rates = 1 / (1 + np.exp(-sides @ x))
        fisher = 2 * pairs * rates * (1 - rates)
        information = sides.T @ (fisher[:, None] * sides)
        step = np.linalg.solve(information, sides.T @ (scores - 2 * pairs * rates))
        x += np.clip(step, -2, 2)
        if np.abs(step).max() < _TOLERANCE:
            break
    # The squared distance of a pair's score from its expectation 2 p, from that to 1.
    off = 2 * rates - 1
    residual = squares - 2 * off * (scores - pairs) + pairs * off**2
    dispersion = (_PRIOR + np.maximum(residual, 0)) / (_PRIOR + fisher)
    inverse = np.linalg.inv(information)
    spread = inverse @ (sides.T @ ((dispersion * fisher)[:, None] * sides)) @ inverse
    covariance = np.zeros((size, size))
    covariance[1:, 1:] = spread * ELO**2
    return Scale(np.concatenate([[0.0], x]) * ELO, covariance)


def neighbour_errors(scale: Scale) -> Array:
    """Return half the 95% interval of each agent's lead over the one below, shape (A - 1,)."""
    variances = np.diag(scale.covariance)
    beside = np.diag(scale.covariance, 1)
    errors: Array = Z * np.sqrt(np.maximum(variances[1:] + variances[:-1] - 2 * beside, 0))
    return errors


def next_pair(
    table: Crosstable, rounds: int, first: float, most: Array | None = None
) -> tuple[int, int] | None:
    """Return the two agents of the next round, as indices in the ladder, the weaker one first.

    These are the agents whose games most reduce the uncertainty of the neighbours' differences:
    usually the least certain neighbours, or agents around them if these have no games left.

    Args:
        table: results of the games so far.
        rounds: number of rounds so far.
        first: number of pairs of games that all neighbours play before any other games.
        most: maximum number of pairs of games between two agents, shape (A, A).

    Returns:
        The two indices; `None` if no games are left.
    """
    size = len(table.pairs)
    most = np.full((size, size), np.inf) if most is None else most
    for low in range(size - 1):
        if table.pairs[low + 1, low] < min(first, most[low + 1, low]):
            return low, low + 1
    able = [
        (low, high)
        for low, high in itertools.combinations(range(size), 2)
        if high - low <= _FURTHEST and table.pairs[high, low] < most[high, low]
    ]
    further = [(low, high) for low, high in able if high - low > 1]
    if further and rounds % _FURTHER == _FURTHER - 1:
        return min(further, key=lambda pair: table.pairs[pair[1], pair[0]] * (pair[1] - pair[0]))
    gains = _gains(rate_ladder(table), able)
    return able[int(gains.argmax())] if able else None


def _gains(scale: Scale, pairs: Sequence[tuple[int, int]]) -> Array:
    """Return how much a pair of games of two agents reduces the neighbours' variances, shape (P,).

    Each difference is weighted by its variance, so the least certain one counts most. This is one
    step of an optimal design (V. Fedorov, "Theory of optimal experiments", 1972).
    """
    if not pairs:
        return np.zeros(0)
    low, high = np.array(pairs).T
    size = len(scale.elo)
    sides = np.zeros((len(pairs), size))
    sides[np.arange(len(pairs)), high] = 1
    sides[np.arange(len(pairs)), low] = -1
    beside = np.eye(size)[1:] - np.eye(size)[:-1]
    covariance = scale.covariance / ELO**2
    rates = 1 / (1 + np.exp(-(sides @ scale.elo) / ELO))
    fisher = 2 * rates * (1 - rates)
    shared = beside @ covariance @ sides.T  # of each difference and each pair of agents
    own = np.einsum("ps,st,pt->p", sides, covariance, sides)
    weights = np.einsum("ks,st,kt->k", beside, covariance, beside)
    gains: Array = weights @ shared**2 * fisher / (1 + fisher * own)
    return gains


def pair_scores(first: Sequence[float]) -> Array:
    """Return the first agent's score in each pair of games, from its results in order.

    Args:
        first: results, above 0 for a win and below 0 for a loss; an even number of results.
    """
    scores = (1 + np.sign(np.asarray(first, np.float64))) / 2
    pairs: Array = scores.reshape(-1, 2).sum(1)
    return pairs
