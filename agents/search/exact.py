"""The agent that plays perfectly, in games or positions small enough to be searched to the end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.search.exact_search import WIN, ExactSearch
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["ExactAgent"]


class ExactAgent(Agent):
    """Plays the best there is: the fastest win, else a draw, else the slowest loss.

    Among equally good actions it picks uniformly. What it has settled it remembers, so the
    112 game is settled as a whole by the first call, in a fraction of a second.

    Example:
        >>> import boardenvs
        >>> from agents.search import ExactAgent
        >>> game = boardenvs.make("game112")
        >>> ExactAgent(game).values(game.new(1, seed=0)).tolist()  # with best play 112 is a draw
        [[0.0, 0.0]]
    """

    def __init__(
        self, game: Game, seed: int | None = None, spec: str = "", budget: int = 2_000_000
    ) -> None:
        """Sit down; see `Agent`.

        Args:
            game: what is played.
            seed: of the agent's own randomness; `None` for a fresh one.
            spec: the name it goes by.
            budget: how many positions it may look at for each that it is asked about.

        Raises:
            ValueError: the game is not of two players, has chance or hides something; the
                budget is no whole number of at least 1.
        """
        for objection, applies in (
            ("chance", game.has_chance),
            ("hidden information", game.has_hidden),
            (f"{game.num_players} player(s)", game.num_players != 2),
        ):
            if applies:
                raise ValueError(
                    f"agent 'exact' requires two players, no chance and no hidden information, but "
                    f"{game.name} has {objection}"
                )
        super().__init__(game, seed, spec)
        self._search = ExactSearch(game, whole_number("budget", budget, 1))

    def check_can_play(self, states: States) -> None:
        """As `Agent.check_can_play`: whether the positions are small enough for the budget.

        What is found out on the way is remembered.

        Raises:
            ValueError: one is too large.
        """
        states = self.live(states)
        try:
            self._search.scores(states)
        except ValueError:
            where = "this position" if states["ply"].any() else "the start"
            raise ValueError(
                f"agent 'exact' cannot play {self.game.name} from {where}: "
                f"the search needs more than budget = {self._search.budget:,} positions"
            ) from None

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        """As `Agent.choose`.

        Raises:
            ValueError: a position is too large for the budget.
        """
        return self._choice(self._search.best_actions(states), random_bits)

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """As `Agent.consider`; the best actions are equally probable, the values exact.

        Raises:
            ValueError: a position is too large for the budget.
        """
        best = self._search.best_actions(states)
        values = self.values(states)  # that search has settled the positions: a look at its table
        analyses = [
            Analysis.of_policy(mask / mask.sum(), value)
            for mask, value in zip(best, values, strict=True)
        ]
        return self._choice(best, random_bits), analyses

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """As `Agent.policies`: the best actions are equally probable.

        Raises:
            ValueError: these are no such states, or one is too large for the budget.
        """
        best = self._search.best_actions(self.live(states))
        shares: npt.NDArray[np.float64] = best / best.sum(1, keepdims=True)
        return shares

    def _choice(self, best: npt.NDArray[np.bool_], random_bits: RandomBits) -> Actions:
        actions = np.empty(len(best), np.int64)
        self.game.kernels.random_actions(best, random_bits, actions)
        return actions

    def values(self, states: States) -> npt.NDArray[np.float32]:
        """Each player's result if both play on perfectly: float32 of shape (N, num_players).

        Args:
            states: records of the game, shape (N,); those that are over have their result.

        Raises:
            ValueError: these are no such states, or one is too large for the budget.
        """
        states = self.game.arrays.batch(states)
        values = self.game.returns(states)
        live = np.flatnonzero(~self.game.over(states))
        own = np.sign(self._search.scores(states[live]))
        values[live, states["to_move"][live]] = own
        values[live, 1 - states["to_move"][live]] = -own
        return values

    def plies(self, states: States) -> npt.NDArray[np.int64]:
        """How many plies a won or lost game lasts if both play on perfectly: int64 of shape (N,).

        0 for a game that is over, -1 for a draw to come.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: these are no such states, or one is too large for the budget.
        """
        states = self.game.arrays.batch(states)
        plies = np.zeros(len(states), np.int64)
        live = np.flatnonzero(~self.game.over(states))
        scores = self._search.scores(states[live])
        plies[live] = np.where(scores == 0, -1, WIN - np.abs(scores))
        return plies

    def action_values(self, states: States) -> npt.NDArray[np.float32]:
        """What the player to move gets after each action: float32 of shape (N, num_actions).

        Both play on perfectly after it. NaN where an action is illegal or the game is over.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: these are no such states, or one is too large for the budget.
        """
        states = self.game.arrays.batch(states)
        legal = self.game.legal(states)
        live = np.flatnonzero(legal.any(axis=1))
        values = np.full(legal.shape, np.nan, np.float32)
        values[live] = np.sign(self._search.action_scores(states[live]))
        values[~legal] = np.nan
        return values
