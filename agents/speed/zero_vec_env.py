"""A Stable-Baselines3 `VecEnv` that replays recorded steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv

__all__ = ["ZeroVecEnv"]

_Step = tuple[
    npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]
]

_BEFORE = 64  # unrecorded first steps, in which boards are alike and no game ends


class ZeroVecEnv(VecEnv):
    """A vector environment that replays recorded random steps and ignores the actions.

    A learner has the same work as with the recorded environment. Its work depends on the legal
    actions and on finished games: MaskablePPO evaluates the last position of truncated games.
    """

    def __init__(self, env: Any, steps: int) -> None:
        """Record the steps of random legal actions.

        Args:
            env: a `VecEnv` whose `action_masks()` returns the masks of all games. It is reset and
                not used after the recording.
            steps: number of recorded steps.
        """
        rng = np.random.default_rng(0)
        observation = env.reset()
        self._steps: list[_Step] = []
        self._masks: list[list[npt.NDArray[np.bool_]]] = []
        for k in range(_BEFORE + steps):
            masks = env.action_masks()
            step = env.step((rng.random(masks.shape) * masks).argmax(1))
            if k >= _BEFORE:
                self._masks.append(list(masks))
                self._steps.append(step)
            else:
                observation = step[0]
        self._observation = observation
        self._at = 0
        self.render_mode = None
        super().__init__(env.num_envs, env.observation_space, env.action_space)

    def reset(self) -> npt.NDArray[np.int8]:
        self._at = 0
        return self._observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Ignore the actions."""

    def step_wait(self) -> _Step:
        observation, reward, done, infos = self._steps[self._at]
        self._at = (self._at + 1) % len(self._steps)
        return observation, reward.copy(), done, infos  # the learner changes rewards in place

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        if method_name != "action_masks":
            raise AttributeError(f"method_name must be 'action_masks', got {method_name!r}")
        return self._masks[self._at]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"attributes of ZeroVecEnv are read-only, got {attr_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        return [seed] * self.num_envs

    def close(self) -> None:
        """Do nothing, as no resources are open."""
