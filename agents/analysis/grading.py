"""Grades players against what is proved: how often do they keep a win that they have?

`grade` plays games and asks `exact` about each position in which the graded agent was to move, and
about the position after its move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.analysis.decisions import decisions
from agents.analysis.intervals import wilson
from agents.making import make
from boardenvs.envs.opponents import Opponent
from boardenvs.game import Game, States

__all__ = ["Grade", "grade"]


@dataclass(frozen=True)
class Grade:
    """Results of the positions in which an agent was to move, as a `Measure`."""

    kind: ClassVar[str] = "share of wins kept"

    lost: int
    """How many are proved to be lost."""
    drawn: int
    """How many are proved to be a draw."""
    unsettled: int
    """How many are not settled."""
    kept: int
    """Of those that are proved to be won, after how many the agent has still a proved win."""
    given_away: int
    """After how many of them it is proved to lose, or to draw."""
    unclear: int
    """After how many of them it is not settled what it has."""

    @property
    def won(self) -> int:
        """How many are proved to be won."""
        return self.kept + self.given_away + self.unclear

    @property
    def share_kept(self) -> float:
        """The share of proved wins that it keeps; NaN if it had none."""
        return self.kept / self.won if self.won else float("nan")

    @property
    def value(self) -> float:
        """That share."""
        return self.share_kept

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95% interval, Wilson's."""
        return wilson(self.kept, self.won)

    def __str__(self) -> str:
        low, high = self.interval
        kept = (
            f"kept {self.kept:,} of {self.won:,} wins: {self.share_kept:.3f} "
            f"({low:.3f} to {high:.3f}), {self.given_away:,} given away, {self.unclear:,} unclear"
        )
        return (
            f"{kept if self.won else 'had no win to keep'}; {self.lost:,} positions lost, "
            f"{self.drawn:,} drawn, {self.unsettled:,} not settled"
        )


def grade(
    game: Game, agent: Opponent, opponent: Opponent, games: int, seed: int, budget: int = 100_000
) -> Grade:
    """Play games and see what an agent makes of the positions that it has to move in.

    It has the first seat in every other game, beginning with the first.

    Args:
        game: what is played, of two players.
        agent: who is graded.
        opponent: whom it plays.
        games: how many.
        seed: of the game's records; the agents have randomness of their own.
        budget: how many positions `exact` may look at for each that it is asked about.

    Raises:
        ValueError: `exact` does not play the game, a position is too large for it, or a number is
            out of range.
    """
    judge: Any = make("exact", game, 0, budget=budget)
    judge.check_can_play(game.new(1, seed))  # before the games rather than after them
    first, actions = decisions(game, agent, opponent, games, seed)
    then = first.copy()
    game.play(then, actions, illegal="raise")
    known: dict[bytes, float] = {}
    had, has = (
        [_value(judge, part[k : k + 1], int(first["to_move"][k]), known) for k in range(len(part))]
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


def _value(judge: Any, state: States, seat: int, known: dict[bytes, float]) -> float:
    """What a position, of shape (1,), is proved to be worth to a seat; NaN if nothing is proved."""
    names = [name for name in state.dtype.names or () if name not in ("rng", "last_action")]
    key = b"".join(state[name].tobytes() for name in names)
    if key not in known:
        known[key] = float(judge.values(state)[0, 0])
    return known[key] if seat == 0 else -known[key]
