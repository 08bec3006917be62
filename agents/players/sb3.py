"""Stable-Baselines3 models as agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.players.choice import masked_choice, masked_policy
from boardenvs.core.checks import finite_number, shown
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["SB3Agent", "from_sb3"]


class SB3Agent(Agent):
    """An agent that plays the legal actions of a Stable-Baselines3 or sb3-contrib model."""

    def __init__(self, model: Any, game: Game, temperature: float = 0.0) -> None:
        """Wrap a model; see `from_sb3`."""
        super().__init__(game, spec=type(model).__name__)
        policy = getattr(model, "policy", None)
        recurrent = hasattr(policy, "lstm_actor")  # needs the game so far, not only the position
        if hasattr(policy, "get_distribution") and not recurrent:
            self._logits = _policy_logits
        elif hasattr(policy, "q_net"):
            self._logits = _q_values
        else:
            raise ValueError(
                "model must have a policy or Q-values over discrete actions, and no LSTM, "
                f"got {shown(model)}"
            )
        size = int(np.prod(game.observation_shape))
        space = model.observation_space
        if getattr(space, "shape", None) is None or int(np.prod(space.shape)) != size:
            raise ValueError(
                f"model must observe shape {game.observation_shape} of {game!r}, got {space}"
            )
        if getattr(model.action_space, "n", None) != game.num_actions:
            raise ValueError(
                f"model must have the {game.num_actions} actions of {game!r}, "
                f"got {model.action_space}"
            )
        self.model = model
        self.temperature = finite_number("temperature", temperature)
        self.deterministic = temperature == 0

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        if not len(states):
            return np.zeros(0, np.int64)
        masks = self.game.legal(states)
        return masked_choice(self._scores(states), masks, self.temperature, random_bits)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """Return the probabilities at the agent's temperature; see `Agent.policies`."""
        if self.temperature == 0:
            return super().policies(states)
        states = self.live(states)
        return masked_policy(self._scores(states) / self.temperature, self.game.legal(states))

    def consider(
        self, states: States, random_bits: RandomBits
    ) -> tuple[Actions, Sequence[Analysis | None]]:
        """Return actions, and a policy's probabilities at temperature 1; see `Agent.consider`.

        Models with Q-values have no analyses.
        """
        if not len(states) or self._logits is _q_values:
            return super().consider(states, random_bits)
        logits, masks = self._scores(states), self.game.legal(states)
        unknown = np.full(self.game.num_players, np.nan)
        analyses = [Analysis.of_policy(policy, unknown) for policy in masked_policy(logits, masks)]
        return masked_choice(logits, masks, self.temperature, random_bits), analyses

    def _scores(self, states: States) -> npt.NDArray[np.floating[Any]]:
        """Return unmasked logits or Q-values, shape (N, num_actions)."""
        import torch

        space = self.model.observation_space
        policy = self.model.policy
        seen = self.game.observe_to_move(states).reshape(-1, *space.shape)
        policy.set_training_mode(False)
        with torch.no_grad():
            tensor, _ = policy.obs_to_tensor(seen.astype(space.dtype))
            scores: npt.NDArray[np.floating[Any]] = self._logits(policy, tensor).cpu().numpy()
        return scores


def _policy_logits(policy: Any, observation: Any) -> Any:
    return policy.get_distribution(observation).distribution.logits


def _q_values(policy: Any, observation: Any) -> Any:
    return policy.q_net(observation)


def from_sb3(model: Any, game: Game, temperature: float = 0.0) -> SB3Agent:
    """Return an agent that plays by a Stable-Baselines3 or sb3-contrib model.

    Args:
        model: a model with discrete actions and a policy (PPO, A2C, MaskablePPO) or
            Q-values (DQN), trained on this game's observations, flattened or not. The
            agent masks illegal actions for every algorithm.
        game: the game to play.
        temperature: 0 takes the best action; 1 samples from the policy.

    Raises:
        ValueError: the model is of another kind, its spaces do not fit the game, or
            `temperature` is negative.

    Example:
        >>> import agents, boardenvs, gymnasium, sb3_contrib
        >>> env = gymnasium.make("boardenvs/Game112-v0", opponent="random")
        >>> model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, seed=0)
        >>> game = boardenvs.make("game112")
        >>> agents.play_match(game, [agents.from_sb3(model, game), "random"], 10, seed=0).games
        10
    """
    return SB3Agent(model, game, temperature)
