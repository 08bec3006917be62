"""`Scores`: what came out of games, in numbers, and how sure those are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.analysis.intervals import wilson
from agents.arena.games import Games

__all__ = ["Scores", "agent_scores"]


@dataclass(frozen=True, eq=False)
class Scores(Sequence[float]):
    """What came out of a match: one number for each agent, and what it is made of.

    As a sequence it holds each agent's mean score: 1 for a win, 0 for a loss, and for a
    draw or a game cut short an equal share; with one player, the share of games won.

    Example:
        >>> import agents
        >>> scores = agents.play_match("pizza_order", ["greedy"], num_games=5, seed=0)
        >>> list(scores), scores.to_dict()["games"]
        ([1.0], 5)
    """

    returns: npt.NDArray[np.float32]
    """Each game's result for each agent, shape (games, agents)."""
    plies: npt.NDArray[np.int32]
    """Each game's length, shape (games,)."""
    offenders: npt.NDArray[np.int64] | None = None
    """Which agent lost each game by an illegal action, -1 where none did, shape (games,); by
    default none did."""
    seconds: npt.NDArray[np.float64] | None = None
    """What each agent took to choose in each game, shape (games, agents); by default unknown."""
    choices: npt.NDArray[np.int64] | None = None
    """How often each agent chose, likewise; 0 where `seconds` is unknown."""
    names: Sequence[str] = ()
    """Each agent's name, such as its spec; by default `agent 0`, `agent 1`, ..."""

    def __post_init__(self) -> None:
        if not self.names:
            object.__setattr__(self, "names", [f"agent {agent}" for agent in range(len(self))])

    @property
    def seconds_per_move(self) -> list[float | None]:
        """What each agent took to choose, on average; `None` where that is unknown.

        It depends on the machine, and is no part of what makes two results equal.
        """
        if self.seconds is None or self.choices is None:
            return [None] * len(self)
        sums = zip(self.seconds.sum(0), self.choices.sum(0), strict=True)
        return [float(seconds / choices) if choices else None for seconds, choices in sums]

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.returns)

    @property
    def wins(self) -> list[int]:
        """How many games each agent won."""
        return [int(n) for n in (self.returns > 0).sum(0)]

    @property
    def losses(self) -> list[int]:
        """How many games each agent lost."""
        return [int(n) for n in (self.returns < 0).sum(0)]

    @property
    def draws(self) -> list[int]:
        """How many games each agent neither won nor lost."""
        return [int(n) for n in (self.returns == 0).sum(0)]

    @property
    def forfeits(self) -> list[int]:
        """How many games each agent lost by an illegal action; these are among its losses."""
        return [int((self._offenders() == agent).sum()) for agent in range(len(self))]

    def _offenders(self) -> npt.NDArray[np.int64]:
        return np.full(self.games, -1) if self.offenders is None else self.offenders

    def _sum(self, agent: int) -> float:
        sides = self.returns.shape[1]
        return self.wins[agent] + (self.draws[agent] / sides if sides > 1 else 0)

    def __len__(self) -> int:
        return int(self.returns.shape[1])

    def __getitem__(self, agent: int) -> float:  # type: ignore[override]
        agent = range(len(self))[agent]
        return self._sum(agent) / self.games if self.games else math.nan

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scores)
            and np.array_equal(self.returns, other.returns)
            and np.array_equal(self.plies, other.plies)
            and np.array_equal(self._offenders(), other._offenders())
        )

    __hash__ = None  # type: ignore[assignment]

    def interval(self, agent: int) -> tuple[float, float]:
        """Wilson's 95% interval of an agent's mean score."""
        return wilson(self._sum(range(len(self))[agent]), self.games)

    def __str__(self) -> str:
        lines = []
        for agent, score in enumerate(self):
            name, (low, high) = self.names[agent], self.interval(agent)
            forfeits = self.forfeits[agent]
            lines.append(
                f"{name}: {score:.3f} ({low:.3f} to {high:.3f}), {self.wins[agent]} won, "
                f"{self.draws[agent]} drawn, {self.losses[agent]} lost"
                + (f", {forfeits} of them by illegal moves" if forfeits else "")
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON values.

        Returns:
            `games`; for each agent, in order, `names`, `scores` (null without games), `intervals`
            (low and high), `wins`, `draws`, `losses`, `forfeits` and `seconds_per_move` (null
            where unknown); and each game's `plies`.
        """
        return {
            "games": self.games,
            "names": list(self.names),
            "scores": list(self) if self.games else [None] * len(self),
            "intervals": [list(self.interval(agent)) for agent in range(len(self))],
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "forfeits": self.forfeits,
            "seconds_per_move": self.seconds_per_move,
            "plies": self.plies.tolist(),
        }


def agent_scores(games: Games, num_agents: int) -> Scores:
    """Return the results of each agent from the results of each seat.

    An agent with several seats gets their mean. The agent with the better mean has won the game:
    with three seats or more one agent may hold both the winner's seat and a loser's.

    Args:
        games: the games, in the order of the scores.
        num_agents: number of agents that share the seats.
    """
    who, returns, offenders = games.who, games.returns, games.offenders
    guilty = np.where(offenders < 0, -1, who[np.arange(len(who)), offenders])
    if num_agents == returns.shape[1]:
        by_agent = np.zeros_like(returns)
        np.put_along_axis(by_agent, who, returns, 1)
    else:
        means = np.stack(
            [np.where(who == k, returns, 0).sum(1) / (who == k).sum(1) for k in range(num_agents)],
            1,
        )
        by_agent = np.sign(means - means.mean(1, keepdims=True)).astype(np.float32)
    return Scores(by_agent, games.plies.copy(), guilty, games.seconds, games.choices)
