"""The players of a run as RLlib's modules: they choose among legal actions alone."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.utils.torch_utils import FLOAT_MIN
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.training.networks import BoardPolicy, logits_and_values

__all__ = ["LearnerModule", "NetworkModule", "RandomModule"]

Batch = dict[str, Any]


def masked(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Logits with those of illegal actions as low as can be, shape (N, num_actions)."""
    return logits.masked_fill(masks == 0, FLOAT_MIN)


class RandomModule(RLModule):
    """Every legal action is as likely as any other; there is nothing to learn."""

    framework = "torch"

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        masks = torch.as_tensor(batch[Columns.OBS]["action_mask"])
        return {Columns.ACTIONS: torch.multinomial(masks.float(), 1).squeeze(1)}


class NetworkModule(TorchRLModule):
    """Plays by the network that local training fits, too.

    `model_config` may have `hidden`, and for a board `channels`, `blocks` and `lines`: see
    `agents.training.networks.BoardPolicy`. With `channels` 0 the network has plain layers,
    as many as `hidden` has widths.
    """

    policy: MaskableActorCriticPolicy

    def setup(self) -> None:
        """Make the network."""
        arguments: dict[str, Any] = {
            "net_arch": list(self.model_config["hidden"]),
            "activation_fn": torch.nn.ReLU,
        }
        kind: type[MaskableActorCriticPolicy] = MaskableActorCriticPolicy
        if self.model_config["channels"]:
            kind = BoardPolicy
            arguments["features_extractor_kwargs"] = {
                key: self.model_config[key] for key in ("channels", "blocks", "lines")
            }
        # The optimiser that such a policy makes, too, stays unused: RLlib has its own.
        self.policy = kind(
            self.observation_space["observations"], self.action_space, lambda _: 0.0, **arguments
        )

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        seen = batch[Columns.OBS]
        logits, values = logits_and_values(self.policy, seen["observations"].float())
        # Whoever wants the values finds them here: RLlib's name for what both heads share.
        return {
            Columns.ACTION_DIST_INPUTS: masked(logits, seen["action_mask"]),
            Columns.EMBEDDINGS: values,
        }


class LearnerModule(NetworkModule, ValueFunctionAPI):
    """The network that learns."""

    def compute_values(self, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """Values of shape (N,); `embeddings` are those that `forward_train` gave, if at hand."""
        if embeddings is not None:
            return embeddings
        _, values = logits_and_values(self.policy, batch[Columns.OBS]["observations"].float())
        return values
