"""The agent that plays small games and positions perfectly, by exhaustive search."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.search.solving.exact_search import WIN, ExactSearch, TooLargeError
from agents.search.solving.solution import Solution
from boardenvs.core.checks import counted, whole_number
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["ExactAgent"]


class ExactAgent(Agent):
    """A perfect agent, which plays the fastest win, else a draw, else the slowest loss.

    It samples uniformly among equally good actions, and remembers the results of its searches. Its
    first call solves the whole 112 game in a fraction of a second.

    Example:
        >>> import boardenvs
        >>> from agents.search import ExactAgent
        >>> game = boardenvs.make("game112")
        >>> ExactAgent(game).values(game.new(1, seed=0)).tolist()  # with best play 112 is a draw
        [[0.0, 0.0]]
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        spec: str = "",
        budget: int = 2_000_000,
        progress: bool = False,
    ) -> None:
        """Create the agent.

        Args:
            game: a game for two players without chance and hidden information.
            seed: seed of the agent's own randomness; `None` for a random seed.
            spec: name of the agent.
            budget: maximum number of positions to search for each position asked about.
            progress: whether searches of more than three seconds show their cost and progress on
                standard error.

        Raises:
            ValueError: the game is not supported, or `budget` is not an integer of at least 1.
        """
        for objection, applies in (
            ("chance", game.has_chance),
            ("hidden information", game.has_hidden),
            (counted(game.num_players, "player"), game.num_players != 2),
        ):
            if applies:
                raise ValueError(
                    f"agent 'exact' requires two players, no chance and no hidden information, but "
                    f"{game.name} has {objection}"
                )
        super().__init__(game, seed, spec)
        self._search = self._new_search(whole_number("budget", budget, 1), progress)

    def _new_search(self, budget: int, progress: bool) -> Any:
        """Return the search of the game, with the methods of `ExactSearch`."""
        return ExactSearch(self.game, budget, progress=progress)

    def solve(self, states: States) -> list[Solution]:
        """Return what is proved about each position for the seat to move, without an error.

        Further calls continue a search that stopped at the budget.

        Args:
            states: records of the game, not over, shape (N,).

        Raises:
            ValueError: the states are not such records.
        """
        return [self._search.solve(state.reshape(1)) for state in self.live(states)]

    def check_can_play(self, states: States) -> None:
        """Check that the budget suffices for the positions; see `Agent.check_can_play`.

        Raises:
            ValueError: a position is too large for the budget.
        """
        states = self.live(states)
        try:
            self._search.scores(states)
        except TooLargeError as error:
            where = "this position" if states["ply"].any() else "the start"
            raise ValueError(
                f"agent 'exact' cannot play {self.game.name} from {where}: {error.needed}"
            ) from None

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        """Choose the best actions; see `Agent.choose`.

        Raises:
            ValueError: a position is too large for the budget.
        """
        return self.choose_among(self._search.best_actions(states), random_bits)

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """Return best actions with exact values and equal probabilities; see `Agent.consider`.

        Raises:
            ValueError: a position is too large for the budget.
        """
        best = self._search.best_actions(states)
        values = self.values(states)  # cheap, as the positions are now in the table
        analyses = [
            Analysis.of_policy(mask / mask.sum(), value)
            for mask, value in zip(best, values, strict=True)
        ]
        return self.choose_among(best, random_bits), analyses

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return equal probabilities of the best actions; see `Agent.policies`.

        Raises:
            ValueError: the states are invalid, or one is too large for the budget.
        """
        best = self._search.best_actions(self.live(states))
        shares: npt.NDArray[np.float64] = best / best.sum(1, keepdims=True)
        return shares

    def values(self, states: States) -> npt.NDArray[np.float32]:
        """Return each player's result under perfect play, float32 of shape (N, num_players).

        Args:
            states: records of the game, shape (N,). Games that are over keep their result.

        Raises:
            ValueError: the states are invalid, or one is too large for the budget.
        """
        states = self.game.arrays.batch(states)
        values = self.game.returns(states)
        live = np.flatnonzero(~self.game.over(states))
        own = np.sign(self._search.scores(states[live]))
        values[live, states["to_move"][live]] = own
        values[live, 1 - states["to_move"][live]] = -own
        return values

    def plies(self, states: States) -> npt.NDArray[np.int64]:
        """Return the number of plies to a win or loss under perfect play, int64 of shape (N,).

        The number is 0 for a game that is over, and -1 for a position that is drawn.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: the states are invalid, or one is too large for the budget.
        """
        states = self.game.arrays.batch(states)
        plies = np.zeros(len(states), np.int64)
        live = np.flatnonzero(~self.game.over(states))
        scores = self._search.scores(states[live])
        plies[live] = np.where(scores == 0, -1, WIN - np.abs(scores))
        return plies

    def action_values(self, states: States) -> npt.NDArray[np.float32]:
        """Return the result of the seat to move after each action, float32 (N, num_actions).

        Both players play perfectly after the action. The value is NaN if the action is illegal or
        the game is over.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: the states are invalid, or one is too large for the budget.
        """
        states = self.game.arrays.batch(states)
        legal = self.game.legal(states)
        live = np.flatnonzero(legal.any(axis=1))
        values = np.full(legal.shape, np.nan, np.float32)
        values[live] = np.sign(self._search.action_scores(states[live]))
        values[~legal] = np.nan
        return values
