"""The exact agent of the 112 game, which needs no search."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.naming.game_folders import require
from agents.search.exact import ExactAgent
from agents.search.solving.exact_search import WIN, solution
from agents.search.solving.solution import Solution
from boardenvs.game import Game, States

__all__ = ["Game112ExactAgent"]


class Game112ExactAgent(ExactAgent):
    """A perfect agent, which wins at once if it can, else plays for a tie.

    A position is won for the player to move if some move completes 1, 1, 2, and else tied, because
    a 2 on the leftmost empty position gives the other player no win. The game's page has the proof.
    The agent samples uniformly among equally good actions. It ignores the budget.
    """

    def _new_search(self, budget: int, progress: bool) -> Any:
        require(self.game, __package__, "agent 'exact' of 112")
        return _Theorem(self.game)


class _Theorem:
    """The values of all positions, with the methods of `ExactSearch`."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def solve(self, state: States) -> Solution:
        """Return the result of a position, shape (1,)."""
        return solution(int(self.scores(state)[0]), "theorem")

    def scores(self, states: States) -> npt.NDArray[np.int64]:
        """Return the score of each position; see `ExactSearch.scores`."""
        return np.where(self._wins(states).any(1), WIN - 1, 0)

    def action_scores(self, states: States) -> npt.NDArray[np.int64]:
        """Return the scores of the legal actions; see `ExactSearch.action_scores`."""
        scores = np.zeros((len(states), self._game.num_actions), np.int64)
        rows, actions = np.nonzero(self._game.legal(states))
        after = states[rows]
        self._game.play(after, actions)
        won = self._game.returns(after)[np.arange(len(rows)), states["to_move"][rows]] > 0
        lost = ~self._game.over(after) & (self.scores(after) > 0)
        scores[rows, actions] = (WIN - 1) * won - (WIN - 2) * lost
        return scores

    def best_actions(self, states: States) -> npt.NDArray[np.bool_]:
        """Return a mask of the best actions of each position; see `ExactSearch.best_actions`."""
        scores = np.where(self._game.legal(states), self.action_scores(states), -WIN)
        best: npt.NDArray[np.bool_] = scores == scores.max(1, keepdims=True)
        return best

    def _wins(self, states: States) -> npt.NDArray[np.bool_]:
        """Return which actions complete 1, 1, 2, bool of shape (N, num_actions)."""
        row = states["cells"][:, : self._game.constants["positions"][0]]
        wins = np.zeros((len(states), self._game.num_actions), np.bool_)
        three = np.stack([row[:, :-2], row[:, 1:-1], row[:, 2:]], 2)
        for k, wanted in enumerate((1, 1, 2)):
            others = [j for j in range(3) if j != k]
            has_others = (three[..., others] == np.array([1, 1, 2])[others]).all(2)
            first = 2 * k + wanted - 1
            wins[:, first : first + 2 * three.shape[1] : 2] |= (three[..., k] == 0) & has_others
        return wins
