"""The exact agent of Gomoku: exhaustive search, and proof-number search on boards up to 8 x 8."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.games.gomoku.proofs.proof import LARGEST, Solver
from agents.naming.game_folders import require
from agents.search.exact import ExactAgent
from agents.search.solving.exact_search import WIN, ExactSearch, TooLargeError
from agents.search.solving.long_search import LongSearch
from agents.search.solving.solution import UNKNOWN, Solution
from boardenvs.game import States
from boardenvs.gomoku import Gomoku

__all__ = ["GomokuExactAgent"]

_EXHAUSTIVE_SHARE = 0.05
"""Share of the budget for the exhaustive search, where the proof-number search can follow."""
_COST = 10
"""Positions of the exhaustive search that take as long as one of the proof-number search."""
_STEP = 5_000  # positions until the search changes to the other player's win
_SOURCE = "proof search"
_LEAST_BITS, _MOST_BITS = 16, 26  # logarithm of the size of the table


class GomokuExactAgent(ExactAgent):
    """The agent `ExactAgent` with a proof-number search, on boards of up to 8 x 8 cells.

    With larger boards, or a smaller `max_plies`, it is the general agent.

    An exhaustive search of a twentieth of the budget comes first, and finds the fastest wins. The
    proof-number search follows. Each of its positions counts as ten, because it takes as long. Its
    wins are not always the fastest. The agent then plays the
    action of the proof in a win, samples uniformly among the draws, and plays an action with the
    longest proof in a loss.
    """

    play_version = 2

    def _new_search(self, budget: int, progress: bool) -> Any:
        require(self.game, "agents.games.gomoku", "agent 'exact' of Gomoku")
        assert isinstance(self.game, Gomoku)
        if self.game.board_size > LARGEST or self.game.max_plies < self.game.num_actions:
            return super()._new_search(budget, progress)
        return _GomokuSearch(self.game, budget, progress=progress)


class _Proof(NamedTuple):
    """The solution of a position, and the action that wins; -1 without one."""

    solution: Solution
    action: int


class _GomokuSearch:
    """Exhaustive search followed by proof-number search, with the methods of `ExactSearch`.

    The table of proofs is cleared for each position asked about. So the actions do not depend on
    earlier positions.
    """

    def __init__(self, game: Gomoku, budget: int, *, progress: bool) -> None:
        self._game = game
        self.budget = budget
        self._progress = progress
        self._exhaustive = ExactSearch(game, max(int(_EXHAUSTIVE_SHARE * budget), 1))

    @functools.cached_property
    def _long(self) -> LongSearch:
        return LongSearch(self.budget, self._solver.memory, shown=self._progress)

    def __reduce__(self) -> tuple[Any, ...]:
        make = functools.partial(type(self), progress=self._progress)
        return make, (self._game, self.budget)

    @functools.cached_property
    def _solver(self) -> Solver:
        bits = (self.budget // _COST).bit_length() + 1
        return Solver(self._game, min(max(bits, _LEAST_BITS), _MOST_BITS))

    def solve(self, state: States) -> Solution:
        """Return what is proved about a position, shape (1,)."""
        known = self._exhaustive.solve(state)
        return known if known.settled else self._search(state[0])[0].solution

    def scores(self, states: States) -> npt.NDArray[np.int64]:
        """Return the score of each position; see `ExactSearch.scores`.

        The plies of a score are a maximum for a position that the exhaustive search cannot settle.
        """
        scores = np.zeros(len(states), np.int64)
        for k in range(len(states)):
            try:
                scores[k] = self._exhaustive.scores(states[k : k + 1])[0]
            except TooLargeError:
                self._solver.clear()
                scores[k] = _score(self._settled(states, k, k).solution)
        return scores

    def action_scores(self, states: States) -> npt.NDArray[np.int64]:
        """Return the scores of the legal actions; see `ExactSearch.action_scores`."""
        scores = np.zeros((len(states), self._game.num_actions), np.int64)
        for k in range(len(states)):
            try:
                scores[k] = self._exhaustive.action_scores(states[k : k + 1])[0]
            except TooLargeError:
                self._solver.clear()
                scores[k] = self._scores_after(states, k)
        return scores

    def best_actions(self, states: States) -> npt.NDArray[np.bool_]:
        """Return a mask of the best actions of each position; see `ExactSearch.best_actions`."""
        best = np.zeros((len(states), self._game.num_actions), np.bool_)
        for k in range(len(states)):
            try:
                best[k] = self._exhaustive.best_actions(states[k : k + 1])[0]
            except TooLargeError:
                self._solver.clear()
                winning = self._settled(states, k, k).action
                if winning >= 0:
                    best[k, winning] = True
                else:
                    legal = self._game.legal(states[k : k + 1])[0]
                    scores = self._scores_after(states, k)
                    best[k] = legal & (scores == scores[legal].max())
        return best

    def _scores_after(self, states: States, k: int) -> npt.NDArray[np.int64]:
        """Return the score of each legal action of position k; 0 for illegal ones."""
        game = self._game
        actions = np.flatnonzero(game.legal(states[k : k + 1])[0])
        after = np.repeat(states[k : k + 1], len(actions))
        game.play(after, actions)
        won = game.returns(after)[:, int(states["to_move"][k])]
        over = game.over(after)
        scores = np.zeros(game.num_actions, np.int64)
        for i, action in enumerate(actions):
            if over[i]:
                scores[action] = np.sign(won[i]) * (WIN - 1)
            else:
                score = _score(self._settled(after, i, k).solution)
                scores[action] = -score + np.sign(score)
        return scores

    def _settled(self, states: States, i: int, k: int) -> _Proof:
        """Return the proof of position `i`, for a question about position `k` of a call.

        Raises:
            TooLargeError: the budget does not suffice.
        """
        proof, needed = self._search(states[i])
        if not proof.solution.settled:
            raise TooLargeError(self._game, k, needed)
        return proof

    def _search(self, state: np.void) -> tuple[_Proof, str]:
        """Search within the budget for a win of each player in turn.

        Returns:
            What is proved, and what a proof needs if the position is not settled.
        """
        can_win = {True: True, False: True}  # of the player to move, and of the other player
        open_questions = [True, False]
        self._solver.search(state, 0)  # compiles
        for step in self._long.steps(min(_COST * _STEP, max(self.budget // 4, 1))):
            attack = open_questions.pop(0)
            found = self._solver.search(state, max(step // _COST, 1), attack=attack)
            if found.won:
                value = 1.0 if attack else -1.0
                return _Proof(Solution(value, value, found.plies, _SOURCE), found.action), ""
            if found.won is False:
                can_win[attack] = False
            elif not found.settled:
                open_questions.append(attack)
            if not open_questions:
                break
        bounds = Solution(-float(can_win[False]), float(can_win[True]), -1, _SOURCE)
        if bounds == UNKNOWN._replace(source=_SOURCE):
            return _Proof(UNKNOWN, -1), self._long.needed()
        seat = self._game.seat_names[int(state["to_move"])]
        return _Proof(bounds, -1), f"{self._long.needed()}; so far proved: {seat} {bounds.text}"


def _score(solution: Solution) -> int:
    """Return the score of a settled position, as in `agents.search.solving.exact_search`."""
    return int(solution.low) * (WIN - solution.plies)
