"""Ratings from results: Elo by maximum likelihood, each with its 95% interval.

The model is Luce's choice axiom with ties (Firth, Kosmidis and Turner, "Davidson-Luce
model for multi-item choice with ties", arXiv:1909.07123). An agent wins with probability
proportional to its strength. A tie of t agents has a probability proportional to the t-th root of
the product of their strengths, times an estimated factor for t. For two players this is Davidson's
model of draws (JASA 65, 1970), and without draws the model of Bradley and Terry. Rankings of more
players are chosen place by place, as in the model of Plackett and Luce. An agent with two seats
counts as two competitors of the same strength.

Intervals contain the differences that the profile likelihood does not reject (Venzon and
Moolgavkar, "A method for computing profile-likelihood-based confidence intervals", Applied
Statistics 37, 1988). Unlike intervals from standard errors, they are valid for lopsided results.

The likelihood of an agent that never lost has no finite maximum. The same holds for a set of agents
of which none lost to the others (L. Ford, American Mathematical Monthly 64, 1957). Only such an
agent or set loses half a game more, to the next weaker agents that it met. So an agent that won all
its N games is rated 400 log10(2 N) above its opponent, and the upper end of its interval depends
mainly on the half game. All other ratings are maxima of the likelihood itself. A prior for every
agent would shorten long chains of agents that met only their neighbours. An example is the half
games of R's PlackettLuce (Turner, van Etten, Firth and Kosmidis, Computational Statistics 35,
2020).

Groups of agents that never met, not even through others, have no common scale. Each group as a
whole, with the mean strength of its agents, wins and loses half a game against an imaginary
opponent. This assumption does not change differences within a group.

No maintained library supports draws and intervals (choix supports neither). The log-likelihood is
concave, so Newton's method finds its only maximum.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.analysis.intervals import Z
from boardenvs.core.checks import whole_number

__all__ = ["Lead", "Rating", "Result", "groups_of", "rate"]

Result = Mapping[str, Any] | tuple[Sequence[str], Sequence[float]]
"""The result of two agents as in the arena's JSON, or one game: the agent in each seat, and each
seat's result."""

_ELO = 400 / math.log(10)  # a factor of ten in strength is 400 points
_HALF_GAME = 0.5

_Array = npt.NDArray[np.float64]
_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lead:
    """The Elo difference of an agent to a weaker one, with its 95% interval."""

    over: str
    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Rating:
    """An agent's Elo relative to the anchor, with its 95% interval.

    400 points are ten games won to one lost, ignoring draws. The anchor and the ends of its
    interval are 0 by definition.
    """

    agent: str
    elo: float
    low: float
    high: float
    lead: Lead | None
    """Lead over the agent rated next below; `None` for the last one, and if that agent is of
    another group. Agents with overlapping intervals may differ clearly: both intervals include the
    anchor's uncertainty, which a lead excludes."""
    group: int = 0
    """Number of the agent's group, 0 for the anchor's. Agents of different groups never met, not
    even through others, so no result shows which one is stronger."""

    def to_dict(self) -> dict[str, Any]:
        """Return the rating as in the arena's JSON, rounded to a tenth of a point."""
        numbers = {"elo": self.elo, "low": self.low, "high": self.high}
        return {"agent": self.agent, **{key: round(n, 1) + 0.0 for key, n in numbers.items()}}


