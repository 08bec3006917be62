"""The base class of agents that search a tree, and the result of a search."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.game import Game, States
from boardenvs.kernels.interpreting import compile_first
from boardenvs.show.analysis import Analysis

__all__ = ["MOST_SIMULATIONS", "SearchAgent", "Searched", "simulations_within", "unsearched"]

MOST_SIMULATIONS = 10_000_000
_PACE = 2_000_000
"""Upper bound of the simulations per second in one tree."""


@dataclass(frozen=True, eq=False)
class Searched:
    """Result of a search of N states.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> found = agents.make("mcts:50", game, seed=0).search(game.new(1, seed=0))
        >>> policy = found.visits / found.visits.sum(1, keepdims=True)
        >>> policy.shape, found.proven.dtype
        ((1, 36), dtype('bool'))
    """

    visits: npt.NDArray[np.int32]
    """Visits of each action, shape (N, num_actions). Without a time limit each row sums to the
    number of simulations. If a state was proven early, the remaining simulations count as visits
    of the action to play."""
    values: npt.NDArray[np.float32]
    """Mean result of each seat, shape (N, num_players); exact for proven states."""
    proven: npt.NDArray[np.bool_]
    """Whether the value of each state is proven, shape (N,)."""
    actions: Actions
    """Action to play in each state, shape (N,): a proven win if there is one, else the most visited
    action that is not a proven loss. If all visited actions are proven losses, the longest loss."""

    def analyses(self) -> list[Analysis]:
        """Return the result as analyses of an episode, one for each state."""
        return [Analysis.of_visits(*one) for one in zip(self.visits, self.values, strict=True)]


class SearchAgent(Agent):
    """Base class of agents that choose their actions by a search."""

    forced_wins = False
    """Whether the search looks for forced wins, see `agents.search.decisive`."""

    def __init__(
        self, game: Game, seed: int | None, time_limit: float | None, threads: int | None, spec: str
    ) -> None:
        """Create the agent.

        Args:
            game: the game to play.
            seed: seed of the simulations.
            time_limit: seconds for each state; `None` for no limit.
            threads: number of threads, at least 1; `None` for all cores.
            spec: name of the agent.

        Raises:
            ValueError: an argument is out of range.
        """
        super().__init__(game, seed, spec)
        if time_limit is not None:
            time_limit = finite_number("time_limit", time_limit)
        self.time_limit = time_limit
        self.threads = None if threads is None else whole_number("threads", threads, 1)
        self.repeatable = time_limit is None

    @property
    def version(self) -> str | None:
        """Version that separates games with forced wins from games without them."""
        return "forced wins" if self.forced_wins else None

    def _warm_up(self) -> None:
        """Compile the search of an agent with a time limit before its clock starts."""
        if self.time_limit is None:
            return
        kept, self.time_limit = self.time_limit, 0.0
        try:
            with compile_first():
                self.search(self.game.new(1, 0), np.zeros(1, np.uint64))
        finally:
            self.time_limit = kept

    @abc.abstractmethod
    def search(self, states: States, random_bits: RandomBits | None = None) -> Searched:
        """Search each state.

        Args:
            states: records of the game that are not over, shape (N,).
            random_bits: 64 random bits for each state, integers of shape (N,); by default the
                agent's own. Without a time limit the result depends only on `states` and
                `random_bits`.

        Raises:
            ValueError: `states` or `random_bits` are invalid, or a state is over.
        """

    def _streams(self, random_bits: RandomBits | None, num: int) -> RandomBits:
        """Return a copy of the random bits, or new ones, for the search to write to.

        Raises:
            ValueError: `random_bits` are not integers of shape (num,).
        """
        if random_bits is None:
            return self._new_random_bits(num)
        given = np.asarray(random_bits)
        if given.shape != (num,) or (num and given.dtype.kind not in "ui"):
            raise ValueError(
                f"random_bits must be integers of shape ({num},), got {given.dtype} of shape "
                f"{given.shape}"
            )
        return given.astype(np.uint64)

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self.search(states, random_bits).actions

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        found = self.search(states, random_bits)
        return found.actions, found.analyses()


def simulations_within(seconds: float) -> int:
    """Return the number of simulations that a tree needs room for in a number of seconds."""
    return min(MOST_SIMULATIONS, 1000 + int(min(seconds, MOST_SIMULATIONS) * _PACE))


def unsearched(game: Game, num: int) -> tuple[npt.NDArray[Any], ...]:
    """Return arrays of zeros for the fields of `Searched`, in their order."""
    return (
        np.zeros((num, game.num_actions), np.int32),
        np.zeros((num, game.num_players), np.float32),
        np.zeros(num, np.bool_),
        np.zeros(num, np.int64),
    )
