"""Results of an arena for every pair or single agent, also as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from agents.arena.lost_games import LostGame
from agents.arena.ratings import Rating, Result, groups_of, rate
from agents.arena.scores import Scores
from agents.naming.spec import Spec
from boardenvs.episode import Episode
from boardenvs.game import Game

__all__ = [
    "PairResult",
    "SoloResult",
    "Verdict",
    "first_games",
    "rated",
    "report",
]

_FIRST = 20  # games of a match that the JSON lists one by one


@dataclass(frozen=True)
class Verdict:
    """The result of the sequential test (see `agents.arena.sequential`)."""

    decided: bool
    """Whether the test found that one agent is better."""
    low: float
    """Lower end of the interval of a's mean score, which is valid despite the early stop."""
    high: float
    """Upper end of that interval."""


@dataclass(frozen=True)
class PairResult:
    """The result between two agents.

    Example:
        >>> import boardenvs
        >>> from agents.arena import round_robin
        >>> game = boardenvs.make("game112")
        >>> [pair] = round_robin(game, ["greedy", "random"], num_games=10, seed=0)
        >>> pair.a, pair.b, pair.scores.games
        ('greedy', 'random', 10)
    """

    specs: tuple[Spec, ...]
    """Both agents, a and b."""
    scores: Scores
    verdict: Verdict | None = None
    """The result of the sequential test, if there was one."""
    seated: list[tuple[list[str], list[float]]] = field(default_factory=list, compare=False)
    """For each game of more than two players: the agent in each seat, and each seat's result."""
    extremes: list[Episode] = field(default_factory=list, compare=False)
    """The shortest and the longest game, if they are known."""
    lost: list[LostGame] | None = field(default=None, compare=False)
    """The move that lost each lost game, if there was a judge."""

    @property
    def a(self) -> str:
        """Text of the first agent's spec."""
        return self.specs[0].text

    @property
    def b(self) -> str:
        """Text of the second agent's spec."""
        return self.specs[1].text

    @property
    def agents(self) -> tuple[str, ...]:
        """Texts of both agents' specs."""
        return self.a, self.b

    def interval(self) -> tuple[float, float]:
        """Return the 95% interval of a's mean score."""
        if self.verdict is not None:
            return self.verdict.low, self.verdict.high
        return self.scores.interval(0)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as in the arena's JSON; wins and losses are a's."""
        return {
            "a": self.a,
            "b": self.b,
            **_counts(self.scores),
            "forfeits": self.scores.forfeits,
            **({} if self.verdict is None else {"decided": self.verdict.decided}),
            **({} if self.lost is None else {"lost": [asdict(one) for one in self.lost]}),
        }


@dataclass(frozen=True)
class SoloResult:
    """The result of one agent in a game for one player.

    Example:
        >>> import boardenvs
        >>> from agents.arena import solos
        >>> [solo] = solos(boardenvs.make("pizza_order"), ["greedy"], num_games=10, seed=0)
        >>> solo.agent, solo.scores.wins
        ('greedy', [10])
    """

    specs: tuple[Spec, ...]
    """The agent."""
    scores: Scores
    extremes: list[Episode] = field(default_factory=list, compare=False)
    """The shortest and the longest game, if they are known."""

    @property
    def agent(self) -> str:
        """Text of the agent's spec."""
        return self.specs[0].text

    @property
    def agents(self) -> tuple[str, ...]:
        """Text of the agent's spec."""
        return (self.agent,)

    def interval(self) -> tuple[float, float]:
        """Return the 95% interval of the share of games won."""
        return self.scores.interval(0)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as in the arena's JSON."""
        return {
            "agent": self.agent,
            **_counts(self.scores),
            "forfeits": self.scores.forfeits[0],
        }


