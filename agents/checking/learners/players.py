"""Players of this package that need no training."""

from __future__ import annotations

from agents.checking.learners import Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "mcts"]


def mcts(game: Game, seed: int, seconds: float) -> str:
    """Return the player `mcts:100`, which learns nothing before the game."""
    return "mcts:100"


LEARNERS = (Learner("`mcts:100`, which does not learn", mcts, "boardenvs", 0),)
