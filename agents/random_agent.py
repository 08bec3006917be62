"""The agent that any other should beat."""

from __future__ import annotations

import numpy as np

from agents.agent import Actions, Agent, Words
from boardenvs.game import States

__all__ = ["RandomAgent"]


class RandomAgent(Agent):
    """Any legal action, uniformly."""

    def choose(self, states: States, words: Words) -> Actions:
        actions = np.empty(len(states), np.int64)
        self.game.kernels.random_actions(self.game.legal(states), words, actions)
        return actions