def first_games(scores: Scores, num: int) -> str:
    """Return the first agent's result and the plies of the first games, such as `w31 l28`."""
    games = zip(scores.returns[:num, 0], scores.plies[:num], strict=True)
    return " ".join(f"{'ldw'[int(np.sign(result)) + 1]}{plies}" for result, plies in games)


def _counts(scores: Scores) -> dict[str, Any]:
    """Return the first agent's results, and its first games one by one."""
    return {
        "games": scores.games,
        "wins": scores.wins[0],
        "draws": scores.draws[0],
        "losses": scores.losses[0],
        "first": first_games(scores, _FIRST),
    }


def rated(results: Sequence[PairResult | SoloResult]) -> list[Rating]:
    """Return the ratings of all agents, best first; an empty list for a game for one player.

    Example:
        >>> import boardenvs
        >>> from agents.arena import rated, round_robin
        >>> game = boardenvs.make("game112")
        >>> best, last = rated(list(round_robin(game, ["random", "exact"], num_games=20, seed=0)))
        >>> best.agent, best.elo > 0, (last.agent, last.elo)
        ('exact', True, ('random', 0.0))
    """
    pairs = [r for r in results if isinstance(r, PairResult)]
    agents = [agent for pair in pairs for agent in pair.agents]
    if not agents:
        return []
    played: list[Result] = []
    for pair in pairs:
        played += pair.seated or [pair.to_dict()]
    return rate(played, agents)


def report(
    game: Game,
    seed: int,
    results: Sequence[PairResult | SoloResult],
    openings: str | None = None,
) -> dict[str, Any]:
    """Return the results as JSON values: `pairs` and `ratings`, or `solos` for one player.

    - `first` has the first 20 games of a match: a's result (`w`, `d` or `l`) and the number of
      plies, such as "w31 l28".
    - `forfeits` has the number of games that a and b lost by an illegal move, or one number for a
      single agent.
    - `groups` has the agents of each group, if there are groups that never met. The ratings of
      different groups cannot be compared.
    - `openings` is the name of the openings, if the games used any.
    - `lost` has the move that lost each lost game, if there was a judge; see `LostGame`.
    - `by_the_clock` has the agents with a time limit, whose games differ from run to run.
    - `seconds_per_move` has each agent's mean time for a move, which depends on the machine.

    Example:
        >>> import boardenvs
        >>> from agents.arena import report, round_robin
        >>> game = boardenvs.make("game112")
        >>> results = list(round_robin(game, ["greedy", "random"], num_games=10, seed=0))
        >>> data = report(game, 0, results)
        >>> data["game"], data["pairs"][0]["games"], len(data["ratings"])
        ('game112', 10, 2)
    """
    specs = dict.fromkeys(spec for result in results for spec in result.specs)
    ratings = rated(results)
    groups = groups_of(ratings)
    return {
        "game": game.name,
        "params": game.params,
        "seed": seed,
        **({} if openings is None else {"openings": openings}),
        "by_the_clock": [spec.text for spec in specs if spec.uses_clock],
        "pairs": [r.to_dict() for r in results if isinstance(r, PairResult)],
        "ratings": [rating.to_dict() for rating in ratings],
        **({"groups": groups} if len(groups) > 1 else {}),
        **({"solos": [r.to_dict() for r in results]} if game.num_players == 1 else {}),
        "seconds_per_move": _seconds_per_move(results),
    }


def _seconds_per_move(results: Sequence[PairResult | SoloResult]) -> dict[str, float]:
    """Return each agent's mean time for a move, if it is known."""
    sums: dict[str, tuple[float, int]] = {}
    for result in results:
        scores = result.scores
        if scores.seconds is not None and scores.choices is not None:
            for k, agent in enumerate(result.agents):
                seconds, choices = sums.get(agent, (0.0, 0))
                seconds += float(scores.seconds[:, k].sum())
                sums[agent] = seconds, choices + int(scores.choices[:, k].sum())
    return {agent: seconds / choices for agent, (seconds, choices) in sums.items() if choices}
