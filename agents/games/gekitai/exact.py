"""`exact` in Gekitai: plays what is proved, and says of everything else that it is not settled."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games import require
from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import known_wins
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States
from boardenvs.gekitai import Gekitai
from boardenvs.show.analysis import Analysis

__all__ = ["GekitaiExactAgent"]

_TABLE_BITS = 18
_BOUNDED = 60  # plies to `max_plies`, from which on a search looks no further than that


@dataclass(frozen=True)
class _Judgement:
    """What is known of a position that is not over."""

    value: float
    """1 if the player to move wins, -1 if he loses, NaN if that is not settled."""
    plies: int
    """Within how many plies the game is over if so; -1 if it is not settled."""
    best: npt.NDArray[np.bool_]
    """The actions to choose from, shape (num_actions,)."""


class GekitaiExactAgent(Agent):
    """Wins every position that it knows, or can prove, to be won.

    On 6 x 6 cells, with eight pieces and lines of three, it knows a strategy that wins from the
    empty board (see `agents.games.gekitai.proofs.strategy`). In other positions it searches by
    proof numbers whether the player to move can force a win, then whether the other one can. Where
    every action is proved to lose it plays one after which the game lasts longest. Where nothing is
    proved it plays one after which a win of the other player is furthest from it: that with the
    largest proof number. Among equal actions it picks uniformly.

    What it plays is a win, but need not be the fastest.
    """

    play_version = 2

    def __init__(
        self, game: Game, seed: int | None = None, spec: str = "", budget: int = 200_000
    ) -> None:
        """Sit down; see `Agent`.

        Args:
            game: what is played.
            seed: of the agent's own randomness; `None` for a fresh one.
            spec: the name it goes by.
            budget: how many positions it may look at for each that it is asked about, about.

        Raises:
            ValueError: the game is another one; the budget is no whole number of at least 1.
        """
        require(game, __package__, "agent 'exact' of Gekitai")
        super().__init__(game, seed, spec)
        self.budget = whole_number("budget", budget, 1)

    @functools.cached_property
    def _solver(self) -> Solver:
        assert isinstance(self.game, Gekitai)
        return Solver(self.game, _TABLE_BITS, known_wins(self.game))

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self._choice([self._judged(state) for state in states], random_bits)

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """As `Agent.consider`; the actions to choose from are equally probable.

        A value is told only where it is proved.
        """
        judged = [self._judged(state) for state in states]
        analyses = []
        for state, one in zip(states, judged, strict=True):
            values = np.full(2, -one.value)
            values[state["to_move"]] = one.value
            analyses.append(Analysis.of_policy(one.best / one.best.sum(), values))
        return self._choice(judged, random_bits), analyses

    def _choice(self, judged: list[_Judgement], random_bits: RandomBits) -> Actions:
        best = np.array([one.best for one in judged]).reshape(-1, self.game.num_actions)
        actions = np.empty(len(best), np.int64)
        self.game.kernels.random_actions(best, random_bits, actions)
        return actions

    def values(self, states: States) -> npt.NDArray[np.float32]:
        """Each player's result where it is proved: float32 of shape (N, num_players).

        NaN where it is not settled within the budget. A game that `max_plies` ends without a
        winner is never settled before.

        Args:
            states: records of the game, shape (N,); those that are over have their result.

        Raises:
            ValueError: these are no such states.
        """
        states = self.game.arrays.batch(states)
        values = self.game.returns(states)
        for k in np.flatnonzero(~self.game.over(states)):
            value = self._judged(states[k]).value
            seat = int(states["to_move"][k])
            values[k, seat] = value
            values[k, 1 - seat] = -value
        return values

    def plies(self, states: States) -> npt.NDArray[np.int64]:
        """Within how many plies the winner can end the game: int64 of shape (N,).

        That is what is proved; it may be possible sooner. 0 for a game that is over, -1 where
        nothing is settled.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: these are no such states.
        """
        states = self.game.arrays.batch(states)
        plies = np.zeros(len(states), np.int64)
        for k in np.flatnonzero(~self.game.over(states)):
            plies[k] = self._judged(states[k]).plies
        return plies

    def action_values(self, states: States) -> npt.NDArray[np.float32]:
        """What the player to move gets after each action: float32 of shape (N, num_actions).

        NaN where it is not settled, or an action is illegal, or the game is over.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: these are no such states.
        """
        states = self.game.arrays.batch(states)
        values = np.full((len(states), self.game.num_actions), np.nan, np.float32)
        rows, actions = np.nonzero(self.game.legal(states))
        after = states[rows]
        self.game.play(after, actions)
        values[rows, actions] = self.values(after)[np.arange(len(rows)), states["to_move"][rows]]
        return values

    def _judged(self, state: np.void) -> _Judgement:
        solver = self._solver
        solver.clear()  # what it finds depends on this position alone
        left = self.game.max_plies - int(state["ply"])
        within = left if left <= _BOUNDED else None
        half = (self.budget + 1) // 2
        # What is known is seen without a search, for either player.
        for attack, limit in ((True, 0), (False, 0), (True, half), (False, self.budget - half)):
            found = solver.search(state, limit, attack=attack, plies=within)
            if found.won and found.plies <= left:
                break
        if found.won and found.plies <= left and attack:
            best = np.zeros(self.game.num_actions, np.bool_)
            best[found.action] = True
            return _Judgement(1.0, found.plies, best)
        proofs, plies = solver.replies(state, within)
        if found.won and found.plies <= left:
            best = (proofs == 0) & (plies == plies[proofs == 0].max())
            return _Judgement(-1.0, int(plies.max()) + 1, best)
        return _Judgement(float("nan"), -1, proofs == proofs.max())
