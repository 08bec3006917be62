"""boardenvs' vector environments as one Stable-Baselines3 `VecEnv`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv

from agents.training.sharded import side_by_side
from boardenvs.symmetries import Symmetries
from boardenvs.vector import SeatVectorEnv

__all__ = ["Listener", "SB3VecEnv"]

Listener = Callable[[npt.NDArray[np.bool_], npt.NDArray[np.float32]], None]
"""Takes which of an environment's games ended in a step, and the rewards, of shape (num_envs,)."""


class SB3VecEnv(VecEnv):
    """Several vector environments of one game side by side, each with its own opponents.

    Each steps natively; this class joins their arrays and speaks Stable-Baselines3's
    dialect: `terminal_observation`, `TimeLimit.truncated` and `episode` in the infos of
    games that ended, and `action_masks` for sb3-contrib.

    Example:
        >>> import gymnasium
        >>> from agents.training import SB3VecEnv
        >>> envs = gymnasium.make_vec(
        ...     "boardenvs/Game112-v0", 8, vectorization_mode="vector_entry_point"
        ... )
        >>> SB3VecEnv([envs]).reset().shape
        (8, 3, 9)
    """

    def __init__(
        self,
        envs: Sequence[SeatVectorEnv],
        seed: int | None = None,
        views: Symmetries | None = None,
        listeners: Mapping[int, Listener] | None = None,
    ) -> None:
        """Join environments.

        Args:
            envs: of one game, with Gymnasium's `SAME_STEP` autoreset.
            seed: for their first reset: environment k takes `seed + k`.
            views: the game's symmetries: each game is shown in one of them, drawn anew when it
                begins, from its first observation to its last; by default as it stands.
            listeners: for some of the environments, by their number, who is told after each
                step which games ended, and the rewards.
        """
        self.envs = list(envs)
        self._listeners = dict(listeners or {})
        self._slices: list[slice] = []
        low = 0
        for env in self.envs:
            self._slices.append(slice(low, low + env.num_envs))
            low += env.num_envs
        self._seed_once = seed
        self._started = time.monotonic()
        self._lengths = np.zeros(low, np.int64)
        self._actions: npt.NDArray[np.int64] = np.zeros(low, np.int64)
        game = self.envs[0].game
        self._views = (
            Symmetries.none(game.num_actions, game.observation_size) if views is None else views
        )
        self._view = np.zeros(low, np.intp)
        self._draws = np.random.default_rng(seed)
        # Infos of games that go on. To make so many for each step costs as much as some games do.
        self._empty: list[dict[str, Any]] = [{} for _ in range(low)]
        super().__init__(low, envs[0].single_observation_space, envs[0].single_action_space)

    def reset(self) -> npt.NDArray[np.int8]:
        observations = []
        for k, env in enumerate(self.envs):
            seed = None if self._seed_once is None else self._seed_once + k
            observations.append(env.reset(seed=seed)[0])
        self._seed_once = None
        self._lengths[:] = 0
        self._view = self._draws.integers(len(self._views), size=self.num_envs)
        return self._views.observations(np.concatenate(observations), self._view)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        # Before views turn them: a negative one would count from the end.
        numbers = self.envs[0].game.action_numbers(actions, self.num_envs)
        self._actions = self._views.actions_meant(numbers, self._view)

    def step_wait(
        self,
    ) -> tuple[
        npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]
    ]:
        stepped = side_by_side(
            lambda k: self.envs[k].step_arrays(self._actions[self._slices[k]]), len(self.envs)
        )
        observation = _joined([s.seen for s in stepped])
        reward = _joined([s.rewards for s in stepped]).astype(np.float32)
        truncated = _joined([s.truncated for s in stepped])
        done = _joined([s.terminated for s in stepped]) | truncated
        self._lengths += 1
        now = round(time.monotonic() - self._started, 6)
        if any(self._empty):  # somebody has written into one
            self._empty = [{} for _ in range(self.num_envs)]
        infos = self._empty.copy()
        for k, (env, s, part) in enumerate(zip(self.envs, stepped, self._slices, strict=True)):
            if k in self._listeners:
                self._listeners[k](done[part], reward[part])
            if not len(s.ended):
                continue
            places = s.ended + part.start
            last = self._views.observations(
                env.game.observe(s.last, s.last_seats), self._view[places]
            )
            for place, seen, cut, result, length in zip(
                places.tolist(),
                last,
                truncated[places].tolist(),
                reward[places].tolist(),
                self._lengths[places].tolist(),
                strict=True,
            ):
                infos[place] = {
                    "terminal_observation": seen,
                    "TimeLimit.truncated": cut,
                    "episode": {"r": result, "l": length, "t": now},
                }
        self._lengths[done] = 0
        if len(self._views) > 1:
            self._view[done] = self._draws.integers(len(self._views), size=int(done.sum()))
        return self._views.observations(observation, self._view), reward, done, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Legal actions, bool of shape (num_envs, num_actions)."""
        masks = _joined([env.action_masks() for env in self.envs])
        return self._views.by_action(masks, self._view)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        if method_name != "action_masks":
            raise AttributeError(f"only action_masks can be called, not {method_name}")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[i] for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks" or hasattr(self.envs[0], attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        everyone = [getattr(env, attr_name) for env in self.envs for _ in range(env.num_envs)]
        return [everyone[i] for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError("attributes of single games cannot be set")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> list[int | None]:
        self._seed_once = seed
        self._draws = np.random.default_rng(seed)
        return [seed]

    def close(self) -> None:
        for env in self.envs:
            env.close()


def _joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Arrays of rows one after the other; one alone as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
