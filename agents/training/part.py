"""`Part`: the interface of a part of a training run, and what all parts save."""

from __future__ import annotations

import json
from typing import Any, Protocol

import numpy as np
import torch

__all__ = ["Part", "generator_state", "global_streams", "set_generator", "set_global_streams"]


class Part(Protocol):
    """A part of a training run, which plays games and trains the run's policy in place.

    A part that continues from `state()` trains the same policy as a part that was not interrupted.
    """

    name: str
    """Name of the part's figures and of its table in the settings."""
    total: float
    """Number of steps after which the part is complete."""
    steps: int
    """Number of positions or decisions that the part has learned from so far."""
    ends_early: bool
    """Whether the part ends if the score stops improving."""

    def advance(self) -> dict[str, float]:
        """Play some games, take the gradient steps for them, and return figures for the log."""

    def state(self) -> dict[str, Any]:
        """Return the complete state, for `load_state` and `torch.load(weights_only=True)`.

        The tensors may share memory with the part, so save them before the next `advance`.
        """

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()` of a part with the same arguments."""


def generator_state(generator: np.random.Generator) -> str:
    """Return the state of a generator, for `set_generator`."""
    return json.dumps(generator.bit_generator.state)


def set_generator(generator: np.random.Generator, state: str) -> None:
    """Restore a generator from `generator_state`."""
    generator.bit_generator.state = json.loads(state)


def global_streams() -> dict[str, Any]:
    """Return the states of the global generators, from which Stable-Baselines3 samples."""
    state: Any = np.random.get_state()  # noqa: NPY002 Stable-Baselines3 uses this generator
    _, words, *rest = state
    return {"torch": torch.get_rng_state(), "numpy": json.dumps([words.tolist(), *rest])}


def set_global_streams(state: dict[str, Any]) -> None:
    """Restore the global generators from `global_streams`."""
    torch.set_rng_state(state["torch"])
    words, *rest = json.loads(state["numpy"])
    np.random.set_state(("MT19937", words, *rest))  # noqa: NPY002
