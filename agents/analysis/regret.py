"""The regret of an agent's moves in positions with proved results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from agents.analysis.grading import proved_value
from agents.analysis.intervals import mean_interval
from agents.naming.spec import make
from boardenvs.core.checks import counted, whole_number
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States

__all__ = ["Regret", "regret"]


@dataclass(frozen=True)
class Regret:
    """A `Measure` of an agent's moves in positions of random games."""

    kind: ClassVar[str] = "regret"

    losses: tuple[float, ...]
    """The proved result of each position minus that of the move, from 0 to 2. An illegal move has
    the result -1."""

    @property
    def value(self) -> float:
        """Mean loss of a move: 0 for perfect play; NaN without positions."""
        return sum(self.losses) / len(self.losses) if self.losses else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Student's 95% interval of the mean; from 0 to 2 for fewer than two positions."""
        if len(self.losses) < 2:
            return 0.0, 2.0
        low, high = mean_interval(self.losses)
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.interval
        number = counted(len(self.losses), "proved position")
        return f"regret {self.value:.3f} ({low:.3f} to {high:.3f}) in {number}"


def regret(
    game: Game, agent: Agent, positions: int = 20, seed: int = 0, budget: int = 100_000
) -> Regret:
    """Measure the regret of an agent's moves in positions whose results `exact` proves.

    The positions are from random games, at most one of each. In each position the mover does not
    lose with perfect play, and at least one action is illegal.

    Args:
        game: a game of two players, without chance.
        agent: the agent.
        positions: maximum number of positions, at least 1. Four times as many games are played.
        seed: seed of the positions.
        budget: maximum number of positions that `exact` searches for each proof.

    Raises:
        ValueError: `exact` does not support the game, or a number is out of range.
    """
    judge: Any = make("exact", game, 0, budget=budget)
    known: dict[bytes, float] = {}
    found: list[tuple[States, float]] = []
    for state in _positions(game, 4 * whole_number("positions", positions, 1), seed):
        value = proved_value(judge, state, int(state["to_move"][0]), known)
        if value >= 0:
            found.append((state, value))
        if len(found) == positions:
            break
    if not found:
        return Regret(())
    states = np.concatenate([state for state, _ in found])
    actions = agent.act(states)
    then = states.copy()
    game.play(then, actions)
    after = [
        proved_value(judge, then[k : k + 1], int(states["to_move"][k]), known)
        for k in range(len(then))
    ]
    losses = [value - left for (_, value), left in zip(found, after, strict=True)]
    return Regret(tuple(loss for loss in losses if not np.isnan(loss)))


def _positions(game: Game, num: int, seed: int) -> list[States]:
    """Return a random position, shape (1,), of each of `num` random games."""
    rng = np.random.default_rng([seed, 2])
    seen: list[list[States]] = [[] for _ in range(num)]

    def choose(live: States, places: Any) -> Any:
        legal = game.legal(live)
        for k, place in enumerate(places):
            if not legal[k].all():
                seen[place].append(live[k : k + 1].copy())
        return (rng.random(legal.shape) * legal).argmax(1)

    playout(game, game.new(num, seed), choose)
    return [states[rng.integers(len(states))] for states in seen if states]
