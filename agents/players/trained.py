"""The trained agent, which plays by a network from training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.networks.onnx_policy import OnnxPolicy
from agents.players.choice import masked_choice, masked_policy
from boardenvs.core.checks import finite_number
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["TrainedAgent"]


class TrainedAgent(Agent):
    """An agent that plays the legal actions of an `agents.networks.onnx_policy.OnnxPolicy`.

    Example:
        >>> import agents, boardenvs
        >>> game = boardenvs.make("game112")
        >>> agents.make("trained", game, seed=0, temperature=1.0).act(game.new(3, seed=0)).shape
        (3,)
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        path: str | Path | None = None,
        temperature: float = 0.0,
        spec: str = "trained",
    ) -> None:
        """Load a network.

        Args:
            game: the game to play.
            seed: seed of the choices at a temperature above 0.
            path: ONNX file with its card beside it; by default the shipped network.
            temperature: 0 takes the most probable action; 1 samples from the policy.
            spec: name of the agent.

        Raises:
            ValueError: the network is missing, damaged or for another game, or
                `temperature` is negative.
        """
        super().__init__(game, seed, spec)
        self.temperature = finite_number("temperature", temperature)
        self.deterministic = temperature == 0
        self.network = OnnxPolicy(game, path)

    @property
    def card(self) -> dict[str, Any]:
        """Card of the network."""
        return self.network.card

    @property
    def path(self) -> Path:
        """ONNX file of the network."""
        return self.network.path

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        if not len(states):
            return np.zeros(0, np.int64)
        logits, _ = self.network.evaluate(states)
        return masked_choice(logits, self.game.legal(states), self.temperature, random_bits)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return the probabilities at the agent's temperature; see `Agent.policies`."""
        if self.temperature == 0:
            return super().policies(states)
        states = self.live(states)
        logits, _ = self.network.evaluate(states)
        return masked_policy(logits / self.temperature, self.game.legal(states))

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """Return actions, and the probabilities at temperature 1; see `Agent.consider`."""
        if not len(states):
            return np.zeros(0, np.int64), []
        logits, estimates = self.network.evaluate(states)
        masks = self.game.legal(states)
        values = np.full((len(states), self.game.num_players), np.nan)
        if estimates.ndim == 2:
            values[:] = estimates
        else:  # only for the seat to move; with two seats, the other has its negative
            if self.game.num_players == 2:
                values[:] = -estimates[:, None]
            values[np.arange(len(states)), states["to_move"]] = estimates
        policies = masked_policy(logits, masks)
        analyses = [Analysis.of_policy(*one) for one in zip(policies, values, strict=True)]
        return masked_choice(logits, masks, self.temperature, random_bits), analyses
