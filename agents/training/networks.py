"""The policy networks that training fits: convolutions on a board, else plain layers."""

from __future__ import annotations

import copy
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

__all__ = ["BoardPolicy", "BoardTrunk", "copied", "logits_and_values"]

_STEM = 5
"""The first layer's kernel: its few input planes make a wide view cheap."""
_SUMMARY = 4
"""Planes from which actions that are no cells are read, as in AlphaZero's policy head."""


class BoardTrunk(BaseFeaturesExtractor):
    """Convolutions that keep the board's size: from planes to `channels` features a cell.

    A wide first layer, then residual blocks of two layers each. Between a block's layers
    every channel is shifted by what the whole board's means and maxima say (D. Wu,
    "Accelerating self-play learning in Go", 2019), so that a cell knows of what is far away.
    No weight depends on the size of the board.
    """

    def __init__(self, observation_space: spaces.Box, channels: int = 32, blocks: int = 2) -> None:
        """Set up.

        Args:
            observation_space: of shape (planes, rows, columns) or (planes, positions).
            channels: of every layer.
            blocks: residual blocks.

        Raises:
            ValueError: observations have no planes.
        """
        super().__init__(observation_space, channels)
        if len(observation_space.shape) not in (2, 3):
            raise ValueError(
                f"a convolutional network is for observations of shape (planes, rows, columns) or "
                f"(planes, positions), not {observation_space.shape}"
            )
        planes, *cells = observation_space.shape
        self.rows = cells[0] if len(cells) == 2 else 1
        self.columns = cells[-1]
        self.channels = channels
        self.stem = _layer(planes, channels, _STEM, self.rows)
        self.blocks = nn.ModuleList(_Block(channels, self.rows) for _ in range(blocks))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """From (N, planes, ...) to (N, channels, rows, columns)."""
        planes = observations.unsqueeze(2) if observations.dim() == 3 else observations
        # Several times as fast on a CPU with so few channels.
        planes = planes.contiguous(memory_format=torch.channels_last)
        x = torch.relu(self.stem(planes))
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
        return torch.relu(x + self.second(torch.relu(self.first(x) + shift)))


def _layer(planes: int, channels: int, width: int, rows: int) -> nn.Conv2d:
    """A convolution that keeps the size of a board, or of a row."""
    kernel = (width if rows > 1 else 1, width)
    return nn.Conv2d(planes, channels, kernel, padding=(kernel[0] // 2, kernel[1] // 2))


def pooled(x: torch.Tensor) -> torch.Tensor:
    """Each channel's mean and maximum over the board: (N, channels, ...) to (N, 2 * channels)."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class _Heads(nn.Module):
    """From the trunk to what the policy's and the value's last layers take.

    Where every cell has the same number of actions, numbered cell by cell, the policy's are
    the logits themselves, each read off its own cell.
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


class BoardPolicy(MaskableActorCriticPolicy):
    """Stable-Baselines3's actor-critic policy over a `BoardTrunk`.

    Made by `MaskablePPO(BoardPolicy, env, policy_kwargs=...)`: of the policy's arguments,
    `features_extractor_kwargs` holds `channels` and `blocks`, and `net_arch` the width of the
    value's hidden layer, as a list of one.
    """

    action_space: spaces.Discrete
    features_extractor: BoardTrunk
    mlp_extractor: Any
    net_arch: list[int]
    optimizer_class: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As the base class, but for the kind of features."""
        kwargs["features_extractor_class"] = BoardTrunk
        super().__init__(*args, **kwargs)

    def _build_mlp_extractor(self) -> None:
        (hidden,) = self.net_arch
        actions = int(self.action_space.n)
        self.mlp_extractor = _Heads(self.features_extractor, actions, hidden)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        if self.mlp_extractor.by_cell:
            # The logits are there already; at first all actions are about as likely.
            nn.init.orthogonal_(self.mlp_extractor.policy.weight, gain=0.01)
            self.action_net = nn.Identity()
            rate = lr_schedule(1)
            self.optimizer = self.optimizer_class(
                self.parameters(), lr=rate, **self.optimizer_kwargs
            )


def logits_and_values(policy: Any, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What an actor-critic policy of Stable-Baselines3 says of observations.

    Args:
        policy: with a features extractor shared by policy and value.
        observations: float32 of shape (N, ...).

    Returns:
        Logits of shape (N, num_actions), unmasked, and values of shape (N,).
    """
    features = policy.features_extractor(observations)
    for_policy, for_value = policy.mlp_extractor(features)
    return policy.action_net(for_policy), policy.value_net(for_value).squeeze(-1)


def copied(policy: Any) -> Any:
    """A copy of an actor-critic policy of Stable-Baselines3, for inference."""
    last = policy.action_dist  # which keeps what it said last, and how it came to that
    copy_ = copy.deepcopy(policy, {id(last): last})
    copy_.set_training_mode(False)
    return copy_
