"""The random agent, a baseline for all others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from boardenvs.game import States

__all__ = ["RandomAgent"]


class RandomAgent(Agent):
    """An agent that samples uniformly from the legal actions."""

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self.choose_among(self.game.legal(states), random_bits)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return equal probabilities for the legal actions; see `Agent.policies`."""
        legal = self.game.legal(self.live(states))
        shares: npt.NDArray[np.float64] = legal / legal.sum(1, keepdims=True)
        return shares
