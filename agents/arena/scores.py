"""`Scores`: the results of a match, with intervals."""

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
    """The results of a match: the mean score of each agent, and the games behind it.

    As a sequence, it has each agent's mean score: 1 for a win, 0 for a loss, and an equal share
    for a draw or a truncated game. With one player, it is the share of games won.

    Example:
        >>> import agents
        >>> scores = agents.play_match("pizza_order", ["greedy"], num_games=5, seed=0)
        >>> list(scores), scores.to_dict()["games"]
        ([1.0], 5)
    """

    returns: npt.NDArray[np.float32]
    """Result of each game for each agent, shape (games, agents)."""
    plies: npt.NDArray[np.int32]
    """Number of plies of each game, shape (games,)."""
    offenders: npt.NDArray[np.int64] | None = None
    """The agent that lost each game by an illegal action, or -1, shape (games,); by default -1 for
    all games."""
    seconds: npt.NDArray[np.float64] | None = None
    """Time of each agent's choices in each game, in seconds, shape (games, agents); `None` if
    unknown."""
    choices: npt.NDArray[np.int64] | None = None
    """Number of each agent's choices in each game, shape (games, agents); 0 if the time is unknown.
    """
    names: Sequence[str] = ()
    """Name of each agent, such as its spec; by default `agent 0`, `agent 1`, ..."""

    def __post_init__(self) -> None:
        if not self.names:
            object.__setattr__(self, "names", [f"agent {agent}" for agent in range(len(self))])

    @property
    def seconds_per_move(self) -> list[float | None]:
        """Mean time of each agent for a move, in seconds; `None` if unknown.

        The time depends on the machine. Comparing two results ignores it.
        """
        if self.seconds is None or self.choices is None:
            return [None] * len(self)
        sums = zip(self.seconds.sum(0), self.choices.sum(0), strict=True)
        return [float(seconds / choices) if choices else None for seconds, choices in sums]

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.returns)

    @property
    def wins(self) -> list[int]:
        """Number of games that each agent won."""
        return [int(n) for n in (self.returns > 0).sum(0)]

    @property
    def losses(self) -> list[int]:
        """Number of games that each agent lost."""
        return [int(n) for n in (self.returns < 0).sum(0)]

    @property
    def draws(self) -> list[int]:
        """Number of games that each agent neither won nor lost."""
        return [int(n) for n in (self.returns == 0).sum(0)]

    @property
    def forfeits(self) -> list[int]:
        """Number of games that each agent lost by an illegal action; `losses` includes them."""
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
        """Return Wilson's 95% interval of an agent's mean score."""
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
            `games`, the `plies` of each game, and for each agent `names`, `scores` (null without
            games), `intervals` (low and high), `wins`, `draws`, `losses`, `forfeits` and
            `seconds_per_move` (null if unknown).
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

    An agent with several seats gets their mean, and the agent with the better mean wins the game.
    With three seats or more, one agent may have both the winner's seat and a loser's.

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
