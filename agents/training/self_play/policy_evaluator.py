"""Evaluators that guide a search by a policy in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.networks.policy_networks import copied, logits_and_values
from agents.networks.seat_values import by_seat, num_values
from agents.networks.sizes import free_axes
from boardenvs.game import Game, States

__all__ = [
    "EvaluateObservations",
    "Network",
    "PolicyEvaluator",
    "evaluate_with",
    "evaluate_with_onnx",
    "evaluate_with_torch",
]

Floats = npt.NDArray[np.float32]
EvaluateObservations = Callable[[npt.NDArray[np.int8]], tuple[Floats, Floats]]
"""Function from observations of shape (N, ...) to unmasked logits of shape (N, num_actions) and
values of shape (N,), or (N, num_values) as `agents.networks.seat_values` describes."""

Network = bytes | EvaluateObservations
"""An ONNX file, or a function that runs a network."""

_MEMORY = 2**25
"""Approximate limit of the bytes of remembered evaluations."""


def evaluate_with_onnx(network: bytes, game: Game | None = None) -> EvaluateObservations:
    """Return a function that runs an ONNX network on one core; several threads may call it.

    Args:
        network: content of the ONNX file.
        game: game that fixes the network's free axes, if it has any.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # problems are raised, not logged
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for axis, size in free_axes(game).items() if game else ():
        options.add_free_dimension_override_by_name(axis, size)
    session = onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])

    def evaluate(seen: npt.NDArray[np.int8]) -> tuple[Floats, Floats]:
        logits, values = session.run(["logits", "value"], {"observation": seen.astype(np.float32)})
        return logits, values

    return evaluate


def evaluate_with(network: Network, game: Game | None = None) -> EvaluateObservations:
    """Return the function that runs a network; see `evaluate_with_onnx`."""
    return evaluate_with_onnx(network, game) if isinstance(network, bytes) else network


def evaluate_with_torch(policy: Any) -> EvaluateObservations:
    """Return a function that runs a copy of a Stable-Baselines3 policy, on the policy's device."""
    kept = copied(policy)

    def evaluate(seen: npt.NDArray[np.int8]) -> tuple[Floats, Floats]:
        with torch.inference_mode():
            logits, values = logits_and_values(kept, torch.from_numpy(seen).to(kept.device).float())
            return logits.cpu().numpy(), values.cpu().numpy()

    return evaluate


class PolicyEvaluator:
    """An evaluator for searches, which caches evaluations.

    Searches of consecutive positions evaluate many equal positions.
    """

    def __init__(self, game: Game, evaluate: EvaluateObservations) -> None:
        """Create the evaluator with an empty cache."""
        self.game = game
        self._evaluate = evaluate
        self._capacity = max(1, _MEMORY // (5 * game.num_actions + game.observation_size))
        self._places: dict[bytes, int] = {}
        self._logits = np.zeros((0, game.num_actions), np.float32)
        self.num_values = num_values(game)
        """Number of values of each position; see `agents.networks.seat_values`."""
        self._values = np.zeros((0, self.num_values), np.float32)

    def use(self, evaluate: EvaluateObservations) -> None:
        """Set the function that evaluates, and clear the cache."""
        self._evaluate = evaluate
        self._places.clear()

    def evaluate(self, states: States) -> tuple[Floats, Floats]:
        """Return logits and values; see `agents.search.puct.Evaluator`."""
        seen = self.game.observe_to_move(states)
        if len(self._places) + len(seen) > self._capacity:
            self._places.clear()
        known = len(self._places)
        flat = seen.reshape(len(seen), -1)
        keys = flat.view(f"V{flat.shape[1]}").ravel().tolist()
        places = [self._places.setdefault(key, len(self._places)) for key in keys]
        fresh = len(self._places)
        if fresh > known:
            self._make_room(fresh)
            first = np.zeros(fresh - known, np.int64)
            for i in range(len(places) - 1, -1, -1):
                if places[i] >= known:
                    first[places[i] - known] = i
            logits, values = self._evaluate(seen[first])
            self._logits[known:fresh] = logits
            self._values[known:fresh] = values.reshape(-1, self.num_values)
        values = self._values[places]
        if self.num_values == 1:
            return self._logits[places], values[:, 0]
        return self._logits[places], by_seat(self.game, states, values)

    def _make_room(self, num: int) -> None:
        have = len(self._values)
        if num > have:
            more = max(num, 2 * have)
            self._logits.resize((more, self.game.num_actions), refcheck=False)
            self._values.resize((more, self.num_values), refcheck=False)
