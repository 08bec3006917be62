"""Policy networks for training: convolutions on a board, or plain layers."""

from __future__ import annotations

import contextlib
import copy
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from agents.networks.line_stem import LineStem
from agents.networks.sharded import in_shards

__all__ = [
    "BoardPolicy",
    "BoardTrunk",
    "PlainPolicy",
    "copied",
    "logits_and_values",
    "sharded_logits_and_values",
]

_STEM = 5
"""Width of the first layer's kernel. A wide kernel is cheap with few input planes."""
_SUMMARY = 4
"""Planes of the policy head for actions that are not cells, as in AlphaZero."""


class BoardTrunk(BaseFeaturesExtractor):
    """Convolutions that map planes to `channels` features for each cell of the board.

    The first layer has a wide kernel or reads lines (see `agents.networks.line_stem`). Residual
    blocks of two layers follow. Between the layers of a block, each channel is shifted by a
    function of the means and maxima of the board, so that a cell depends on distant cells (D. Wu,
    "Accelerating self-play learning in Go", 2019). No weight depends on the size of the board.
    """

    def __init__(
        self, observation_space: spaces.Box, channels: int = 32, blocks: int = 2, lines: int = 0
    ) -> None:
        """Set up the layers.

        Args:
            observation_space: space of shape (planes, rows, columns) or (planes, positions).
            channels: number of channels of each layer.
            blocks: number of residual blocks.
            lines: number of features of a line if the first layer reads lines, else 0.

        Raises:
            ValueError: the observations have another shape, or `lines` is above 0 and they have no
                rows and columns.
        """
        super().__init__(observation_space, channels)
        if len(observation_space.shape) not in (2, 3):
            raise ValueError(
                f"a convolutional network requires observations of shape (planes, rows, columns) "
                f"or (planes, positions), got {observation_space.shape}"
            )
        planes, *cells = observation_space.shape
        self.rows = cells[0] if len(cells) == 2 else 1
        self.columns = cells[-1]
        self.channels = channels
        if lines and self.rows == 1:
            raise ValueError(
                f"lines must be 0 unless observations have shape (planes, rows, columns), got "
                f"lines = {lines} and shape {observation_space.shape}"
            )
        self.stem = (
            LineStem(planes, lines, channels)
            if lines
            else _layer(planes, channels, _STEM, self.rows)
        )
        self.blocks = nn.ModuleList(_Block(channels, self.rows) for _ in range(blocks))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Map (N, planes, ...) to (N, channels, rows, columns)."""
        planes = observations.unsqueeze(2) if observations.dim() == 3 else observations
        # This format is several times as fast on a CPU with few channels.
        planes = planes.contiguous(memory_format=torch.channels_last)
        x = _exact(self.stem(planes)).relu_()
        for block in self.blocks:
            x = block(x)
        return x


class _Block(nn.Module):
    def __init__(self, channels: int, rows: int) -> None:
        super().__init__()
        self.first = _layer(channels, channels, 3, rows)
        self.whole = nn.Linear(2 * channels, channels)
        self.second = _layer(channels, channels, 3, rows)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shift = self.whole(pooled(x))[:, :, None, None]
        # Operations are in place if no gradient needs the input, to save memory bandwidth.
        between = _exact(self.first(x)).add_(shift).relu_()
        return _exact(self.second(between)).add_(x).relu_()


def _exact(x: torch.Tensor) -> torch.Tensor:
    """Return the output of a convolution in float32, so that later layers are more exact."""
    return x if x.dtype == torch.float32 else x.float()


def _layer(planes: int, channels: int, width: int, rows: int) -> nn.Conv2d:
    """Return a convolution that keeps the size of the board or row."""
    kernel = (width if rows > 1 else 1, width)
    return nn.Conv2d(planes, channels, kernel, padding=(kernel[0] // 2, kernel[1] // 2))


def pooled(x: torch.Tensor) -> torch.Tensor:
    """Return each channel's mean and maximum: (N, channels, ...) to (N, 2 * channels)."""
    if x.requires_grad and not torch.onnx.is_in_onnx_export():
        pools: torch.Tensor = _Pools.apply(x)
        return pools
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class _Pools(torch.autograd.Function):
    """The function `pooled` with a faster gradient than Torch's own functions.

    Equal maxima share their gradient. Torch compares and counts them as booleans, which is slow.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        top = x.amax((2, 3))
        ctx.save_for_backward(x, top)
        return torch.cat([x.mean((2, 3)), top], 1)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        x, top = ctx.saved_tensors
        of_mean, of_top = grads[0].chunk(2, 1)
        shares = torch.eq(x, top[:, :, None, None], out=torch.empty_like(x))  # 1.0 at maxima
        shares.mul_((of_top / shares.sum((2, 3)))[:, :, None, None])
        return shares.add_((of_mean / (x.shape[2] * x.shape[3]))[:, :, None, None])


class _Heads(nn.Module):
    """The heads between the trunk and the last layers of policy and value.

    If every cell has the same number of actions, numbered cell by cell, the policy head returns the
    logits, each read from its own cell.
    """

    def __init__(self, trunk: BoardTrunk, num_actions: int, hidden: int) -> None:
        super().__init__()
        cells = trunk.rows * trunk.columns
        self.by_cell = num_actions % cells == 0
        planes = num_actions // cells if self.by_cell else _SUMMARY
        self.policy = nn.Conv2d(trunk.channels, planes, 1)
        self.value = nn.Linear(2 * trunk.channels, hidden)
        self.latent_dim_pi = planes * cells
        self.latent_dim_vf = hidden

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        planes: torch.Tensor = self.policy(features)
        if self.by_cell:
            return planes.permute(0, 2, 3, 1).flatten(1)
        return torch.relu(planes).flatten(1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.value(pooled(features)))


class PlainPolicy(MaskableActorCriticPolicy):
    """An sb3-contrib actor-critic policy that computes a batch in shards on all cores.

    It requires discrete actions and a features extractor shared by policy and value.
    """

    action_space: spaces.Discrete
    action_dist: Any
    optimizer_class: Any
    num_values = 1
    in_bfloat16 = False

    def __init__(self, *args: Any, num_values: int = 1, **kwargs: Any) -> None:
        """Set up as the base class does.

        Args:
            *args: arguments of the base class.
            num_values: number of values, see `agents.networks.seat_values`. MaskablePPO trains the
                first one, that of the learner's seat.
            **kwargs: arguments of the base class.
        """
        self.num_values = num_values
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        if self.num_values > 1:
            self.value_net = nn.Linear(self.mlp_extractor.latent_dim_vf, self.num_values)
            nn.init.orthogonal_(self.value_net.weight)
            nn.init.zeros_(self.value_net.bias)
            self._new_optimizer(lr_schedule)

    def _new_optimizer(self, lr_schedule: Any) -> None:
        rate = lr_schedule(1)
        self.optimizer = self.optimizer_class(self.parameters(), lr=rate, **self.optimizer_kwargs)

    def forward(
        self,
        obs: torch.Tensor,
        deterministic: bool = False,
        action_masks: npt.NDArray[np.bool_] | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return sampled or most probable actions, values, and the actions' log probabilities."""
        logs, values = self._in_shards(self._logs_and_values, obs, self._given(action_masks, obs))
        actions = logs.argmax(1) if deterministic else torch.multinomial(logs.exp(), 1)[:, 0]
        return actions, values, logs.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self,
        obs: torch.Tensor,
        actions: torch.Tensor,
        action_masks: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return values, the actions' log probabilities, and entropies, each of shape (N,)."""

        def rows(
            seen: torch.Tensor, masks: torch.Tensor, taken: torch.Tensor
        ) -> tuple[torch.Tensor, ...]:
            logs, values = self._logs_and_values(seen, masks)
            entropies = -(logs.exp() * logs).sum(1)
            return values, logs.gather(1, taken[:, None])[:, 0], entropies

        masks = self._given(action_masks, obs)
        values, log_probs, entropies = self._in_shards(rows, obs, masks, actions.long())
        return values, log_probs, entropies

    def get_distribution(self, obs: Any, action_masks: npt.NDArray[np.bool_] | None = None) -> Any:
        """Return the distribution over actions."""
        distribution = self.action_dist.proba_distribution(action_logits=self.logits(obs))
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def predict_values(self, obs: Any) -> torch.Tensor:
        """Return values of the learner's seat, shape (N, 1)."""
        return super().predict_values(obs)[:, :1]

    def logits(self, obs: torch.Tensor) -> torch.Tensor:
        """Return unmasked logits of shape (N, num_actions)."""

        def rows(seen: torch.Tensor) -> tuple[torch.Tensor]:
            features = self.features_extractor(seen.float())
            return (self.action_net(self.mlp_extractor.forward_actor(features)),)

        return self._in_shards(rows, obs)[0]

    def _in_shards(self, rows: Any, *batch: torch.Tensor) -> tuple[torch.Tensor, ...]:
        parameters = list(self.parameters()) if torch.is_grad_enabled() else ()
        return in_shards(rows, parameters, _multiplications(self, batch[0]), *batch)

    def _logs_and_values(
        self, seen: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log probabilities of all actions, and values of the learner's seat."""
        logits, values = logits_and_values(self, seen.float(), bfloat16=self.in_bfloat16)
        # Minus infinity times a probability of 0 would be NaN.
        logs = torch.log_softmax(logits.masked_fill(~masks, -1e8), 1)
        return logs, values if values.dim() == 1 else values[:, 0]

    def _given(self, masks: Any, obs: torch.Tensor) -> torch.Tensor:
        """Return SB3's masks as booleans; without masks all actions are legal."""
        shape = (len(obs), int(self.action_space.n))
        if masks is None:
            return torch.ones(shape, dtype=torch.bool, device=obs.device)
        return torch.as_tensor(masks, dtype=torch.bool, device=obs.device).reshape(shape)


class BoardPolicy(PlainPolicy):
    """A `PlainPolicy` over a `BoardTrunk`.

    It is created by `MaskablePPO(BoardPolicy, env, policy_kwargs=...)`. In `policy_kwargs`,
    `features_extractor_kwargs` holds `channels`, `blocks` and `lines`, and `net_arch` is a list
    with the width of the value's hidden layer. With `in_bfloat16` the trunk multiplies in bfloat16
    during rollouts and gradient steps.
    """

    features_extractor: BoardTrunk
    mlp_extractor: Any
    net_arch: list[int]

    def __init__(self, *args: Any, in_bfloat16: bool = False, **kwargs: Any) -> None:
        """Set up as the base class does, with a `BoardTrunk`."""
        kwargs["features_extractor_class"] = BoardTrunk
        super().__init__(*args, **kwargs)
        self.in_bfloat16 = in_bfloat16

    def _build_mlp_extractor(self) -> None:
        (hidden,) = self.net_arch
        actions = int(self.action_space.n)
        self.mlp_extractor = _Heads(self.features_extractor, actions, hidden)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        if self.mlp_extractor.by_cell:
            # The policy head returns the logits. Small weights make all actions about equally
            # likely at the start.
            nn.init.orthogonal_(self.mlp_extractor.policy.weight, gain=0.01)
            self.action_net = nn.Identity()
            self._new_optimizer(lr_schedule)


def logits_and_values(
    policy: Any, observations: torch.Tensor, *, bfloat16: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits and values of a Stable-Baselines3 actor-critic policy.

    Args:
        policy: a policy whose actor and critic share a features extractor.
        observations: float32 of shape (N, ...).
        bfloat16: whether the features extractor multiplies in bfloat16, on a CPU.

    Returns:
        Logits of shape (N, num_actions), unmasked, and values of shape (N,), or of shape
        (N, num_values) if the policy has several values.
    """
    # The cache of bfloat16 weights is disabled, because threads would share it.
    inexact = torch.autocast("cpu", torch.bfloat16, cache_enabled=False)
    with inexact if bfloat16 else contextlib.nullcontext():
        features = policy.features_extractor(observations)
    for_policy, for_value = policy.mlp_extractor(features)
    values = policy.value_net(for_value)
    return policy.action_net(for_policy), values.squeeze(-1) if values.shape[-1] == 1 else values


def copied(policy: Any) -> Any:
    """Return a copy of a Stable-Baselines3 actor-critic policy, for inference."""
    last = policy.action_dist  # not copied, as it keeps its last result with the graph
    copy_ = copy.deepcopy(policy, {id(last): last})
    copy_.set_training_mode(False)
    return copy_


def sharded_logits_and_values(
    policy: Any, observations: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute `logits_and_values` in shards of the batch, see `agents.networks.sharded`.

    Args:
        policy: as for `logits_and_values`.
        observations: numbers of any type, shape (N, ...).
    """
    logits, values = in_shards(
        lambda rows: logits_and_values(policy, rows.float()),
        list(policy.parameters()),
        _multiplications(policy, observations),
        observations,
    )
    return logits, values


def _multiplications(policy: Any, observations: torch.Tensor) -> int:
    """Return the approximate multiplications of a row: one for each weight and cell."""
    on_board = isinstance(policy.features_extractor, BoardTrunk)
    cells = math.prod(observations.shape[2:]) if on_board else 1
    return cells * sum(weights.numel() for weights in policy.parameters())
