"""The agent that searches a tree guided by a trained policy."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from agents.agent import Actions, Agent, Words
from agents.decisive import search_rules
from agents.mcts import Searched, checked_number, unsearched
from agents.trained import TrainedAgent
from agents.tree_search import OPTIONS, empty_forest, report_trees, step_trees
from boardenvs.compiling import bind
from boardenvs.game import Game, States, whole_number

__all__ = ["PuctAgent"]

_SIDE_BY_SIDE = 256
"""Trees at once, at most."""
_EDGES = 2**22
"""Of these trees together, about: 128 MB."""


class PuctAgent(Agent):
    """Plays the action it visited most often in a tree that a trained policy guides.

    As `agents.mcts.MctsAgent`, whose tree it shares, but a leaf is not played out: its value
    is the network's, and the network's policy says which actions to try first. The trees of
    all states grow side by side, so that one run of the network evaluates a leaf of each.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        simulations: int = 400,
        exploration: float = 1.5,
        path: str | Path | None = None,
        spec: str = "puct",
    ) -> None:
        """Load the network.

        Args:
            game: what is played.
            seed: of what the simulations draw: chance and hidden parts.
            simulations: how many for each state, at least 1.
            exploration: the factor of the policy's share in the bound.
            path: of the network, as for `TrainedAgent`; by default the shipped one.
            spec: the name it goes by.

        Raises:
            ValueError: an argument is out of range, or there is no such network.
        """
        super().__init__(game, seed, spec)
        self.simulations = whole_number("simulations", simulations, 1, 1_000_000)
        self.exploration = checked_number("exploration", exploration)
        self.deterministic = not (game.has_chance or game.has_hidden)
        self.network = TrainedAgent(game, seed, path)
        self._options = np.zeros(1, OPTIONS)
        self._options["simulations"] = self.simulations
        self._options["observation_size"] = game.observation_size
        self._options["hidden"] = game.has_hidden
        self._options["guided"] = True
        self._scales = self.exploration * np.sqrt(np.arange(self.simulations + 2))
        self._scales = self._scales.astype(np.float32)

    def choose(self, states: States, words: Words) -> Actions:
        return self.search(states, words).actions

    def search(self, states: States, words: Words | None = None) -> Searched:
        """Search each state; see `agents.mcts.MctsAgent.search`."""
        states = self.live(states)
        if words is None:
            words = self._rng.integers(0, 2**64, len(states), np.uint64)
        found = unsearched(self.game, len(states))
        at_once = _EDGES // (self.simulations * self.game.num_actions)
        at_once = min(max(1, at_once), _SIDE_BY_SIDE)
        for low in range(0, len(states), at_once):
            part = slice(low, low + at_once)
            self._search_together(states[part], words[part].copy(), [a[part] for a in found])
        return Searched(*found)

    def _search_together(self, states: States, words: Words, found: list[Actions]) -> None:
        game = self.game
        num = len(states)
        step, report = _compiled(search_rules(game))
        size = (self.simulations, game.num_actions, game.observation_size, game.num_players)
        forest = empty_forest(num, *size)
        leaves = states.copy()
        masks = np.zeros((num, game.num_actions), np.bool_)
        logits = np.zeros((num, game.num_actions), np.float32)
        estimates = np.zeros(num, np.float32)
        waits = np.zeros(num, np.bool_)
        told = (game.constants, words, self._options, self._scales, forest)
        while True:
            step(states, *told, leaves, masks, logits, estimates, waits)
            if not waits.any():
                break
            logits[waits], estimates[waits] = self.network.evaluate(leaves[waits])
        report(states, self._options, forest, *found)


@functools.cache
def _compiled(rules: str) -> tuple[Callable[..., None], Callable[..., None]]:
    module = importlib.import_module(rules)
    return bind(step_trees, module), bind(report_trees, module)
