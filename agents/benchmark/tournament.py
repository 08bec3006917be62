"""The tournament of a ladder's agents: who plays whom next, and the ratings that come of it.

Each round goes to the neighbours whose difference is least certain, every fifth one to agents that
are further apart, in turn. The ratings are those of the model of `agents.benchmark.rating`, fitted
to all games at once; the covariance is the sandwich estimator's.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.benchmark.rating import ELO, Scale, Z

__all__ = ["Crosstable", "next_pair", "rate_ladder"]

_PRIOR = 4.0
_FURTHER = 5  # every so many rounds are of agents that are no neighbours
_TOLERANCE = 1e-10

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Crosstable:
    """Pairs of games between the agents of a ladder, arrays of shape (A, A), row above column."""

    pairs: Array
    scores: Array
    """The sum of the row's agent's scores, of each pair of games from 0 to 2."""
    squares: Array
    """The sum of the squares of its distance from 1."""

    @classmethod
    def none(cls, size: int) -> Crosstable:
        """Before the first game."""
        return cls(np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size)))


def rate_ladder(table: Crosstable) -> Scale:
    """Ratings of the agents, the first one's 0, and their covariance.

    Every two neighbours are taken to have drawn half a pair of games besides, so that nobody is
    infinitely far away.
    """
    size = len(table.pairs)
    low, high = np.triu_indices(size, 1)
    # The stronger agent has the higher place: rows are the second of the two.
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
        told = 2 * pairs * rates * (1 - rates)
        information = sides.T @ (told[:, None] * sides)
        step = np.linalg.solve(information, sides.T @ (scores - 2 * pairs * rates))
        x += np.clip(step, -2, 2)
        if np.abs(step).max() < _TOLERANCE:
            break
    # Of a pair's score s the squared distance from what is expected, 2 p, by that from 1.
    off = 2 * rates - 1
    residual = squares - 2 * off * (scores - pairs) + pairs * off**2
    dispersion = (_PRIOR + np.maximum(residual, 0)) / (_PRIOR + told)
    inverse = np.linalg.inv(information)
    spread = inverse @ (sides.T @ ((dispersion * told)[:, None] * sides)) @ inverse
    covariance = np.zeros((size, size))
    covariance[1:, 1:] = spread * ELO**2
    return Scale(np.concatenate([[0.0], x]) * ELO, covariance)


def neighbour_errors(scale: Scale) -> Array:
    """Half the 95% interval of each agent's lead over the one below, shape (A - 1,)."""
    variances = np.diag(scale.covariance)
    beside = np.diag(scale.covariance, 1)
    errors: Array = Z * np.sqrt(np.maximum(variances[1:] + variances[:-1] - 2 * beside, 0))
    return errors


def next_pair(
    table: Crosstable, rounds: int, first: float, most: Array | None = None
) -> tuple[int, int] | None:
    """Which two agents play the next round, as places in the ladder, the weaker one first.

    Where the neighbours that are least surely apart have played all they can, it is two agents that
    are further apart, with these between or among them.

    Args:
        table: of the games so far.
        rounds: how many there were.
        first: pairs of games that all neighbours play before anybody plays more.
        most: of pairs of games between two agents, shape (A, A).

    Returns:
        `None` if nobody may play any more.
    """
    size = len(table.pairs)
    most = np.full((size, size), np.inf) if most is None else most
    beside = [(k, k + 1) for k in range(size - 1)]
    for low, high in beside:
        if table.pairs[high, low] < min(first, most[high, low]):
            return low, high
    others = [
        (low, high)
        for low, high in itertools.combinations(range(size), 2)
        if high - low in (2, 3) and table.pairs[high, low] < most[high, low]
    ]
    errors = neighbour_errors(rate_ladder(table))
    worst = int(errors.argmax())
    exhausted = table.pairs[worst + 1, worst] >= most[worst + 1, worst]
    spanning = [(low, high) for low, high in others if low <= worst < high]
    further = spanning if exhausted else others
    if further and (exhausted or rounds % _FURTHER == _FURTHER - 1):
        return min(further, key=lambda pair: table.pairs[pair[1], pair[0]] * (pair[1] - pair[0]))
    able = [k for k, (low, high) in enumerate(beside) if table.pairs[high, low] < most[high, low]]
    return beside[max(able, key=lambda k: errors[k])] if able else None


def pair_scores(first: Sequence[float]) -> Array:
    """The first agent's scores in pairs of games, from its results in games that lie in order.

    Args:
        first: results, above 0 for a win, below for a loss, an even number of them.
    """
    scores = (1 + np.sign(np.asarray(first, np.float64))) / 2
    pairs: Array = scores.reshape(-1, 2).sum(1)
    return pairs
