"""The exact agent of the 112 game, which needs no search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.naming.game_folders import require
from agents.search.solution import Solution
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["Game112ExactAgent"]


class Game112ExactAgent(Agent):
    """A perfect agent, which wins at once if it can, else plays for a tie.

    A position is won for the player to move if some move completes 1, 1, 2, and else tied, because
    a 2 on the leftmost empty position gives the other player no win. The game's page has the proof.
    The agent samples uniformly among equally good actions.
    """

    def __init__(
        self, game: Game, seed: int | None = None, spec: str = "", budget: int = 2_000_000
    ) -> None:
        """Create the agent; see `Agent`.

        Args:
            game: the game to play.
            seed: seed of the agent's own randomness; `None` for a random one.
            spec: name of the agent.
            budget: ignored, because no position needs a search.

        Raises:
            ValueError: `game` is not the 112 game, or `budget` is not an integer of at least 1.
        """
        require(game, __package__, "agent 'exact' of 112")
        super().__init__(game, seed, spec)
        whole_number("budget", budget, 1)

    def solve(self, states: States) -> list[Solution]:
        """Return the proved result of the seat to move in each position.

        Args:
            states: records of the game, not over, shape (N,).

        Raises:
            ValueError: the states are not such records.
        """
        plies = self.plies(self.live(states)).tolist()
        values = [(1.0 if one > 0 else 0.0, one) for one in plies]
        return [Solution(value, value, one, "theorem") for value, one in values]

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self._choice(self._best(states), random_bits)

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """Return best actions with exact values and equal probabilities; see `Agent.consider`."""
        best = self._best(states)
        analyses = [
            Analysis.of_policy(mask / mask.sum(), value)
            for mask, value in zip(best, self.values(states), strict=True)
        ]
        return self._choice(best, random_bits), analyses

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return equal probabilities of the best actions; see `Agent.policies`."""
        best = self._best(self.live(states))
        shares: npt.NDArray[np.float64] = best / best.sum(1, keepdims=True)
        return shares

    def values(self, states: States) -> npt.NDArray[np.float32]:
        """Return each player's result under perfect play, float32 of shape (N, num_players).

        Args:
            states: records of the game, shape (N,). Games that are over keep their result.

        Raises:
            ValueError: the states are invalid.
        """
        states = self.game.arrays.batch(states)
        values = self.game.returns(states)
        live = np.flatnonzero(~self.game.over(states))
        wins = self._wins(states[live]).any(1)
        values[live, states["to_move"][live]] = wins
        values[live, 1 - states["to_move"][live]] = -wins.astype(np.float32)
        return values

    def plies(self, states: States) -> npt.NDArray[np.int64]:
        """Return the number of plies to a win under perfect play, int64 of shape (N,).

        The number is 0 for a game that is over, and -1 for a position that is tied.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: the states are invalid.
        """
        states = self.game.arrays.batch(states)
        won = np.where(self._wins(states).any(1), 1, -1)
        return np.where(self.game.over(states), 0, won)

    def action_values(self, states: States) -> npt.NDArray[np.float32]:
        """Return the result of the seat to move after each action, float32 (N, num_actions).

        Both players play perfectly after the action. The value is NaN if the action is illegal or
        the game is over.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: the states are invalid.
        """
        states = self.game.arrays.batch(states)
        values = np.full((len(states), self.game.num_actions), np.nan, np.float32)
        rows, actions = np.nonzero(self.game.legal(states))
        after = states[rows]
        self.game.play(after, actions)
        values[rows, actions] = self.values(after)[np.arange(len(rows)), states["to_move"][rows]]
        return values

    def _best(self, states: States) -> npt.NDArray[np.bool_]:
        values = self.action_values(states)
        # A player who moves is never lost, so no loss has to be delayed.
        best: npt.NDArray[np.bool_] = values == np.nanmax(values, 1, keepdims=True)
        return best

    def _choice(self, best: npt.NDArray[np.bool_], random_bits: RandomBits) -> Actions:
        actions = np.empty(len(best), np.int64)
        self.game.kernels.random_actions(best, random_bits, actions)
        return actions

    def _wins(self, states: States) -> npt.NDArray[np.bool_]:
        """Return which actions complete 1, 1, 2, bool of shape (N, num_actions)."""
        row = states["cells"][:, : self.game.constants["positions"][0]]
        wins = np.zeros((len(states), self.game.num_actions), np.bool_)
        three = np.stack([row[:, :-2], row[:, 1:-1], row[:, 2:]], 2)
        for k, wanted in enumerate((1, 1, 2)):
            others = [j for j in range(3) if j != k]
            has_others = (three[..., others] == np.array([1, 1, 2])[others]).all(2)
            first = 2 * k + wanted - 1
            wins[:, first : first + 2 * three.shape[1] : 2] |= (three[..., k] == 0) & has_others
        return wins
