"""A Stable-Baselines3 `VecEnv` that does nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv

from boardenvs.game import Game
from boardenvs.single import SeatEnv

__all__ = ["ZeroVecEnv"]


class ZeroVecEnv(VecEnv):
    """A game's spaces and its first observations and masks; no game ever ends."""

    def __init__(self, game: Game, num_envs: int) -> None:
        """Set up.

        Args:
            game: whose spaces.
            num_envs: how many of it.
        """
        like = SeatEnv(game)
        states = game.new(num_envs, 0)
        self._observation = game.observe(states, states["to_move"])
        self._masks = list(game.legal(states))
        self._reward = np.zeros(num_envs, np.float32)
        self._done = np.zeros(num_envs, np.bool_)
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        super().__init__(num_envs, like.observation_space, like.action_space)

    def reset(self) -> npt.NDArray[np.int8]:
        return self._observation

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Nothing comes of actions."""

    def step_wait(
        self,
    ) -> tuple[
        npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]
    ]:
        return self._observation, self._reward, self._done, self._infos

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        if method_name != "action_masks":
            raise AttributeError(f"only action_masks can be called, not {method_name}")
        return self._masks

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError("attributes of single games cannot be set")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        return [seed] * self.num_envs

    def close(self) -> None:
        """Nothing is open."""
