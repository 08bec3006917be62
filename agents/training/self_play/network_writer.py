"""Export of a policy in training as an ONNX network, which guides the searches of the actors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from agents.networks.export import NetworkTemplate
from agents.networks.int8 import Int8Template, int8_template
from agents.networks.sizes import Games
from agents.training.samples import ReplayBuffer, bytes_tensor

__all__ = ["NetworkWriter", "check_convolutional"]

_SEEN = 1024
"""Number of positions that set the ranges of an int8 network."""
_KEPT = 50_000
"""Number of searched positions after which the ranges are set again."""


def check_convolutional(policy: Any) -> None:
    """Raise `ValueError` for a policy without an int8 version."""
    if not any(isinstance(part, torch.nn.Conv2d) for part in policy.modules()):
        raise ValueError('guided.int8 must be false unless network is "convolutional", got true')


class NetworkWriter:
    """Exporter of a policy to ONNX, in float32 or int8."""

    def __init__(self, games: Games, policy: Any, *, int8: bool = False) -> None:
        """Create the exporter.

        Args:
            games: the game of the policy on each size.
            policy: Stable-Baselines3 actor-critic policy.
            int8: whether to write int8 as soon as enough positions can set the ranges.

        Raises:
            ValueError: `int8` is true and the policy has no convolutions.
        """
        if int8:
            check_convolutional(policy)
        self._policy = policy
        self._float32 = NetworkTemplate(policy, games)
        self._wanted = int8
        self._int8: Int8Template | None = None
        self._set_at = 0  # positions searched before the ranges were set

    def network(self, buffers: Sequence[ReplayBuffer], steps: int) -> bytes:
        """Return the ONNX file of the current policy.

        Args:
            buffers: searched positions on each size, which set the ranges.
            steps: number of positions searched so far.
        """
        lengths = [len(buffer) for buffer in buffers]
        if not self._wanted or not all(lengths) or sum(lengths) < _SEEN:
            return self._float32.filled(self._policy)
        if self._int8 is None or steps - self._set_at >= _KEPT:
            seen = []
            for buffer, length in zip(buffers, lengths, strict=True):
                num = -(-_SEEN * length // sum(lengths))
                which = np.linspace(0, length - 1, num).astype(np.int64)
                seen.append(buffer.samples["observation"][which])
            self._int8 = int8_template(self._float32.filled(self._policy), seen)
            self._set_at = steps
        weights = {
            name: weight.detach().cpu().numpy() for name, weight in self._policy.named_parameters()
        }
        return self._int8.with_weights(weights)

    def state(self) -> dict[str, Any]:
        """Return the network that holds the ranges, for `load_state`."""
        network = np.frombuffer(self._int8.network if self._int8 else b"", np.uint8)
        return {"int8": bytes_tensor(network), "set_at": self._set_at}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore the ranges from `state()`."""
        network = state["int8"].numpy().tobytes()
        self._int8 = Int8Template(network) if network else None
        self._set_at = state["set_at"]
