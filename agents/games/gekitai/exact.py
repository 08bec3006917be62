"""The exact agent of Gekitai, which plays and reports proven results."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import known_wins
from agents.naming.game_folders import require
from agents.search.solving.solution import UNKNOWN, Solution
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States
from boardenvs.gekitai import Gekitai
from boardenvs.show.analysis import Analysis

__all__ = ["GekitaiExactAgent"]

_TABLE_BITS = 18
_BOUNDED = 60  # with at most this many plies to `max_plies`, searches are bounded by it


@dataclass(frozen=True)
class _Judgement:
    """Known facts about a position that is not over."""

    value: float
    """1 for a proven win of the player to move, -1 for a proven loss, else NaN."""
    plies: int
    """Proven maximum number of plies to the end; -1 without a proof."""
    best: npt.NDArray[np.bool_]
    """Mask of the actions to choose from, shape (num_actions,)."""
    source: str = ""
    """Kind of proof, as in `Solution`."""


class GekitaiExactAgent(Agent):
    """An agent that wins every position with a known or found proof of a win.

    With lines of three, it knows strategies of the first player that win from the empty board: on
    6 x 6 to 8 x 8 cells with six pieces or more (see `agents.games.gekitai.proofs.strategy`). In
    other positions, a proof-number search tries to prove a win of the player to move, and then of
    the other player. If all actions are proven losses, it plays one with the longest game. Without
    a proof, it plays one with the largest proof number of the other player's win. It samples
    uniformly among equal actions.

    Its wins are not always the fastest.
    """

    play_version = 4

    def __init__(
        self, game: Game, seed: int | None = None, spec: str = "", budget: int = 200_000
    ) -> None:
        """Create the agent; see `Agent`.

        Args:
            game: the game to play.
            seed: seed of the agent's own randomness; `None` for a random one.
            spec: name of the agent.
            budget: approximate maximum number of searched positions per choice, at least 1.

        Raises:
            ValueError: `game` is not Gekitai, or `budget` is not an integer of at least 1.
        """
        require(game, __package__, "agent 'exact' of Gekitai")
        super().__init__(game, seed, spec)
        self.budget = whole_number("budget", budget, 1)

    @functools.cached_property
    def _solver(self) -> Solver:
        assert isinstance(self.game, Gekitai)
        return Solver(self.game, _TABLE_BITS, known_wins(self.game))

    def solve(self, states: States) -> list[Solution]:
        """Return what is proved about each position for the seat to move.

        Args:
            states: records of the game, not over, shape (N,).

        Raises:
            ValueError: the states are not such records.
        """
        judged = [self._judged(state) for state in self.live(states)]
        return [
            UNKNOWN
            if math.isnan(one.value)
            else Solution(one.value, one.value, one.plies, one.source)
            for one in judged
        ]

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self._choice([self._judged(state) for state in states], random_bits)

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """Return actions, and analyses with proven values only; see `Agent.consider`.

        The actions to choose from have equal probabilities.
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
        return self.choose_among(best, random_bits)

    def values(self, states: States) -> npt.NDArray[np.float32]:
        """Return each player's proven result, float32 of shape (N, num_players).

        Results without a proof within the budget are NaN. Draws by `max_plies` are never proven.

        Args:
            states: records of the game, shape (N,). Games that are over have their result.

        Raises:
            ValueError: `states` are not records of the game.
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
        """Return the proven maximum number of plies to the win, int64 of shape (N,).

        A faster win may exist. 0 for games that are over, -1 without a proof.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: `states` are not records of the game.
        """
        states = self.game.arrays.batch(states)
        plies = np.zeros(len(states), np.int64)
        for k in np.flatnonzero(~self.game.over(states)):
            plies[k] = self._judged(states[k]).plies
        return plies

    def action_values(self, states: States) -> npt.NDArray[np.float32]:
        """Return the proven result of the player to move after each action.

        Args:
            states: records of the game, shape (N,).

        Returns:
            float32 of shape (N, num_actions). Results without a proof, illegal actions and games
            that are over have NaN.

        Raises:
            ValueError: `states` are not records of the game.
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
        solver.clear()  # so that the result depends only on this position
        left = self.game.max_plies - int(state["ply"])
        within = left if left <= _BOUNDED else None
        half = (self.budget + 1) // 2
        # A limit of 0 finds known wins of either player without a search.
        for attack, limit in ((True, 0), (False, 0), (True, half), (False, self.budget - half)):
            found = solver.search(state, limit, attack=attack, plies=within)
            if found.won and found.plies <= left:
                break
        # Without a search, the rules or the stored strategy prove a win.
        source = "proof search" if found.positions else "certificate" if found.plies > 2 else ""
        if found.won and found.plies <= left and attack:
            best = np.zeros(self.game.num_actions, np.bool_)
            best[found.action] = True
            return _Judgement(1.0, found.plies, best, source)
        proofs, plies = solver.replies(state, within)
        if found.won and found.plies <= left:
            best = (proofs == 0) & (plies == plies[proofs == 0].max())
            return _Judgement(-1.0, int(plies.max()) + 1, best, source)
        return _Judgement(float("nan"), -1, proofs == proofs.max())
