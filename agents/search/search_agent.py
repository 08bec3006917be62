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
"""Simulations a second in one tree: more than there ever are."""


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search found out about N states.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("gekitai")
        >>> found = agents.make("mcts:50", game, seed=0).search(game.new(1, seed=0))
        >>> policy = found.visits / found.visits.sum(1, keepdims=True)
        >>> policy.shape, found.proven.dtype
        ((1, 36), dtype('bool'))
    """

    visits: npt.NDArray[np.int32]
    """How often each action was tried, shape (N, num_actions); the rows of a search without
    a time limit sum to the simulations. Those saved because a state was proven count for the
    action to play."""
    values: npt.NDArray[np.float32]
    """Each seat's mean result, shape (N, num_players); exact where proven."""
    proven: npt.NDArray[np.bool_]
    """Whether the value of the state is certain, shape (N,)."""
    actions: Actions
    """The action to play, shape (N,): a proven win if there is one, else the most visited that
    is no proven loss; where all that were tried are such, the one that takes longest."""

    def analyses(self) -> list[Analysis]:
        """The same, as episodes keep it."""
        return [Analysis.of_visits(*one) for one in zip(self.visits, self.values, strict=True)]


class SearchAgent(Agent):
    """An agent that plays what its search finds."""

    forced_wins = False
    """Whether it looks for wins by force, see `agents.search.decisive`."""

    def __init__(
        self, game: Game, seed: int | None, time_limit: float | None, threads: int | None, spec: str
    ) -> None:
        """Sit down.

        Args:
            game: what is played.
            seed: of the simulations.
            time_limit: seconds for each state; `None` for no limit.
            threads: that search, at least 1; `None` for all cores.
            spec: the name it goes by.

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
        """What keeps its games apart from those of before it looked for forced wins."""
        return "forced wins" if self.forced_wins else None

    def _warm_up(self) -> None:
        """Have an agent with a time limit compile its search before its clock runs."""
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
        """Search each state, none of which is over.

        Args:
            states: records of the game, shape (N,).
            random_bits: 64 for each, integers of shape (N,). Without a time limit the outcome
                depends on nothing else. By default the agent's own.

        Raises:
            ValueError: these are no such states or random bits, or a state is over.
        """

    def _streams(self, random_bits: RandomBits | None, num: int) -> RandomBits:
        """Return a copy of the random bits, or new ones, for the search to write to.

        Raises:
            ValueError: they are no integers of shape (num,).
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
    """Return for how many simulations a tree needs room that grows for some seconds."""
    return min(MOST_SIMULATIONS, 1000 + int(min(seconds, MOST_SIMULATIONS) * _PACE))


def unsearched(game: Game, num: int) -> tuple[npt.NDArray[Any], ...]:
    """Room for the fields of `Searched`, in their order."""
    return (
        np.zeros((num, game.num_actions), np.int32),
        np.zeros((num, game.num_players), np.float32),
        np.zeros(num, np.bool_),
        np.zeros(num, np.int64),
    )
