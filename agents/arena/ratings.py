"""Ratings from results: Elo by maximum likelihood, each with its 95% interval.

The model is Luce's choice axiom with ties (Firth, Kosmidis and Turner, "Davidson-Luce
model for multi-item choice with ties", arXiv:1909.07123): out of the agents at the table
the game picks its winner with probability proportional to the agents' strengths, and a tie
of t of them in proportion to the t-th root of the product of theirs, times a factor for t
that is estimated too. For two players that is Davidson's model of draws (JASA 65, 1970),
and without draws Bradley's and Terry's; rankings of more are picked place by place, as
Plackett's and Luce's. An agent with two seats at a table is two competitors of one strength.

Intervals hold the differences that the profile likelihood does not reject (Venzon and
Moolgavkar, "A method for computing profile-likelihood-based confidence intervals", Applied
Statistics 37, 1988). Unlike those from standard errors they are right for lopsided results.

So that whoever won or lost everything has a finite rating, every agent also wins and loses
half a game against an imaginary opponent of unknown strength, as in R's PlackettLuce
(Turner, van Etten, Firth and Kosmidis, Computational Statistics 35, 2020). Where an agent
won all its N games, it thus stands near 400 log10(2 N), and the upper end of its interval
tells more of that half game than of the games played.

No library that is kept up has draws and intervals (choix has neither). The logarithm of the
likelihood is concave, so Newton's method finds its only peak.
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

__all__ = ["Lead", "Rating", "Result", "rate"]

Result = Mapping[str, Any] | tuple[Sequence[str], Sequence[float]]
"""What two agents came to, as it stands in the arena's JSON, or one game: who sat in each seat,
and each seat's result."""

_ELO = 400 / math.log(10)  # a strength of ten times is 400 points
_HALF_GAME = 0.5

_Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Lead:
    """How far an agent is above another, in Elo, with its 95% interval."""

    over: str
    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Rating:
    """An agent's Elo above the anchor's, with its 95% interval.

    400 points are ten games won to one lost, draws left aside. The anchor is at 0 by
    definition, and so are the ends of its interval.
    """

    agent: str
    elo: float
    low: float
    high: float
    lead: Lead | None
    """Over the agent that is rated next below; `None` for the last one. Agents whose
    intervals overlap may differ clearly: the intervals have the anchor's uncertainty in
    common, which a lead leaves out."""

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the arena's JSON, to a tenth of a point."""
        numbers = {"elo": self.elo, "low": self.low, "high": self.high}
        return {"agent": self.agent, **{key: round(n, 1) + 0.0 for key, n in numbers.items()}}


def rate(
    results: Iterable[Result], agents: Sequence[str], anchor: str | None = None
) -> list[Rating]:
    """Rate agents by their results, which are taken as independent games.

    Of a game's seats, the one with the highest result has been picked out of all, the next
    one out of the rest, and so on. Seats of equal result are tied, but for those below the
    others: they are told apart by nothing. All seats equal is a draw.

    Args:
        results: what two agents came to (`{"a", "b", "games", "wins", "draws", "losses"}`,
            wins and losses as `a` sees them), or single games (agents, results), one of
            each for every seat; the two may be mixed. Pairs of a game for more than two
            say who did better, but not with how many seats: rate its games instead.
        agents: who is rated; an agent named twice is one.
        anchor: whose rating is 0; by default `random` if it takes part, else the first.

    Returns:
        A rating for each agent, best first.

    Raises:
        ValueError: for results that are none, an agent that is not among `agents`, an anchor
            that is not, and no agents.
    """
    names = list(dict.fromkeys(agents))
    if not names:
        raise ValueError("there must be agents to rate, got none")
    if anchor is None:
        anchor = "random" if "random" in names else names[0]
    if anchor not in names:
        raise ValueError(f"the anchor must be one of {', '.join(names)}, got {anchor!r}")
    likelihood = _Likelihood(_choices(results, names), len(names))
    zero = names.index(anchor)
    ranked = sorted(range(len(names)), key=lambda k: -round(likelihood.elo[k], 6))
    ratings = []
    for k, below in itertools.zip_longest(ranked, ranked[1:]):
        lead = None if below is None else Lead(names[below], *likelihood.difference(k, below))
        ratings.append(Rating(names[k], *likelihood.difference(k, zero), lead))
    return ratings


# -- From results to choices ------------------------------------------------------------

_Choices = dict[tuple[int, ...], Counter[tuple[int, ...]]]
"""For every set of contenders how often each of them, or each tie, was picked; all sorted."""


