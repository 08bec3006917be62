"""The buffer of the latest positions to train on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.networks.seat_values import num_values
from boardenvs.core.symmetries import Symmetries
from boardenvs.game import Game

__all__ = ["ReplayBuffer", "Samples", "bytes_tensor", "records", "sample_dtype", "viewed"]

Samples = npt.NDArray[np.void]


def sample_dtype(game: Game) -> np.dtype[np.void]:
    """Return the dtype of a searched position of a game."""
    return np.dtype(
        [
            ("observation", np.int8, game.observation_shape),  # of the seat to move
            ("legal", np.uint8, (-(-game.num_actions // 8),)),  # actions, packed by np.packbits
            ("policy", np.float16, (game.num_actions,)),  # target of the policy
            ("value", np.float32, (num_values(game),)),  # targets of the values
            ("seats", np.int8, (num_values(game),)),  # seats of the values
            ("game", np.int32),  # index of the parallel game
        ]
    )


def bytes_tensor(array: npt.NDArray[Any]) -> torch.Tensor:
    """Return an array of records as uint8, which `torch.load(weights_only=True)` loads."""
    return torch.from_numpy(np.frombuffer(array.tobytes(), np.uint8).copy())


def records(tensor: torch.Tensor, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Invert `bytes_tensor`.

    Raises:
        ValueError: the size of the tensor is not a multiple of the record size.
    """
    return np.frombuffer(tensor.numpy().tobytes(), dtype).copy()


class ReplayBuffer:
    """A ring buffer of samples."""

    def __init__(self, size: int, dtype: np.dtype[np.void]) -> None:
        """Create a buffer for `size` samples."""
        self.samples: Samples = np.zeros(size, dtype)
        self.added = 0
        """Total of samples added; sample `i` is at `i % size` until a later one replaces it."""

    def __len__(self) -> int:
        return min(self.added, len(self.samples))

    def add(self, samples: Samples) -> None:
        """Add samples, which replace the oldest."""
        size = len(self.samples)
        kept = samples[-size:]
        first = self.added + len(samples) - len(kept)
        self.samples[(first + np.arange(len(kept))) % size] = kept
        self.added += len(samples)

    def draw(self, num: int, rng: np.random.Generator) -> Samples:
        """Sample `num` samples uniformly, with replacement."""
        return self.samples[rng.integers(0, len(self), num)]

    def state(self) -> dict[str, Any]:
        """Return the samples, for `load_state`."""
        return {"samples": bytes_tensor(self.samples[: len(self)]), "added": self.added}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()` of a buffer of the same size."""
        samples = records(state["samples"], self.samples.dtype)
        self.samples[: len(samples)] = samples
        self.added = state["added"]


def viewed(samples: Samples, symmetries: Symmetries, views: npt.NDArray[np.int64]) -> Samples:
    """Return samples with symmetries applied.

    Args:
        samples: shape (N,).
        symmetries: symmetries of the game.
        views: index of the symmetry of each sample, shape (N,).
    """
    if len(symmetries) == 1:
        return samples
    shown = samples.copy()
    shown["observation"] = symmetries.observations(samples["observation"], views)
    shown["policy"] = symmetries.by_action(samples["policy"], views)
    legal = np.unpackbits(samples["legal"], axis=1, count=symmetries.actions.shape[1])
    shown["legal"] = np.packbits(symmetries.by_action(legal, views), axis=1)
    return shown
