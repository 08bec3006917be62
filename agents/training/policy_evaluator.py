"""A policy in training as what guides a search."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.training.networks import logits_and_values
from boardenvs.game import Game, States

__all__ = ["PolicyEvaluator"]

_CACHED = 64
"""Observations at once on a CPU: of more, a layer of 32 channels leaves the core's cache."""
_MEMORY = 2**27
"""Bytes of judgements remembered, about."""


class PolicyEvaluator:
    """Judges positions by an actor-critic policy of Stable-Baselines3 as it is now.

    What was judged is remembered until `forget`, which is to follow every change of the
    policy: the search of a position meets much of what the search a ply or two before has met.
    """

    def __init__(self, game: Game, policy: Any) -> None:
        """Wrap a policy; see `agents.training.networks.logits_and_values`."""
        self.game = game
        self.policy = policy
        self._room = max(1, _MEMORY // (5 * game.num_actions + game.observation_size))
        self._places: dict[bytes, int] = {}
        self._logits = np.zeros((0, game.num_actions), np.float32)
        self._values = np.zeros(0, np.float32)

    def forget(self) -> None:
        """Judge all positions afresh from now on."""
        self._places.clear()

    def evaluate(self, states: States) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits of shape (N, num_actions), unmasked, and values of shape (N,)."""
        seen = self.game.observe(states, states["to_move"])
        if len(self._places) + len(seen) > self._room:
            self.forget()
        known = len(self._places)
        keys = [row.tobytes() for row in seen]
        places = [self._places.setdefault(key, len(self._places)) for key in keys]
        fresh = len(self._places)
        if fresh > known:
            self._make_room(fresh)
            first = np.zeros(fresh - known, np.int64)
            for i in range(len(places) - 1, -1, -1):
                if places[i] >= known:
                    first[places[i] - known] = i
            self._judge(seen[first], known)
        return self._logits[places], self._values[places]

    def _make_room(self, num: int) -> None:
        have = len(self._values)
        if num > have:
            more = max(num, 2 * have)
            self._logits.resize((more, self.game.num_actions), refcheck=False)
            self._values.resize(more, refcheck=False)

    def _judge(self, seen: npt.NDArray[np.int8], place: int) -> None:
        """Judge observations, and remember that from `place` on."""
        device = self.policy.device
        size = _CACHED if device.type == "cpu" else len(seen)
        with torch.inference_mode():
            for low in range(0, len(seen), size):
                part = torch.from_numpy(seen[low : low + size]).to(device).float()
                logits, values = logits_and_values(self.policy, part)
                where = slice(place + low, place + low + len(part))
                self._logits[where] = logits.cpu().numpy()
                self._values[where] = values.cpu().numpy()
