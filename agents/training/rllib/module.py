"""An RLlib module that chooses only legal actions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.utils.torch_utils import FLOAT_MIN
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.networks.policy_networks import BoardPolicy, logits_and_values
from agents.players.sb3 import SB3Agent
from boardenvs.game import Game

__all__ = ["MaskedModule"]

Batch = dict[str, Any]


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A policy and value network for `agents.training.rllib.env.GameMultiAgentEnv`.

    The network is the same as in local training, so `agents.from_sb3` can play it. Logits of
    illegal actions are the lowest float.

    `model_config` may contain:

    - `hidden`: widths of the plain layers, default `[64]`; one width with `channels`
    - `channels`: channels of a convolutional network, default 0 for plain layers
    - `blocks`: residual blocks of a convolutional network, default 2
    - `lines`: features of a line, default 0; see `agents.networks.line_stem`
    """

    policy: MaskableActorCriticPolicy

    def setup(self) -> None:
        """Create the network."""
        config = self.model_config
        arguments: dict[str, Any] = {
            "net_arch": list(config.get("hidden", [64])),
            "activation_fn": torch.nn.ReLU,
        }
        kind: type[MaskableActorCriticPolicy] = MaskableActorCriticPolicy
        if config.get("channels"):
            kind = BoardPolicy
            arguments["features_extractor_kwargs"] = {
                "channels": config["channels"],
                "blocks": config.get("blocks", 2),
                "lines": config.get("lines", 0),
            }
        # The policy's own optimiser is not used, because RLlib has one.
        self.policy = kind(
            self.observation_space["observations"], self.action_space, lambda _: 0.0, **arguments
        )

    def agent(self, game: Game) -> SB3Agent:
        """Return an agent that plays the most probable action; see `agents.from_sb3`."""
        policy = self.policy
        model = SimpleNamespace(
            policy=policy,
            observation_space=policy.observation_space,
            action_space=policy.action_space,
        )
        return SB3Agent(model, game, spec=type(self).__name__)

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        seen = batch[Columns.OBS]
        logits, values = logits_and_values(self.policy, seen["observations"].float())
        # `compute_values` receives the values as its `embeddings`.
        return {
            Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, FLOAT_MIN),
            Columns.EMBEDDINGS: values,
        }

    def compute_values(self, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """Return values of shape (N,); `embeddings` are the values from `forward_train`."""
        if embeddings is not None:
            return embeddings
        _, values = logits_and_values(self.policy, batch[Columns.OBS]["observations"].float())
        return values
