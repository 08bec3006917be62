"""A policy in training as an agent, on a board of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.agent import Actions, Agent, RandomBits
from agents.players.trained import masked_choice
from boardenvs.game import Game, States

__all__ = ["PolicyAgent"]


class PolicyAgent(Agent):
    """Takes the most probable legal action of a policy as it is then.

    A model of Stable-Baselines3 (`agents.from_sb3`) plays on the size alone that it was made for.
    """

    deterministic = True

    def __init__(self, game: Game, policy: Any) -> None:
        """Wrap a policy, which may be trained on.

        Args:
            game: what is played.
            policy: an `agents.networks.policy_networks.BoardPolicy` that fits the game's planes.
        """
        super().__init__(game, 0, "policy")
        self._policy = policy

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        if not len(states):
            return np.zeros(0, np.int64)
        seen = torch.from_numpy(self.game.observe_to_move(states))
        self._policy.set_training_mode(False)
        with torch.inference_mode():
            logits = self._policy.logits(seen.to(self._policy.device)).cpu().numpy()
        return masked_choice(logits, self.game.legal(states), 0.0, random_bits)
