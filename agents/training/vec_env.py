"""A Stable-Baselines3 `VecEnv` over the vector environments of boardenvs."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from agents.networks.sharded import side_by_side
from agents.training.part import generator_state, set_generator
from agents.training.samples import bytes_tensor, records
from boardenvs.core.checks import shown, whole_number
from boardenvs.core.symmetries import Symmetries
from boardenvs.envs.interface import given_options, plain_seed
from boardenvs.envs.vector import SeatVectorEnv

__all__ = ["Listener", "SB3VecEnv"]

Listener = Callable[[npt.NDArray[np.bool_], npt.NDArray[np.float32]], None]
"""Function that takes whether each game of an environment ended in a step, and the rewards, both of
shape (num_envs,)."""


class SB3VecEnv(VecEnv):
    """A `VecEnv` that joins vector environments of one game, each with its own opponents.

    The infos of games that ended contain `terminal_observation`, `TimeLimit.truncated` and
    `episode`, as Stable-Baselines3 requires, so no `VecMonitor` is needed. `action_masks`
    is for sb3-contrib. `reset_infos` contains the infos of `reset`. The info of a game that started
    by autoreset is empty.

    Example:
        >>> import gymnasium
        >>> from agents.training import SB3VecEnv
        >>> envs = gymnasium.make_vec(
        ...     "boardenvs:boardenvs/Game112-v0", 8, vectorization_mode="vector_entry_point"
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
            envs: vector environments of one game, with Gymnasium's `SAME_STEP` autoreset.
            seed: seed of the first reset; environment k takes `seed + k`.
            views: symmetries of the game, one of which is sampled for each game and applied to its
                observations and actions; `None` for no symmetries.
            listeners: functions that are called after each step, by the index of their environment.

        Raises:
            ValueError: `envs` or an index of `listeners` is invalid.
        """
        _check_envs(envs)
        self.envs = list(envs)
        for index in listeners or ():
            whole_number("an index of listeners", index, 0, len(self.envs) - 1)
        self._listeners = dict(listeners or {})
        self._slices: list[slice] = []
        low = 0
        for env in self.envs:
            self._slices.append(slice(low, low + env.num_envs))
            low += env.num_envs
        self._started = time.monotonic()
        self._lengths = np.zeros(low, np.int64)
        self._actions: npt.NDArray[np.int64] = np.zeros(low, np.int64)
        game = self.envs[0].game
        self._views = (
            Symmetries.none(game.num_actions, game.observation_size) if views is None else views
        )
        self._view = np.zeros(low, np.intp)
        self._draws = np.random.default_rng()
        # Infos of unfinished games, which are reused because new dictionaries take long.
        self._empty: list[dict[str, Any]] = [{} for _ in range(low)]
        super().__init__(low, envs[0].single_observation_space, envs[0].single_action_space)
        self.metadata = self.envs[0].metadata
        if seed is not None:
            self.seed(seed)

    def reset(self) -> npt.NDArray[np.int8]:
        """Start all games, with the seed and the options that were set since the last reset.

        Raises:
            ValueError: an option has another key than `state`, or its state is not a valid
                position.
        """
        if len(self._options) != self.num_envs:
            raise ValueError(
                f"options must be a dictionary or a list of {self.num_envs}, got a list of "
                f"{len(self._options)}"
            )
        self._view = self._draws.integers(len(self._views), size=self.num_envs)
        observations, self.reset_infos = [], []
        for env, part in zip(self.envs, self._slices, strict=True):
            options = _joined_options(env, self._options[part])
            seen, infos = env.reset(seed=self._seeds[part.start], options=options)
            observations.append(seen)
            infos["action_mask"] = self._views.by_action(infos["action_mask"], self._view[part])
            columns = {key: column for key, column in infos.items() if not key.startswith("_")}
            self.reset_infos += [
                {key: column[i] for key, column in columns.items()} for i in range(env.num_envs)
            ]
        self._reset_seeds()
        self._reset_options()
        self._lengths[:] = 0
        return self._views.observations(np.concatenate(observations), self._view)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        # Checked before views are applied, where a negative action would index from the end.
        numbers = self.envs[0].game.arrays.action_numbers(actions, self.num_envs)
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
        if any(self._empty):  # the caller has written to one
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
                self.reset_infos[place] = {}
        self._lengths[done] = 0
        if len(self._views) > 1:
            self._view[done] = self._draws.integers(len(self._views), size=int(done.sum()))
        return self._views.observations(observation, self._view), reward, done, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the masks of legal actions, bool of shape (num_envs, num_actions)."""
        masks = _joined([env.action_masks() for env in self.envs])
        return self._views.by_action(masks, self._view)

    def get_images(self) -> list[npt.NDArray[np.uint8] | None]:
        """Return an image of each game, uint8 of shape (H, W, 3); `None` in other render modes."""
        if self.render_mode != "rgb_array":
            warnings.warn(
                f"render_mode must be 'rgb_array', got {self.render_mode!r}", stacklevel=2
            )
            return [None] * self.num_envs
        return self._rendered()

    def _rendered(self) -> list[Any]:
        return [one for env in self.envs for one in env.render() or [None] * env.num_envs]

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of single games and return its result for each game.

        Args:
            method_name: `action_masks`, `render`, or `set_opponent` for all games.
            *method_args: arguments of the method of `SeatEnv`.
            indices: index or indices of games; `None` for all games.
            **method_kwargs: keyword arguments of the method of `SeatEnv`.

        Raises:
            AttributeError: `method_name` is another method.
            ValueError: `indices` is given for `set_opponent`.
        """
        found: Any
        if method_name == "action_masks":
            found = self.action_masks(*method_args, **method_kwargs)
        elif method_name == "render":
            found = self._rendered(*method_args, **method_kwargs)
        elif method_name == "set_opponent":
            if indices is not None:
                raise ValueError(f"indices must be None for set_opponent, got {indices!r}")
            for env in self.envs:
                env.set_opponent(*method_args, **method_kwargs)
            found = [None] * self.num_envs
        else:
            raise AttributeError(
                f"method_name must be action_masks, render or set_opponent, got {method_name!r}"
            )
        return [found[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of each game: a space, `position`, or its environment's attribute.

        Raises:
            AttributeError: the environments do not have the attribute.
        """
        if attr_name == "position":
            everyone: list[Any] = [record for env in self.envs for record in env.positions]
        else:
            if attr_name in ("observation_space", "action_space"):
                attr_name = f"single_{attr_name}"
            everyone = []
            for env in self.envs:
                everyone += [getattr(env, attr_name)] * env.num_envs
        return [everyone[i] for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an error, because attributes of single games cannot be set.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"set_attr is not supported, got {attr_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return whether each game has a wrapper: `True` for `Monitor`, otherwise `False`.

        Every finished game reports its own `episode`, as a `Monitor` around it would.
        """
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next reset.

        Args:
            seed: seed of the first environment; environment k takes `seed + k`. `None` samples a
                seed.

        Returns:
            The seed of each game's environment.
        """
        first = super().seed(plain_seed(seed))[0]
        self._draws = np.random.default_rng(first)
        self._seeds = [
            None if first is None else first + k
            for k, env in enumerate(self.envs)
            for _ in range(env.num_envs)
        ]
        return self._seeds

    def state(self) -> dict[str, Any]:
        """Return the games in progress, for `load_state` and `torch.load(weights_only=True)`."""
        return {
            "games": [
                {name: bytes_tensor(array) for name, array in env.state().items()}
                for env in self.envs
            ],
            "view": torch.from_numpy(self._view.copy()),
            "lengths": torch.from_numpy(self._lengths.copy()),
            "draws": generator_state(self._draws),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Continue the games of another environment.

        Args:
            state: result of `state()` of an environment with the same arguments.
        """
        for env, games in zip(self.envs, state["games"], strict=True):
            env.load_state(
                {
                    name: records(games[name], array.dtype).reshape(array.shape)
                    for name, array in env.state().items()
                }
            )
        self._view = state["view"].numpy().copy()
        self._lengths = state["lengths"].numpy().copy()
        set_generator(self._draws, state["draws"])

    def close(self) -> None:
        for env in self.envs:
            env.close()


def _check_envs(envs: Any) -> None:
    """Raise `ValueError` for environments that cannot be joined."""
    listed = isinstance(envs, Sequence) and len(envs) > 0
    if not listed or not all(isinstance(env, SeatVectorEnv) for env in envs):
        raise ValueError(
            f"envs must be a list of vector environments of boardenvs without wrappers, "
            f"got {shown(envs)}"
        )
    first = envs[0]
    for env in envs:
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"envs must have SAME_STEP autoreset, got {env.autoreset_mode}")
        if env.single_observation_space != first.single_observation_space or (
            env.single_action_space != first.single_action_space
        ):
            raise ValueError(f"envs must be of one game, got {first.game!r} and {env.game!r}")


def _joined_options(env: SeatVectorEnv, options: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Combine the options of single games into the options of their environment."""
    first = options[0]
    if all(one is first for one in options):  # `set_options` received one dictionary
        return dict(given_options(first, "state"))
    states = [given_options(one, "state").get("state") for one in options]
    if all(state is None for state in states):
        return None
    for i, state in enumerate(states):
        if state is None:
            raise ValueError(f"options must have a state for all games or none, got {options[i]}")
        if isinstance(state, Mapping):  # otherwise all games would have the same dice
            states[i] = {"rng": env.np_random.bit_generator.random_raw(), **state}
    return {"state": np.concatenate([env.game.restore(state) for state in states])}


def _joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Concatenate arrays of rows; a single array is returned as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