def rate(
    results: Iterable[Result], agents: Sequence[str], anchor: str | None = None
) -> list[Rating]:
    """Rate agents by their results, which are taken as independent games.

    In each game, the seat with the highest result is chosen out of all, the next one out of the
    rest, and so on. Seats with equal results are tied, except in the last place: the order there
    contains no information. If all seats are equal, the game is a draw.

    Args:
        results: results of two agents (`{"a", "b", "games", "wins", "draws", "losses"}`, where
            wins and losses are a's), or single games (agents, results) with one of each for every
            seat, or a mix. For a game of more than two players use single games: a pair's result
            does not contain the results of all seats.
        agents: agents to rate, at least one; duplicates are ignored.
        anchor: agent whose rating is 0; by default `random` if it takes part, else the first.

    Returns:
        A rating for each agent, best first.

    Raises:
        ValueError: a result is invalid, an agent or the anchor is not among `agents`, or `agents`
            is empty.
    """
    names = list(dict.fromkeys(agents))
    if not names:
        raise ValueError("agents must have at least one name, got an empty list")
    if anchor is None:
        anchor = "random" if "random" in names else names[0]
    if anchor not in names:
        raise ValueError(f"anchor must be one of {', '.join(names)}, got {anchor!r}")
    choices = _choices(results, names)
    groups = _groups(choices, len(names))
    likelihood = _Likelihood(choices, groups)
    zero = names.index(anchor)
    ranked = sorted(range(len(names)), key=lambda k: -round(likelihood.elo[k], 6))
    numbers = {group: k for k, group in enumerate(dict.fromkeys(groups[[zero, *ranked]].tolist()))}
    ratings = []
    for k, below in itertools.zip_longest(ranked, ranked[1:]):
        lead = None
        if below is not None and groups[below] == groups[k]:
            lead = Lead(names[below], *likelihood.difference(k, below))
        ends = likelihood.difference(k, zero)
        ratings.append(Rating(names[k], *ends, lead, numbers[int(groups[k])]))
    return ratings


def groups_of(ratings: Iterable[Rating]) -> list[list[str]]:
    """Return the agents of each group, the anchor's group first; see `Rating.group`.

    Example:
        >>> groups_of(rate([("ab", (1, -1)), ("ab", (-1, 1))], ["a", "b", "c"]))
        [['a', 'b'], ['c']]
    """
    groups: dict[int, list[str]] = defaultdict(list)
    for rating in ratings:
        groups[rating.group].append(rating.agent)
    return [groups[number] for number in sorted(groups)]


# -- From results to choices ------------------------------------------------------------

_Choices = dict[tuple[int, ...], Counter[tuple[int, ...]]]
"""Number of times that each contender or tie was chosen, for every set of contenders; all sorted.
"""


def _choices(results: Iterable[Result], names: Sequence[str]) -> _Choices:
    """Count the choices in the results. Agents are given by their indices in `names`."""
    number = {name: k for k, name in enumerate(names)}
    choices: _Choices = defaultdict(Counter)
    for result in results:
        if isinstance(result, Mapping):
            a, b, *counts = _checked_pair(result, number)
            for picked, count in zip(((a,), (a, b), (b,)), counts, strict=True):
                choices[tuple(sorted((a, b)))][tuple(sorted(picked))] += count
        else:
            for contenders, picked in _places(*_checked_game(result, number)):
                choices[contenders][picked] += 1
    return choices


