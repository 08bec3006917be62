"""The exact agent of small Goat Races."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games.goat_race.arrangements import Race, number_of_stacks
from agents.games.goat_race.solution import TIE, Solution, Values, solved
from agents.naming.game_folders import require
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States
from boardenvs.goat_race.rules import PLACE, SIDEWAYS
from boardenvs.show.analysis import Analysis

__all__ = ["GoatRaceExactAgent"]

_Floats = npt.NDArray[np.float64]


class GoatRaceExactAgent(Agent):
    """A perfect agent for small races, with the expected result of each action.

    Every player maximises the own expected result over all throws. The agent samples uniformly
    among equally good actions, and the values assume the same of all players. The observation, and
    so `memory`, does not matter, because all moves are public.

    The first question about a board solves the race of these obstacles, and shows a progress bar.
    With two players, values are exact to 1e-8, before they are rounded to float32.
    """

    def __init__(
        self, game: Game, seed: int | None = None, spec: str = "", budget: int = 2_000_000
    ) -> None:
        """Create the agent; see `Agent`.

        Args:
            game: the game to play.
            seed: seed of the agent's own randomness; `None` for a random one.
            spec: name of the agent.
            budget: maximum number of positions of a race before a throw, at least 1; see
                `agents.games.goat_race.arrangements.Race.positions`.

        Raises:
            ValueError: `game` is not Goat Race or has too many positions, or `budget` is not an
                integer of at least 1.
        """
        require(game, __package__, "agent 'exact' of Goat Race")
        super().__init__(game, seed, spec)
        self.budget = whole_number("budget", budget, 1)
        fixed = bool(game.constants["fixed"][0])
        race = self._race(game.constants["walls"][0].tolist())
        # Obstacles that are drawn for each game may leave the way to all other cells open.
        needed = race.positions if fixed else race.positions_on(race.height * (race.width - 1))
        if needed > self.budget:
            raise ValueError(
                f"agent 'exact' cannot play {game.name}: this race has "
                f"{'' if fixed else 'up to '}{needed:,} positions, more than budget = "
                f"{self.budget:,}"
            )

    def race(self, state: np.void) -> Race:
        """Return the race that `exact` solves for a position."""
        return self._race(state["blocked"].tolist())

    def _race(self, blocked: list[int]) -> Race:
        constants = self.game.constants[0]
        return Race(
            self.game.num_players,
            int(constants["goats"]),
            int(constants["arrivals"]),
            int(constants["height"]),
            int(constants["width"]),
            tuple(row.bit_length() - 1 for row in blocked),
            bool(constants["jump"]),
        )

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self.choose_among(_best(states, self._results(states)), random_bits)

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """Return best actions with exact values and equal probabilities; see `Agent.consider`."""
        results = self._results(states)
        best = _best(states, results)
        analyses = [
            Analysis.of_policy(mask / mask.sum(), value)
            for mask, value in zip(best, _means(states, results, best), strict=True)
        ]
        return self.choose_among(best, random_bits), analyses

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return equal probabilities of the best actions; see `Agent.policies`.

        Raises:
            ValueError: the states are invalid, or have goats where play cannot lead them.
        """
        states = self.live(states)
        best = _best(states, self._results(states))
        shares: _Floats = best / best.sum(1, keepdims=True)
        return shares

    def values(self, states: States) -> npt.NDArray[np.float32]:
        """Return each player's expected result under perfect play, float32 (N, num_players).

        Args:
            states: records of the game, shape (N,). Games that are over keep their result.

        Raises:
            ValueError: the states are invalid, or have goats where play cannot lead them.
        """
        states = self.game.arrays.batch(states)
        values = self.game.returns(states)
        live = np.flatnonzero(~self.game.over(states))
        results = self._results(states[live])
        values[live] = _means(states[live], results, _best(states[live], results))
        return values

    def plies(self, states: States) -> npt.NDArray[np.int64]:
        """Return 0 for each game that is over, else -1: the die decides when a race ends.

        Args:
            states: records of the game, shape (N,).

        Raises:
            ValueError: the states are invalid.
        """
        states = self.game.arrays.batch(states)
        return np.where(self.game.over(states), 0, -1)

    def action_values(self, states: States) -> npt.NDArray[np.float32]:
        """Return the expected result of the seat to move after each action.

        All players play perfectly after the action.

        Args:
            states: records of the game, shape (N,).

        Returns:
            float32 of shape (N, num_actions); NaN if the action is illegal or the game is over.

        Raises:
            ValueError: the states are invalid, or have goats where play cannot lead them.
        """
        states = self.game.arrays.batch(states)
        values = np.full((len(states), self.game.num_actions), np.nan, np.float32)
        live = np.flatnonzero(~self.game.over(states))
        results = self._results(states[live])
        values[live] = results[np.arange(len(live)), :, states["to_move"][live]]
        return values

    def losses(self, states: States, actions: Actions) -> npt.NDArray[np.float64]:
        """Return the expected result that each action gives away, 0 for a best action.

        Args:
            states: records of the game, not over, shape (N,).
            actions: legal actions, shape (N,); the loss of an illegal one is NaN.

        Returns:
            float64 of shape (N,).

        Raises:
            ValueError: the states are invalid, or have goats where play cannot lead them.
        """
        states = self.live(states)
        rows = np.arange(len(states))
        own = self._results(states)[rows, :, states["to_move"]]
        lost: _Floats = np.nanmax(own, 1) - own[rows, actions]
        return np.where(lost <= TIE, 0.0, lost)

    # -- Results of all actions -----------------------------------------------------------------

    def _results(self, states: States) -> _Floats:
        """Return the results after each action, shape (N, num_actions, players); NaN if illegal."""
        results = np.full((len(states), self.game.num_actions, self.game.num_players), np.nan)
        placing = states["decision"] == PLACE
        for places, values in self._by_values(states, np.flatnonzero(~placing)):
            results[places] = self._race_results(states[places], values)
        memo: dict[bytes, _Floats] = {}
        for k in np.flatnonzero(placing):
            results[k] = self._place_results(states[k : k + 1], memo)
        return results

    def _by_values(
        self, states: States, places: npt.NDArray[np.intp]
    ) -> Iterator[tuple[npt.NDArray[np.intp], Values]]:
        """Yield parts of the states in the race, with the values one ply later."""
        most = self.game.max_plies
        walls, which = np.unique(states["blocked"][places], axis=0, return_inverse=True)
        left = most - 1 - states["ply"][places].astype(np.int64)
        for number, blocked in enumerate(walls.tolist()):
            mine = which.reshape(-1) == number
            for plies, values in self._solution(blocked).at(left[mine].tolist(), most):
                yield places[mine & (left == plies)], values

    def _solution(self, blocked: list[int]) -> Solution:
        return solved(self._race(blocked))

    def _numbers(self, states: States) -> npt.NDArray[np.int64]:
        """Return the number of each state's arrangement, shape (N,); all have one board."""
        board = self._solution(states["blocked"][0].tolist()).board
        goats = int(self.game.constants["goats"][0])
        numbers = [
            number_of_stacks(board.numbering, one["stacks"], one["order"], goats) for one in states
        ]
        if -1 in numbers:
            raise ValueError(
                f"state {numbers.index(-1)} of {self.game.name} has a goat that play cannot "
                "lead there"
            )
        return np.array(numbers, np.int64)

    def _race_results(self, states: States, values: Values) -> _Floats:
        game, solution = self.game, self._solution(states["blocked"][0].tolist())
        board, width = solution.board, game.params["width"]
        results = np.full((len(states), game.num_actions, game.num_players), np.nan)
        rows = np.arange(len(states))
        numbers = self._numbers(states)
        order = states["order"].astype(np.int64)
        place = np.argmax(order == states["to_move"][:, None], 1)
        following = (place + 1) % game.num_players
        row = states["die"].astype(np.int64) - 1
        sideways = states["decision"] == SIDEWAYS
        stay = game.params["height"] * (1 + 2 * width)
        results[sideways, stay] = values.aside[numbers, place, row][sideways]
        for move, (row_from, column, direction) in enumerate(board.ways):
            after = board.after[numbers, move]
            if direction == 0:
                chosen = ~sideways & (row == row_from) & (after >= 0)
                action = stay + 1 + column
                found = values.turn[after, following]
            else:
                movers = board.movers[numbers, move - len(board.forward)]
                chosen = sideways & (movers == place)
                action = game.params["height"] + 2 * (row_from * width + column) + (direction > 0)
                found = values.aside[after, place, row]
            results[rows[chosen], action] = found[chosen]
        return _by_seat(results, order)

    def _place_results(self, state: States, memo: dict[bytes, _Floats]) -> _Floats:
        """Return the results after placing a goat, shape (num_actions, players)."""
        game = self.game
        key = state["stacks"].tobytes() + state["order"].tobytes() + state["blocked"].tobytes()
        if key in memo:
            return memo[key]
        results = np.full((game.num_actions, game.num_players), np.nan)
        for action in np.flatnonzero(game.legal(state)[0]):
            after = state.copy()
            game.play(after, [action])
            if game.over(after)[0]:
                results[action] = game.returns(after)[0]
            elif after["decision"][0] == PLACE:
                found = self._place_results(after, memo)[None]
                results[action] = _means(after, found, _best(after, found))[0]
            else:  # the value before the throw, which `play` has thrown
                blocked = state["blocked"][0].tolist()
                left = game.max_plies - int(after["ply"][0])
                ((_, values),) = self._solution(blocked).at([left], game.max_plies)
                found = values.turn[self._numbers(after), 0]
                results[action] = _by_seat(found, after["order"].astype(np.int64))[0]
        memo[key] = results
        return results


def _by_seat(results: _Floats, order: npt.NDArray[np.int64]) -> _Floats:
    """Return results by seat, from results by place in the order of play on the last axis."""
    places = np.argsort(order, 1)
    shape = len(order), *(1,) * (results.ndim - 2), order.shape[1]
    return np.take_along_axis(results, places.reshape(shape), -1)


def _best(states: States, results: _Floats) -> npt.NDArray[np.bool_]:
    """Return a mask of the best actions of each state, bool of shape (N, num_actions)."""
    own = results[np.arange(len(states)), :, states["to_move"]]
    best: npt.NDArray[np.bool_] = own >= np.nanmax(own, 1, keepdims=True) - TIE
    return best


def _means(states: States, results: _Floats, best: npt.NDArray[np.bool_]) -> _Floats:
    """Return each player's mean result over the best actions, shape (N, players)."""
    chosen = np.where(best[..., None], results, 0)
    means: _Floats = chosen.sum(1) / best.sum(1)[:, None]
    return means
