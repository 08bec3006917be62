"""Samples: positions with the targets of the policy and the values, and their buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.networks.seat_values import num_values
from boardenvs.core.symmetries import Symmetries
from boardenvs.game import Game

__all__ = [
    "ReplayBuffer",
    "Samples",
    "bytes_tensor",
    "legal_actions",
    "one_hot",
    "records",
    "sample_dtype",
    "set_values",
    "viewed",
]

Samples = npt.NDArray[np.void]


def sample_dtype(game: Game) -> np.dtype[np.void]:
    """Return the dtype of a sample of a game."""
    return np.dtype(
        [
            ("observation", np.int8, game.observation_shape),  # of the seat to move
            ("legal", np.uint8, (-(-game.num_actions // 8),)),  # actions, packed by np.packbits
            ("policy", np.float16, (game.num_actions,)),  # target of the policy
            # Targets of the values; until the game ends, the estimates of the agent that moved.
            ("value", np.float32, (num_values(game),)),
            ("share", np.float32),  # of the estimates in these targets; the rest is the result
            ("seats", np.int8, (num_values(game),)),  # seats of the values
            ("game", np.int32),  # index of the parallel game
        ]
    )


def one_hot(actions: npt.NDArray[np.int64], num_actions: int) -> npt.NDArray[np.float16]:
    """Return policies that each take a single action, shape (N, num_actions)."""
    return (actions[:, None] == np.arange(num_actions)).astype(np.float16)


def legal_actions(samples: Samples) -> npt.NDArray[np.bool_]:
    """Return the masks of samples, bool of shape (N, num_actions)."""
    num_actions = samples["policy"].shape[1]
    return np.unpackbits(samples["legal"], axis=1, count=num_actions).astype(np.bool_)


def set_values(samples: Samples, returns: npt.NDArray[np.float32]) -> None:
    """Set the targets of the values of finished games.

    Args:
        samples: shape (N,), changed in place.
        returns: returns of all seats in all parallel games, shape (games, num_players).
    """
    results = returns[samples["game"][:, None], samples["seats"]]
    share = samples["share"][:, None]
    samples["value"] = (1 - share) * results + share * samples["value"]


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
