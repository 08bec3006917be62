"""Ratings of a thousand simulated policies on a simulated ladder."""

import numpy as np

from agents.benchmark.rating import Evidence, Scale, fit, next_opponent
from agents.benchmark.rounds import round_size

LADDER = np.array([0, 180, 350, 520, 700, 880, 1050, 1250, 1400, 1600, 1800])
ERRORS = np.array([0, 9, 8, 7, 6, 6, 5, 6, 6, 7, 6])  # standard error of each step


def ladder():
    """Return the estimate of a ladder's ratings, where each is measured from the one below."""
    steps = np.tri(len(LADDER)) * ERRORS
    return Scale(LADDER.astype(float), steps @ steps.T)


def drawn(scale, num, rng):
    """Sample possible true ladders, ratings of shape (num, agents)."""
    noise = rng.standard_normal((num, len(scale.elo)))
    return (
        scale.elo + noise @ np.linalg.cholesky(scale.covariance + 1e-9 * np.eye(len(scale.elo))).T
    )


def mixture(elo, one, other, share):
    """Return the score against each agent of a policy that plays as one of two, chosen per game."""
    rates = 1 / (1 + 10 ** ((elo[..., None, :] - elo[..., :, None]) / 400))
    return share * rates[..., one, :] + (1 - share) * rates[..., other, :]


def pair_counts(rates, draws, rng, pairs):
    """Sample sums and sums of squares of pairs' scores, for (S,) pairs at (S,) rates."""
    most = np.minimum(rates, 1 - rates) * draws
    win, draw = rates - most, 2 * most
    counts = np.zeros((2, *pairs.shape))
    chances = np.stack([win**2, 2 * win * draw, draw**2 + 2 * win * (1 - win - draw)], -1)
    lose = 1 - win - draw
    chances = np.concatenate([chances, (2 * draw * lose)[:, None], (lose**2)[:, None]], -1)
    found = rng.multinomial(pairs.astype(np.int64), np.clip(chances, 0, 1))
    values = np.array([2, 1.5, 1, 0.5, 0])
    counts[0], counts[1] = found @ values, found @ values**2
    return counts


def rated(scale, rates, rng, target, *, adaptive=True, most=50_000, draws=0.0):
    """Rate policies until their intervals are narrow enough.

    Args:
        scale: estimated ratings of the ladder.
        rates: true scores of the policies against each agent, shape (S, A).
        rng: random generator of the games.
        target: half the interval's width, in points.
        adaptive: whether opponents are chosen adaptively instead of in turn.
        most: maximum number of games of each policy.
        draws: share of draws, relative to the possible maximum.

    Returns:
        The estimate and its evidence.
    """
    num, size = rates.shape
    found = Evidence.none(num, size)
    going = np.arange(num)
    turn = 0
    while True:
        part = Evidence(found.pairs[going], found.scores[going], found.squares[going])
        estimate = fit(scale, part)
        pairs = part.pairs.sum(1)
        more = (estimate.half_width > target) & (2 * pairs < most)
        if not more.any():
            return fit(scale, found), found
        if adaptive:
            size_of_round = round_size(pairs)
            who = next_opponent(scale, estimate, part.pairs)
        else:
            size_of_round = np.full(len(going), 2.0)
            who = np.full(len(going), turn % size)
            turn += 1
        going, who, new = going[more], who[more], size_of_round[more]
        sums = pair_counts(rates[going, who], draws, rng, new)
        found.pairs[going, who] += new
        found.scores[going, who] += sums[0]
        found.squares[going, who] += sums[1]


def truths(scale, rates, pairs, rng, draws=0.0):
    """Return ratings after 100,000 games that are distributed over the agents as `pairs`.

    Args:
        scale: scale with the true ratings, shape (S, agents).
        rates: as for `rated`.
        pairs: number of pairs of games with each agent, shape (agents,).
        rng: random generator of the games.
        draws: as for `rated`.
    """
    counts = np.round(50_000 * pairs / pairs.sum())
    sums = [
        pair_counts(rates[:, k], draws, rng, np.full(len(rates), count))
        for k, count in enumerate(counts)
    ]
    scores, squares = np.stack(sums, -1)
    return np.array(
        [
            fit(
                Scale(scale[k], np.zeros((len(counts),) * 2)),
                Evidence(counts, scores[k], squares[k]),
            ).elo
            for k in range(len(rates))
        ]
    )
