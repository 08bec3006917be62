"""A Gymnasium vector environment for one seat in each of N games."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from boardenvs.core.chance import make_streams, one_way, seed_word
from boardenvs.core.checks import counted, one_of, shown, whole_number
from boardenvs.core.loops import LEAVE
from boardenvs.envs.interface import (
    RENDER_FPS,
    RENDER_MODES,
    RENDER_SIZE,
    base_word,
    check_rendering,
    given_options,
    given_states,
    initial_states,
    integer_box,
    plain_seed,
    rendered,
    resolve_game,
)
from boardenvs.envs.lazy_dict import Later, LazyDict
from boardenvs.envs.opponents import OpponentSpec
from boardenvs.envs.seat_batch import SeatBatch, Stepped
from boardenvs.game import Game, Illegal, States

__all__ = ["SeatVectorEnv"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class SeatVectorEnv(VectorEnv[npt.NDArray[np.int8], npt.NDArray[np.int64], np.ndarray]):
    """A vector of N environments like `boardenvs.envs.single.SeatEnv`, stepped together.

    Observations are int8 of shape `(N, *game.observation_shape)`. `infos["action_mask"]` is int8
    of shape (N, num_actions), with a 1 for each legal action. `action_masks()` returns the masks
    as bool. `infos["seat"]` holds your seats, int64 of shape (N,).
    `envs.action_space.sample(tuple(infos["action_mask"]))` samples legal actions. All returned
    arrays are new. Environment i does not depend on N.

    Autoreset is `SAME_STEP` by default, so every mask belongs to a game that is not over. The
    last observation and info of a finished game are then in `infos["final_obs"]` and
    `infos["final_info"]`. `step` returns its infos as a dictionary that makes these values when
    they are first read (`boardenvs.envs.lazy_dict.LazyDict`).

    Example:
        >>> import gymnasium
        >>> envs = gymnasium.make_vec(
        ...     "boardenvs:boardenvs/Gekitai-v0", 8, vectorization_mode="vector_entry_point"
        ... )
        >>> observations, infos = envs.reset(seed=0)
        >>> observations, rewards, ended, cut, infos = envs.step(infos["action_mask"].argmax(1))
        >>> observations.shape, infos["action_mask"].shape, rewards.shape
        ((8, 3, 6, 6), (8, 36), (8,))
    """

    def __init__(
        self,
        num_envs: int,
        game: Game | str,
        opponent: OpponentSpec = "random",
        seat: int | Literal["random"] = "random",
        illegal: Illegal = "lose",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int | None = None,
        render_size: int = RENDER_SIZE,
        **params: Any,
    ) -> None:
        """Create the environments; `reset` starts the games.

        Args:
            num_envs: number of environments N, at least 1.
            game: as for `SeatEnv`.
            opponent: as for `SeatEnv`.
            seat: as for `SeatEnv`.
            illegal: as for `SeatEnv`.
            render_mode: as for `SeatEnv`, but "human" prints only when `render` is called.
            autoreset_mode: a `gymnasium.vector.AutoresetMode`, or its value.
            threads: number of threads of a step; `None` for the number measured to be fastest.
            render_size: as for `SeatEnv`.
            **params: as for `SeatEnv`.

        Raises:
            ValueError: if an argument is unknown or out of range.
        """
        self.game = resolve_game(game, params, SeatVectorEnv, gymnasium.make_vec)
        # Gymnasium's spaces support no larger shape.
        self.num_envs = whole_number("num_envs", num_envs, 1, 2**31 - 1)
        check_rendering(render_mode, render_size)
        self.render_mode = render_mode
        self._render_size = render_size
        if not isinstance(autoreset_mode, AutoresetMode):
            one_of("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "render_modes": RENDER_MODES,
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = integer_box(
            self.game.observation_high, self.game.observation_shape
        )
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        threads = None if threads is None else whole_number("threads", threads, 1)
        self._batch = SeatBatch(
            self.game,
            num_envs,
            opponent,
            seat,
            illegal,
            threads,
            follow_on=self.autoreset_mode is AutoresetMode.SAME_STEP,
        )
        self._streams = np.zeros(num_envs, np.uint64)
        """Stream that each game's last reset used."""
        self._done = np.ones(num_envs, np.bool_)
        self._any_done = True
        self._everywhere = Later(functools.partial(np.ones, num_envs, np.bool_))

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Start all games, or the games of `options["reset_mask"]`.

        Args:
            seed: seed of the games and the opponents' random moves, or a sequence of N seeds.
                A game with its own seed is the one that `SeatEnv.reset` starts.
            options: `{"state": ...}`, one position for all or an array of N records, and
                `{"reset_mask": ...}`, bool of shape (N,). With a seed, each game gets its own
                random stream. Without a seed, each position's stream continues, so games from
                one record roll the same dice. With a mask and without a seed, a new game depends
                on the last seed and on its environment's earlier resets, but not on resets of
                other environments.

        Raises:
            ValueError: if an option or the seed is invalid.
        """
        chosen = given_options(options, "state", "reset_mask")
        which, state = self._reset_mask(chosen.get("reset_mask")), chosen.get("state")
        states = given_states(self.game, state, self.num_envs)
        if isinstance(seed, np.ndarray) and not seed.ndim:
            seed = seed[()]
        first = not self._streams.any()
        if seed is None and "reset_mask" in chosen and not first:
            streams = self._streams.copy()
            streams[which] = one_way(streams[which], "next game")
        elif not isinstance(seed, Sequence | np.ndarray):
            if seed is not None or self._np_random is None:
                self._np_random, self._np_random_seed = seeding.np_random(plain_seed(seed))
            streams = make_streams(base_word(seed, self.np_random), self.num_envs)
        else:
            if len(seed) != self.num_envs:
                integers = counted(self.num_envs, "integer")
                raise ValueError(
                    f"seed must be an integer or a sequence of {integers}, "
                    f"got a sequence of {len(seed)}"
                )
            bases = [seed_word(one) for one in seed]
            streams = np.concatenate([make_streams(base, 1) for base in bases])
            self._np_random = np.random.default_rng([int(base) for base in bases])
            self._np_random_seed = -1  # Gymnasium's value for a generator without one seed
        self._streams = np.where(which | first, streams, self._streams)
        initial = initial_states(self.game, states, state, streams, seeded=seed is not None)
        self._batch.reset(initial, streams, which, retry=states is None)
        self._done[which] = False
        self._any_done = bool(self._done.any())
        infos = self._infos(self._batch.games.masks.copy())
        return self._batch.observations().copy(), dict(infos)

    def _reset_mask(self, mask: Any) -> Bools:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
            or not mask.any()
        ):
            raise ValueError(
                f"reset_mask must be a bool array of shape ({self.num_envs},) with at least one "
                f"True, got {shown(mask)}"
            )
        given: Bools = mask
        return given

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int8], Floats, Bools, Bools, dict[str, Any]]:
        """Play your action in every game, then the opponents' actions.

        Args:
            actions: one action for each game, integers of shape (N,). With `NEXT_STEP`, a
                finished game ignores its action and restarts.

        Raises:
            OutOfBoundsError: if an action is outside the action space.
            ValueError: if an action is illegal and `illegal="raise"`; with `DISABLED`, if a
                finished game was not reset.
        """
        stepped = self.step_arrays(actions)
        infos = self._infos(stepped.masks)
        if len(stepped.ended):
            infos.update(self._final(stepped))
        return stepped.seen, stepped.rewards, stepped.terminated, stepped.truncated, infos

    def step_arrays(self, actions: npt.NDArray[np.int64]) -> Stepped:
        """Step the games without making infos, which is faster than `step`.

        Args:
            actions: as for `step`.

        Raises:
            ValueError: as for `step`.
        """
        numbers = self.game.arrays.action_numbers(actions, self.num_envs)
        if self._any_done:
            if self.autoreset_mode is not AutoresetMode.NEXT_STEP:
                raise ValueError(
                    f"game {int(self._done.argmax())} is over or was not started: call reset"
                )
            numbers = np.where(self._done, LEAVE, numbers)
        stepped = self._batch.play(numbers)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._done = stepped.terminated | stepped.truncated
            self._any_done = bool(self._done.any())
        return stepped

    def _infos(self, masks: Bools) -> LazyDict:
        """Return the infos of the games, which keep the array `masks`."""
        infos: dict[str, Any] = {
            "action_mask": masks.view(np.int8),
            "_action_mask": self._everywhere,
            "seat": self._batch.games.seats.copy(),
            "_seat": self._everywhere,
        }
        if self.game.has_info:
            for key, column in self.game.infos(self._batch.games.states).items():
                infos[key] = column
                infos[f"_{key}"] = self._everywhere
        return LazyDict(infos)

    def _final(self, stepped: Stepped) -> dict[str, Later]:
        """Return the last observations and infos of games that ended, under Gymnasium's keys."""
        ended = stepped.ended
        present = Later(functools.partial(_marked, ended, self.num_envs))
        return {
            "final_obs": Later(
                functools.partial(self._final_obs, ended, stepped.last, stepped.last_seats)
            ),
            "_final_obs": present,
            "final_info": Later(
                functools.partial(self._final_info, ended, stepped.last, stepped.last_seats)
            ),
            "_final_info": present,
        }

    def _final_obs(
        self, ended: npt.NDArray[np.intp], last: States, seats: npt.NDArray[np.int64]
    ) -> npt.NDArray[Any]:
        """Return the last observation of each game that ended, `None` for the others."""
        observations = np.empty(self.num_envs, object)
        observations[ended] = np.fromiter(self.game.observe(last, seats), object, len(ended))
        return observations

    def _final_info(
        self, ended: npt.NDArray[np.intp], last: States, seats: npt.NDArray[np.int64]
    ) -> dict[str, Any]:
        """Return the infos of the games that ended, in columns of N rows."""
        num = self.num_envs
        columns = {"seat": seats, **self.game.infos(last)}
        infos = {
            "action_mask": np.zeros((num, self.game.num_actions), np.int8),  # nothing is legal
            "_action_mask": _marked(ended, num),
        }
        for key, rows in columns.items():
            infos[key] = _spread(rows, ended, num)
            infos[f"_{key}"] = _marked(ended, num)
        return infos

    @property
    def positions(self) -> States:
        """A copy of the positions: records of shape (N,) for the option `state` of `reset`."""
        return self._batch.games.states.copy()

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of the arrays of the games in progress, for `load_state`.

        The generator of a `reset` without a seed is not included.
        """
        return {
            **self._batch.state(),
            "done": self._done.copy(),
            "last_reset": self._streams.copy(),
        }

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue the games of another environment.

        Args:
            state: result of `state()` of an environment with the same arguments.

        Raises:
            ValueError: `state` is not such a result; the games do not change then.
        """
        arrays = _like(state, self.state())
        self.game.arrays.batch(arrays["states"])
        self._batch.load_state(arrays)
        self._done, self._streams = arrays["done"].copy(), arrays["last_reset"].copy()
        self._any_done = bool(self._done.any())

    def set_opponent(self, opponent: OpponentSpec) -> None:
        """Set the opponent of the games that begin from now on.

        Args:
            opponent: as for the constructor.

        Raises:
            ValueError: if `opponent` is invalid; the opponent does not change then.
        """
        self._batch.set_opponent(opponent)

    def action_masks(self) -> Bools:
        """Return the legal actions, bool of shape (N, num_actions)."""
        return self._batch.games.masks.copy()

    def render(self) -> tuple[Any, ...] | None:
        """Render every game as `SeatEnv.render` does.

        Returns:
            A tuple of N texts or pictures; `None` for "human", which prints all games.

        Raises:
            ValueError: as for `SeatEnv.render`.
        """
        shown = rendered(self.game, self._batch.games.states, self.render_mode, self._render_size)
        return None if shown is None else tuple(shown)


def _like(state: Any, expected: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of `state`; raise `ValueError` unless they are like the expected ones."""
    if not isinstance(state, Mapping):
        raise ValueError(f"state must be the result of state(), got {shown(state)}")
    for name, array in expected.items():
        found = state.get(name)
        wanted = f"{array.dtype.name} of shape {array.shape}"
        if not isinstance(found, np.ndarray):
            raise ValueError(f"state[{name!r}] must be {wanted}, got {shown(found)}")
        if found.dtype != array.dtype or found.shape != array.shape:
            got = f"{found.dtype.name} of shape {found.shape}"
            raise ValueError(f"state[{name!r}] must be {wanted}, got {got}")
    return {name: state[name] for name in expected}


def _marked(places: npt.NDArray[np.intp], num: int) -> Bools:
    """Return a mask of shape (num,) that is True at `places`."""
    marked = np.zeros(num, np.bool_)
    marked[places] = True
    return marked


def _spread(rows: npt.NDArray[Any], places: npt.NDArray[np.intp], num: int) -> npt.NDArray[Any]:
    """Return an array of `num` rows: `rows` at `places`, zeros elsewhere."""
    column = np.zeros((num, *rows.shape[1:]), rows.dtype)
    column[places] = rows
    return column
