"""The agent that searches a tree guided by a policy network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from agents.agent import Words
from agents.search.decisive import checked_decisive, decisive_part
from agents.search.guided import report_trees, step_trees
from agents.search.mcts import SearchAgent, Searched, unsearched
from agents.search.network import SearchNetwork
from agents.search.tree import OPTIONS, Tree, empty_forest
from boardenvs.checks import finite_number, whole_number
from boardenvs.game import Game, States

__all__ = ["Evaluator", "PuctAgent"]

_SIDE_BY_SIDE = 256
"""Trees at once, at most."""
_EDGES = 2**22
"""Of these trees together, about: 128 MB."""


class Evaluator(Protocol):
    """What guides a search: a policy and an estimate of the outcome."""

    def evaluate(self, states: States) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Judge positions, as `agents.trained.TrainedAgent.evaluate` does.

        Args:
            states: records of the game, shape (N,), none of them over.

        Returns:
            Logits of the actions, float32 of shape (N, num_actions), of which those of illegal
            actions are not looked at; and the result expected for the seat to move, from -1
            to 1, float32 of shape (N,).
        """


class PuctAgent(SearchAgent):
    """Plays the action it visited most often in a tree that a policy network guides.

    As `agents.search.mcts.MctsAgent`, whose tree it shares, but a leaf is not played out: its value
    is the network's, and the network's policy says which actions to try first. Where the game
    tells of decisive moves (see `agents.search.decisive`), a leaf in which one wins at once is
    proven without asking the network, and at the root it is played. The trees of all states grow
    side by side, so that one run of the network evaluates a leaf of each. Where a network's card
    names a version in 8-bit integers, that one is asked.
    """

    play_version = 3

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        simulations: int = 400,
        exploration: float = 1.5,
        path: str | Path | None = None,
        decisive: bool | None = None,
        evaluator: Evaluator | None = None,
        threads: int | None = None,
        spec: str = "puct",
    ) -> None:
        """Sit down, with a network or another evaluator.

        Args:
            game: what is played.
            seed: of what the simulations draw: chance and hidden parts.
            simulations: how many for each state, at least 1.
            exploration: the factor of the policy's share in the bound.
            path: of the network, as for `agents.trained.TrainedAgent`; by default the shipped one.
            decisive: whether to look for a win at once at each leaf; `None` for wherever the
                game tells of decisive moves.
            evaluator: what guides the search instead of a network file.
            threads: over how many to spread the growth of trees; by default as many as measured
                to pay.
            spec: the name it goes by.

        Raises:
            ValueError: an argument is out of range, there is no such network, both it and an
                evaluator are given, or the game tells of no decisive moves.
        """
        super().__init__(game, seed, spec)
        self.simulations = whole_number("simulations", simulations, 1, 1_000_000)
        self.exploration = finite_number("exploration", exploration)
        self.decisive = checked_decisive("decisive", decisive, game)
        self.deterministic = not (game.has_chance or game.has_hidden)
        if evaluator is not None and path is not None:
            raise ValueError("give a network's path or an evaluator, not both")
        self.threads = None if threads is None else whole_number("threads", threads, 1)
        self.evaluator = SearchNetwork(game, seed, path) if evaluator is None else evaluator
        self._decisive_part = decisive_part(game)
        self._options = np.zeros(1, OPTIONS)
        self._options["simulations"] = self.simulations
        self._options["observation_size"] = game.observation_size
        self._options["hidden"] = game.has_hidden
        self._options["guided"] = True
        self._options["decisive"] = self.decisive
        self._scales = self.exploration * np.sqrt(np.arange(self.simulations + 2))
        self._scales = self._scales.astype(np.float32)
        self._schedule = np.zeros((0, 0), np.int32)

    @property
    def path(self) -> Path | None:
        """Of the network; `None` if something else guides the search."""
        return getattr(self.evaluator, "path", None)

    def search(self, states: States, words: Words | None = None) -> Searched:
        """Search each state; see `agents.search.mcts.MctsAgent.search`."""
        states = self.live(states)
        found = unsearched(self.game, len(states))
        noise = np.zeros((len(states), 0), np.float32)
        self._search_all(states, words, noise, found)
        return Searched(*found)

    def _search_all(
        self,
        states: States,
        words: Words | None,
        noise: npt.NDArray[np.float32],
        found: Sequence[npt.NDArray[Any]],
    ) -> None:
        """Search states that are not over; what is found goes into the arrays `found`."""
        if words is None:
            words = self._rng.integers(0, 2**64, len(states), np.uint64)
        at_once = _EDGES // (self.simulations * self.game.num_actions)
        at_once = min(max(1, at_once), _SIDE_BY_SIDE)
        for low in range(0, len(states), at_once):
            part = slice(low, low + at_once)
            forest = self._grown(states[part], words[part].copy(), noise[part])
            self._report(states[part], noise[part], forest, [array[part] for array in found])

    def _grown(self, states: States, words: Words, noise: npt.NDArray[np.float32]) -> Tree:
        """The forest of the states' trees."""
        game = self.game
        num = len(states)
        step = step_trees.bound_to(game.rules_name, self._decisive_part)
        size = (self.simulations, game.num_actions, game.observation_size, game.num_players)
        forest = empty_forest(num, *size)
        leaves = states.copy()
        masks = np.zeros((num, game.num_actions), np.bool_)
        logits = np.zeros((num, game.num_actions), np.float32)
        estimates = np.zeros(num, np.float32)
        waits = np.zeros(num, np.bool_)
        while True:
            step(
                self.threads, states, game.constants, words, self._options, self._scales, noise,
                self._schedule, leaves, masks, logits, estimates, waits, *forest,
            )  # fmt: skip
            if not waits.any():
                return forest
            logits[waits], estimates[waits] = self.evaluator.evaluate(leaves[waits])

    def _report(
        self,
        states: States,
        noise: npt.NDArray[np.float32],
        forest: Tree,
        found: Sequence[npt.NDArray[Any]],
    ) -> None:
        """What the trees of a forest have found, into `found`."""
        report = report_trees.bound_to(self.game.rules_name)
        report(states, self._options, forest, *found)
