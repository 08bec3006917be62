"""The gradient steps of the parts that learn from samples: imitation, self-play and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from agents.networks.muon import MuonAdamW
from agents.networks.policy_networks import sharded_logits_and_values
from agents.networks.seat_values import check_num_values
from agents.networks.sizes import Games, shared_out
from agents.training.samples import ReplayBuffer, Samples, legal_actions, sample_dtype, viewed

__all__ = ["Fitter"]


class Fitter:
    """The optimiser of a policy, with a replay buffer for each board size."""

    def __init__(
        self,
        games: Games,
        shares: Sequence[float],
        policy: Any,
        name: str,
        buffer: int,
        *,
        muon: bool,
        weight_decay: float = 0.0,
        value_weight: float = 1.0,
    ) -> None:
        """Create empty buffers.

        Args:
            games: the game on each board size.
            shares: share of each size in the buffers.
            policy: Stable-Baselines3 actor-critic policy, trained in place.
            name: name of the part, for errors.
            buffer: number of samples in all buffers; 0 for no buffers.
            muon: see `MuonAdamW`.
            weight_decay: see `MuonAdamW`.
            value_weight: weight of the value's squared error; the policy's cross-entropy has
                weight 1.

        Raises:
            ValueError: `buffer` is smaller than the number of sizes, or the policy has another
                number of values (see `agents.networks.seat_values`).
        """
        check_num_values(policy, games[0])
        self.policy = policy
        self.optimizer = MuonAdamW(policy, muon=muon, weight_decay=weight_decay)
        capacities = shared_out(f"{name}.buffer", buffer, shares) if buffer else []
        self.buffers = [
            ReplayBuffer(capacity, sample_dtype(game))
            for capacity, game in zip(capacities, games, strict=bool(buffer))
        ]
        self.teacher: Any = None
        """A policy whose probabilities replace the samples' targets of the policy, or `None`."""
        self._symmetries = [game.symmetries() for game in games]
        self._value_weight = value_weight

    def begin(self, rate: float) -> None:
        """Set the learning rate of the next steps."""
        self.optimizer.lr = rate
        self.policy.set_training_mode(True)

    def step(self, size: int, samples: Samples, rng: np.random.Generator) -> dict[str, float]:
        """Take one gradient step on samples, each in a random symmetry of the game.

        Args:
            size: index of the board size.
            samples: shape (N,).
            rng: generator of the symmetries.

        Returns:
            Figures before the step: `policy_loss`, `value_loss`, `agreement`, the share of samples
            whose most probable action is that of the target, and the mean entropies in nats of the
            policy (`entropy`) and its target (`target_entropy`).
        """
        symmetries = self._symmetries[size]
        shown = viewed(samples, symmetries, rng.integers(0, len(symmetries), len(samples)))
        device = self.policy.device
        seen, targets, results = (
            # Torch does not support the strides of record fields.
            torch.from_numpy(shown[field].copy()).to(device).float()
            for field in ("observation", "policy", "value")
        )
        illegal = torch.from_numpy(~legal_actions(shown)).to(device)
        if self.teacher is not None:
            with torch.no_grad():
                logits, _ = sharded_logits_and_values(self.teacher, seen)
                targets = logits.masked_fill(illegal, -1e9).softmax(1)
        logits, values = sharded_logits_and_values(self.policy, seen)
        # Minus infinity times a target of 0 would be NaN.
        logs = torch.log_softmax(logits.masked_fill(illegal, -1e9), 1)
        policy_loss = -(targets * logs).sum(1).mean()
        value_loss = torch.nn.functional.mse_loss(values.reshape(results.shape), results)
        self.optimizer.zero_grad()
        (policy_loss + self._value_weight * value_loss).backward()
        self.optimizer.step()
        with torch.no_grad():
            return {
                "policy_loss": policy_loss.item(),
                "value_loss": value_loss.item(),
                "agreement": (logs.argmax(1) == targets.argmax(1)).float().mean().item(),
                "entropy": -(logs.exp() * logs).sum(1).mean().item(),
                "target_entropy": torch.special.entr(targets).sum(1).mean().item(),
            }

    def state(self) -> dict[str, Any]:
        """Return the policy, the optimiser and the buffers, for `load_state`."""
        return {
            "policy": self.policy.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "buffers": [buffer.state() for buffer in self.buffers],
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()` of a fitter with the same arguments."""
        self.policy.load_state_dict(state["policy"])
        self.optimizer.load_state_dict(state["optimizer"])
        for buffer, was in zip(self.buffers, state["buffers"], strict=True):
            buffer.load_state(was)