def _places(
    seats: Sequence[int], returns: Sequence[float]
) -> Iterable[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the contenders and the chosen ones, place by place."""
    places = sorted(set(returns), reverse=True)
    for place in places[:-1] or places:  # the last of several places is not a choice
        left = [k for k, r in zip(seats, returns, strict=True) if r <= place]
        picked = [k for k, r in zip(seats, returns, strict=True) if r == place]
        yield tuple(sorted(left)), tuple(sorted(picked))


def _checked_pair(pair: Mapping[str, Any], number: Mapping[str, int]) -> list[int]:
    """Return the indices of both agents, and a's wins, draws and losses."""
    keys = ("a", "b", "games", "wins", "draws", "losses")
    if missing := [key for key in keys if key not in pair]:
        raise ValueError(f"a pair's result must have {', '.join(keys)}; {missing[0]} is missing")
    games, *counts = (whole_number(key, pair[key], 0) for key in keys[2:])
    if games != sum(counts):
        raise ValueError(
            f"{pair['a']} - {pair['b']}: games must be wins + draws + losses = {sum(counts)}, "
            f"got {games}"
        )
    return [_numbered(pair["a"], number), _numbered(pair["b"], number), *counts]


def _checked_game(result: Any, number: Mapping[str, int]) -> tuple[list[int], list[float]]:
    """Return the indices of the agents in their seats, and each seat's result."""
    try:
        agents, returns = (list(part) for part in result)
        returns = [float(r) for r in returns]
    except (TypeError, ValueError) as error:
        raise ValueError(f"a game must be agents and their results, got {result!r}") from error
    if len(agents) != len(returns) or len(agents) < 2 or not all(map(math.isfinite, returns)):
        raise ValueError(
            f"a game must be two or more agents and a finite result for each, got {result!r}"
        )
    return [_numbered(agent, number) for agent in agents], returns


def _numbered(agent: Any, number: Mapping[str, int]) -> int:
    if not isinstance(agent, str) or agent not in number:
        raise ValueError(f"results must be of {', '.join(number)}, got results of {agent!r}")
    return number[agent]


# -- Who met and beat whom --------------------------------------------------------------


def _groups(choices: _Choices, num_agents: int) -> _Numbers:
    """Return a number for each agent, the same for agents that met or met through others."""
    met = np.zeros((num_agents, num_agents), np.bool_)
    for contenders, found in choices.items():
        if any(found.values()):
            met[np.ix_(contenders, contenders)] = True
    return _reached(met).argmax(1)


def _half_games(choices: _Choices, num_agents: int) -> list[tuple[int, int, float]]:
    """Return the additional games that make all ratings finite, half a game for each pair of sets.

    A set of agents has wins, or draws, in both directions. If one set only won against another one,
    and no third set is between the two, then the weaker one wins half a game. The games of this
    half are in proportion to those between the agents of both sets.

    Returns:
        The winner, the loser, and the number of games.
    """
    wins = np.zeros((num_agents, num_agents))
    drawn = np.zeros((num_agents, num_agents), np.bool_)
    for contenders, found in choices.items():
        for picked, count in found.items():
            if count:
                drawn[np.ix_(picked, picked)] = True
                for one, other in itertools.product(set(picked), set(contenders) - set(picked)):
                    wins[one, other] += count
    beat = wins > 0
    above = _reached(beat)
    if (above & above.T).sum() > num_agents:
        # Wins in a circle limit the number of draws between equals, so draws are evidence. If
        # nothing limits it, draws are also as likely between unequal agents.
        above = _reached(beat | drawn)
    sets = (above & above.T).argmax(1)
    above &= ~above.T
    next_above = above & ~(above @ above) & beat
    shared: Counter[tuple[int, int]] = Counter()
    pairs = np.argwhere(next_above).tolist()
    for one, other in pairs:
        shared[sets[one], sets[other]] += wins[one, other]
    return [
        (other, one, _HALF_GAME * wins[one, other] / shared[sets[one], sets[other]])
        for one, other in pairs
    ]


def _reached(links: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return whether links lead from one agent, the row, to another one, the column.

    Every agent reaches itself.
    """
    reached = links | np.eye(len(links), dtype=np.bool_)
    while ((further := reached @ reached) != reached).any():
        reached = further
    return reached


# -- From choices to differences --------------------------------------------------------


class _Likelihood:
    """The log-likelihood of the choices, including the half games, and its maximum.

    The parameters are logarithms: the agents' strengths, the imaginary opponent's strength, and a
    factor for each size of tie that occurred. Each possible choice has a row in `_options`, so that
    options @ parameters are the log odds. The rows of one set of contenders are adjacent.
    """

    def __init__(self, choices: _Choices, groups: _Numbers) -> None:
        num_agents = len(groups)
        picks = [len(picked) for counts in choices.values() for picked, n in counts.items() if n]
        ties = {size: num_agents + 1 + k for k, size in enumerate(sorted(set(picks) - {1}))}
        width = num_agents + 1 + len(ties)
        options: list[_Array] = []
        counts: list[float] = []
        starts: list[int] = []

        def add(picked: Sequence[int], count: float) -> None:
            row = np.zeros(width)
            np.add.at(row, list(picked), 1 / max(1, len(picked)))
            if len(picked) > 1:
                row[ties[len(picked)]] = 1
            options.append(row)
            counts.append(count)

        for contenders, found in choices.items():
            starts.append(len(options))
            for size in [1, *(size for size in ties if size <= len(contenders))]:
                # Each seat of an agent is an option; all its choices count for the first one.
                left = dict(found)
                for picked in itertools.combinations(contenders, size):
                    add(picked, left.pop(picked, 0))
        for winner, loser, count in _half_games(choices, num_agents):
            starts.append(len(options))
            add([winner], count)
            add([loser], 0)
        for group in np.unique(groups):
            starts.append(len(options))
            add([], _HALF_GAME)
            options[-1][:num_agents] = (groups == group) / (groups == group).sum()
            add([num_agents], _HALF_GAME)
        # Half a game without a tie: otherwise results of only draws would diverge.
        for size, column in ties.items():
            starts.append(len(options))
            for won in range(size):
                add([], 0 if won else _HALF_GAME)
            add([], 0)
            options[-1][column] = 1
        self._options = np.array(options)
        self._counts = np.array(counts)
        self._starts = np.array(starts)
        self._sizes = np.diff([*starts, len(options)])
        self._totals = np.add.reduceat(self._counts, self._starts)
        self._strengths = num_agents + 1  # of these parameters only differences matter
        self._peak, *_ = self._climbed(np.zeros(width), [0])
        self.elo: list[float] = (self._peak[:num_agents] * _ELO).tolist()

    def difference(self, one: int, other: int) -> tuple[float, float, float]:
        """Return the Elo difference of two agents: the estimate, and the interval's ends."""
        if one == other:
            return 0.0, 0.0, 0.0
        peak = self._peak.copy()
        peak[: self._strengths] -= peak[other]
        best, _, information = self._at(peak)
        free = np.delete(np.arange(len(peak)), other)
        covariance = np.linalg.inv(information[np.ix_(free, free)])
        error = math.sqrt(covariance[one - (one > other), one - (one > other)])
        ends = []
        for side in (-1, 1):
            point = peak.copy()
            move = side * Z * error
            # The loss of likelihood is convex in the difference, so Newton's method converges.
            for _ in range(100):
                point[one] += move
                point, value, gradient = self._climbed(point, [one, other])
                reach = abs(point[one] - peak[one])
                move = (2 * (best - value) - Z**2) / (2 * gradient[one])
                move = min(max(move, -reach), reach)  # near the peak a step would be too large
                if abs(move) < 1e-6:
                    break
            ends.append(float(point[one]))
        return float(peak[one]) * _ELO, ends[0] * _ELO, ends[1] * _ELO

    def _at(self, point: _Array) -> tuple[float, _Array, _Array]:
        """Return the value at a point, its gradient, and the negative Hessian."""
        odds = self._options @ point
        most = np.maximum.reduceat(odds, self._starts)
        weights = np.exp(odds - np.repeat(most, self._sizes))
        sums = np.add.reduceat(weights, self._starts)
        value = self._counts @ odds - self._totals @ (most + np.log(sums))
        expected = weights * np.repeat(self._totals / sums, self._sizes)
        weighted = self._options * expected[:, None]
        means = np.add.reduceat(weighted, self._starts)
        information = self._options.T @ weighted
        information -= means.T @ (means / np.maximum(self._totals, 1e-300)[:, None])
        # Larger than rounding errors, and far smaller than the information of half a game.
        information.flat[:: len(point) + 1] += 1e-13 * self._totals.sum()
        return float(value), self._options.T @ (self._counts - expected), information

    def _climbed(self, point: _Array, fixed: Sequence[int]) -> tuple[_Array, float, _Array]:
        """Return the maximum with some parameters fixed, its value and gradient."""
        free = np.delete(np.arange(len(point)), fixed)
        value, gradient, information = self._at(point)
        for _ in range(200):
            step = np.zeros(len(point))
            step[free] = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
            gain = float(gradient @ step)
            scale = 1.0
            while True:
                reached = point + scale * step
                found = self._at(reached)
                # Near the peak, rounding hides the gain of a correct step.
                if gain < 1e-9 or found[0] >= value + 1e-4 * scale * gain or scale < 1e-9:
                    break
                scale /= 2
            point, (value, gradient, information) = reached, found
            if gain < 1e-9:
                break
        return point, value, gradient
