"""Grades of agents: the share of proved wins that an agent keeps.

`grade` plays games. `exact` solves each position in which the graded agent was to move, and the
position after its move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.analysis.decisions import decisions
from agents.analysis.intervals import wilson
from agents.naming.spec import make
from agents.search.solving.solution import UNKNOWN
from boardenvs.core.checks import counted
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game, States

__all__ = ["Grade", "grade", "proved_value"]


@dataclass(frozen=True)
class Grade:
    """A `Measure` of the positions in which an agent was to move."""

    kind: ClassVar[str] = "share of wins kept"

    lost: int
    """Number of positions proved lost."""
    drawn: int
    """Number of positions proved drawn."""
    unsettled: int
    """Number of positions without a proof."""
    kept: int
    """Number of proved wins that are still proved wins after the agent's move."""
    given_away: int
    """Number of proved wins that are proved losses or draws after the agent's move."""
    unclear: int
    """Number of proved wins without a proof after the agent's move."""

    @property
    def won(self) -> int:
        """Number of positions proved won."""
        return self.kept + self.given_away + self.unclear

    @property
    def share_kept(self) -> float:
        """Share of proved wins that the agent keeps; NaN without proved wins."""
        return self.kept / self.won if self.won else float("nan")

    @property
    def value(self) -> float:
        """Share of proved wins that the agent keeps, as `share_kept`."""
        return self.share_kept

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of the share."""
        return wilson(self.kept, self.won)

    def __str__(self) -> str:
        low, high = self.interval
        kept = (
            f"kept {self.kept:,} of {counted(self.won, 'win')}: {self.share_kept:.3f} "
            f"({low:.3f} to {high:.3f}), {self.given_away:,} given away, {self.unclear:,} unclear"
        )
        return (
            f"{kept if self.won else 'had no win to keep'}; {counted(self.lost, 'position')} lost, "
            f"{self.drawn:,} drawn, {self.unsettled:,} not settled"
        )


def grade(
    game: Game, agent: Opponent, opponent: Opponent, games: int, seed: int, budget: int = 100_000
) -> Grade:
    """Play games and grade an agent's moves.

    The agent has the first seat in every other game, including the first one.

    Args:
        game: a game of two players, without chance.
        agent: the agent to grade.
        opponent: the other agent.
        games: number of games, at least 1.
        seed: seed of the game; the agents have their own randomness.
        budget: maximum number of positions that `exact` searches for each solved position.

    Raises:
        ValueError: `exact` does not support the game, the game has chance, `exact` proves nothing
            about the start within the budget, or a number is out of range.
    """
    if game.has_chance:
        raise ValueError(
            f"agent 'exact' grades moves only without chance, but {game.name} has chance"
        )
    judge: Any = make("exact", game, 0, budget=budget)
    start = game.new(1, seed)
    if not hasattr(judge, "solve") or judge.solve(start) == [UNKNOWN]:
        judge.check_can_play(start)  # raises before the games are played
    first, actions = decisions(game, agent, opponent, games, seed)
    then = first.copy()
    game.play(then, actions, illegal="raise")
    known: dict[bytes, float] = {}
    had, has = (
        [
            proved_value(judge, part[k : k + 1], int(first["to_move"][k]), known)
            for k in range(len(part))
        ]
        for part in (first, then)
    )
    left = [rest for value, rest in zip(had, has, strict=True) if value == 1]
    return Grade(
        lost=had.count(-1),
        drawn=had.count(0),
        unsettled=int(np.isnan(had).sum()),
        kept=left.count(1),
        given_away=left.count(-1) + left.count(0),
        unclear=int(np.isnan(left).sum()),
    )


def proved_value(judge: Any, state: States, seat: int, known: dict[bytes, float]) -> float:
    """Return the proved result of a position for a seat.

    Args:
        judge: an agent `exact`.
        state: the position, shape (1,).
        seat: 0 or 1.
        known: results of earlier calls with the same judge, extended here.

    Returns:
        1 for a win, 0 for a draw, -1 for a loss, NaN without a proof.
    """
    names = [name for name in state.dtype.names or () if name not in ("rng", "last_action")]
    key = b"".join(state[name].tobytes() for name in names)
    if key not in known:
        known[key] = _first_value(judge, state)
    return known[key] if seat == 0 else -known[key]


def _first_value(judge: Any, state: States) -> float:
    """Return the proved value of a position, shape (1,), for seat 0; NaN without a proof."""
    if not hasattr(judge, "solve") or judge.game.over(state)[0]:
        return float(judge.values(state)[0, 0])
    [solution] = judge.solve(state)
    if not solution.settled:
        return float("nan")
    return float(solution.low if state["to_move"][0] == 0 else -solution.low)