def _choices(results: Iterable[Result], names: Sequence[str]) -> _Choices:
    """Count the choices that results are made of, agents by their numbers."""
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
    """Contenders and picked, place by place."""
    places = sorted(set(returns), reverse=True)
    for place in places[:-1] or places:  # one place is a draw, the last of several no choice
        left = [k for k, r in zip(seats, returns, strict=True) if r <= place]
        picked = [k for k, r in zip(seats, returns, strict=True) if r == place]
        yield tuple(sorted(left)), tuple(sorted(picked))


def _checked_pair(pair: Mapping[str, Any], number: Mapping[str, int]) -> list[int]:
    """The numbers of both agents, and how often a won, drew and lost."""
    keys = ("a", "b", "games", "wins", "draws", "losses")
    if missing := [key for key in keys if key not in pair]:
        raise ValueError(f"a pair's result needs {', '.join(keys)}, but has no {missing[0]}")
    games, *counts = (whole_number(key, pair[key], 0) for key in keys[2:])
    if games != sum(counts):
        raise ValueError(
            f"{pair['a']} - {pair['b']}: games must be wins, draws and losses together, got {games}"
        )
    return [_numbered(pair["a"], number), _numbered(pair["b"], number), *counts]


def _checked_game(result: Any, number: Mapping[str, int]) -> tuple[list[int], list[float]]:
    """The numbers of the agents in their seats, and each one's result."""
    try:
        agents, returns = (list(part) for part in result)
        returns = [float(r) for r in returns]
    except (TypeError, ValueError) as error:
        raise ValueError(f"a game must be agents and their results, got {result!r}") from error
    if len(agents) != len(returns) or len(agents) < 2 or not all(map(math.isfinite, returns)):
        raise ValueError(
            f"a game must be agents, two or more, and as many finite results, got {result!r}"
        )
    return [_numbered(agent, number) for agent in agents], returns


def _numbered(agent: Any, number: Mapping[str, int]) -> int:
    if not isinstance(agent, str) or agent not in number:
        raise ValueError(f"{agent!r} has results, but is not among the agents to rate")
    return number[agent]


# -- From choices to differences --------------------------------------------------------


class _Likelihood:
    """The logarithm of the choices' likelihood, the half games among them, and its peak.

    Its parameters are logarithms: the agents' strengths, the imaginary opponent's, and a
    factor for every size of tie that occurred. What may be picked has a row of `_options`,
    so that options @ parameters are the logarithms of the odds; options of one set of
    contenders are neighbours.
    """

    def __init__(self, choices: _Choices, num_agents: int) -> None:
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
                # Seats of one agent are options of their own; the first stands for all.
                left = dict(found)
                for picked in itertools.combinations(contenders, size):
                    add(picked, left.pop(picked, 0))
        for agent in range(num_agents):
            starts.append(len(options))
            add([agent], _HALF_GAME)
            add([num_agents], _HALF_GAME)
        # Half a game won among equals, or nothing but draws would make ties infinitely likely.
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
        self._strengths = num_agents + 1  # so many parameters only their differences matter of
        self._peak, *_ = self._climbed(np.zeros(width), [0])
        self.elo: list[float] = (self._peak[:num_agents] * _ELO).tolist()

    def difference(self, one: int, other: int) -> tuple[float, float, float]:
        """How far an agent is above another, in Elo: the estimate, and the interval's ends."""
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
            # The loss of likelihood is convex in the difference: Newton's method cannot miss.
            for _ in range(100):
                point[one] += move
                point, value, gradient = self._climbed(point, [one, other])
                reach = abs(point[one] - peak[one])
                move = (2 * (best - value) - Z**2) / (2 * gradient[one])
                move = min(max(move, -reach), reach)  # near the peak it would be thrown far off
                if abs(move) < 1e-6:
                    break
            ends.append(float(point[one]))
        return float(peak[one]) * _ELO, ends[0] * _ELO, ends[1] * _ELO

    def _at(self, point: _Array) -> tuple[float, _Array, _Array]:
        """The value at a point, its gradient, and minus its matrix of second derivatives."""
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
        # Above what rounding leaves of a difference, and far below what half a game tells.
        information.flat[:: len(point) + 1] += 1e-13 * self._totals.sum()
        return float(value), self._options.T @ (self._counts - expected), information

    def _climbed(self, point: _Array, fixed: Sequence[int]) -> tuple[_Array, float, _Array]:
        """The highest point with some parameters as they are; its value and gradient."""
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
                # Near the peak rounding hides the gain, and the whole step is right.
                if gain < 1e-9 or found[0] >= value + 1e-4 * scale * gain or scale < 1e-9:
                    break
                scale /= 2
            point, (value, gradient, information) = reached, found
            if gain < 1e-9:
                break
        return point, value, gradient
