"""The Gymnasium vector environment over any game: N games, one seat of each is yours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from boardenvs.chance import seed_word, stream_words
from boardenvs.checks import whole_number
from boardenvs.game import Game, Illegal, States
from boardenvs.interface import (
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
    resolve_game,
    show,
)
from boardenvs.opponents import OpponentSpec
from boardenvs.table import Stepped, Table

__all__ = ["SeatVectorEnv"]

_NOWHERE = np.zeros(0, np.intp)
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class SeatVectorEnv(VectorEnv[npt.NDArray[np.int8], npt.NDArray[np.int64], np.ndarray]):
    """N of `boardenvs.single.SeatEnv` in one array program.

    Observations: int8 of shape (N, *game.observation_shape). `infos["action_mask"]` and
    `action_masks()`: bool of shape (N, num_actions); `infos["seat"]`: your seats. All
    arrays returned are fresh. Environment i does not depend on N.

    Autoreset is `SAME_STEP` unless told otherwise, so that every mask belongs to a live
    position; the last observation and info of a finished game are then in
    `infos["final_obs"]` and `infos["final_info"]`.
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
        """Set up; `reset` starts.

        Args:
            num_envs: N, at least 1.
            game: as the following for `SeatEnv`.
            opponent: see there.
            seat: see there.
            illegal: see there.
            render_mode: see there, but for all games, and only when `render` is called.
            autoreset_mode: one of Gymnasium's, or its value.
            threads: over how many to spread a step; by default as many as measured to pay.
            render_size: see there.
            **params: see there.

        Raises:
            ValueError: for any argument that is unknown or out of range.
        """
        self.game = resolve_game(game, params)
        self.num_envs = whole_number("num_envs", num_envs, 1)
        check_rendering(render_mode, render_size)
        self.render_mode = render_mode
        self._render_size = render_size
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
        self._table = Table(self.game, num_envs, opponent, seat, illegal, threads)
        self._done = np.ones(num_envs, np.bool_)
        self._fixed_infos: dict[str, npt.NDArray[Any]] = {}

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Start all games, or those of `options["reset_mask"]`.

        Args:
            seed: of the games and the opponents' random moves. A sequence gives each
                environment its own: the game that `SeatEnv.reset` starts from it.
            options: `{"state": ...}`, one position for all or an array of N records, and
                `{"reset_mask": ...}`, bool of shape (N,). With a seed each game gets a random
                stream of its own, as new games do. Without one the stream of its position
                goes on, so that one record for all is the same dice for all.

        Raises:
            ValueError: for a bad option or seed.
        """
        chosen = given_options(options, "state", "reset_mask")
        which, state = self._reset_mask(chosen.get("reset_mask")), chosen.get("state")
        states = given_states(self.game, state, self.num_envs)
        if not isinstance(seed, Sequence | np.ndarray):
            if seed is not None or self._np_random is None:
                self._np_random, self._np_random_seed = seeding.np_random(plain_seed(seed))
            words = stream_words(base_word(seed, self.np_random), self.num_envs)
        else:
            if len(seed) != self.num_envs:
                raise ValueError(f"expected {self.num_envs} seeds, got {len(seed)}")
            bases = [seed_word(one) for one in seed]
            words = np.concatenate([stream_words(base, 1) for base in bases])
            self._np_random = np.random.default_rng([int(base) for base in bases])
            self._np_random_seed = -1  # as Gymnasium says of a generator without one
        initial = initial_states(self.game, states, state, words, seeded=seed is not None)
        self._table.reset(initial, words, which, retry=states is None)
        self._done[which] = False
        seen, masks = self._table.show()
        own = self._own_infos(np.flatnonzero(which))
        return seen, self._infos(masks, self._table.seats.copy(), own)

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
                f"reset_mask must be a bool array of shape ({self.num_envs},) with a True, "
                f"got {mask!r}"
            )
        given: Bools = mask
        return given

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int8], Floats, Bools, Bools, dict[str, Any]]:
        """Your action in every game, then the opponents'.

        Args:
            actions: N whole numbers in the action space. With `NEXT_STEP`, those for
                finished games are ignored, since these games start anew in this step.

        Raises:
            ValueError: an action outside of the action space; an illegal one if
                `illegal="raise"`; a finished game that was not reset, with `DISABLED`.
        """
        numbers = self.game.action_numbers(actions, self.num_envs)
        started = _NOWHERE
        if self._done.any():
            if self.autoreset_mode is not AutoresetMode.NEXT_STEP:
                raise ValueError(
                    f"game {int(self._done.argmax())} is over or was never started: call reset"
                )
            started = np.flatnonzero(self._done)
            numbers = np.where(self._done, -1, numbers)
        restarting = self.autoreset_mode is AutoresetMode.SAME_STEP
        stepped = self._table.step(numbers, restarting=restarting)
        final = {}
        if len(stepped.ended):
            final = self._final(stepped)
            started = stepped.ended
        elif not restarting:
            self._done = stepped.terminated | stepped.truncated
        infos = self._infos(stepped.masks, self._table.seats.copy(), self._own_infos(started))
        return (
            stepped.seen,
            stepped.rewards,
            stepped.terminated,
            stepped.truncated,
            {**infos, **final},
        )

    def _final(self, stepped: Stepped) -> dict[str, Any]:
        """Observation and info of the games that just ended, as Gymnasium names them."""
        ended, num = stepped.ended, self.num_envs
        present = np.zeros(num, np.bool_)
        present[ended] = True
        observations = np.empty(num, object)  # `None` where no game ended
        observations[ended] = np.fromiter(stepped.last_seen, object, len(ended))
        seats = np.zeros(num, np.int64)
        seats[ended] = stepped.last_seats
        if self.game.info_is_fixed:
            own = {key: column.take(ended) for key, column in self._fixed_infos.items()}
        else:
            own = self.game.infos(stepped.last)
        columns = {key: _spread(rows, ended, num) for key, rows in own.items()}
        masks = np.zeros_like(stepped.masks)  # no action is legal
        return {
            "final_obs": observations,
            "_final_obs": present,
            "final_info": self._infos(masks, seats, columns, present),
            "_final_info": present.copy(),
        }

    def _own_infos(self, started: npt.NDArray[np.intp]) -> dict[str, npt.NDArray[Any]]:
        """What the game adds to the infos, in fresh arrays.

        Args:
            started: the places in which games began since the last call.
        """
        game, states = self.game, self._table.states
        if not game.info_is_fixed:
            return game.infos(states)
        if not self._fixed_infos:
            self._fixed_infos = game.infos(states)
        elif len(started):
            for key, rows in game.infos(states.take(started)).items():
                self._fixed_infos[key][started] = rows
        return {key: column.copy() for key, column in self._fixed_infos.items()}

    def _infos(
        self,
        masks: Bools,
        seats: npt.NDArray[np.int64],
        own: dict[str, npt.NDArray[Any]],
        present: Bools | None = None,
    ) -> dict[str, Any]:
        """Infos of these columns, given away, for the games marked in `present`, by default all."""
        if present is None:
            present = np.ones(self.num_envs, np.bool_)
        infos = {}
        for key, column in {"action_mask": masks, "seat": seats, **own}.items():
            infos[key] = column
            infos[f"_{key}"] = present.copy()
        return infos

    @property
    def positions(self) -> States:
        """Copies of the positions: records, shape (N,), that `reset` takes as `state`."""
        return self._table.states.copy()

    def set_opponent(self, opponent: OpponentSpec) -> None:
        """Have another opponent play the games that begin from now on; one under way goes on.

        Args:
            opponent: as for the constructor.

        Raises:
            ValueError: it is no opponent, and nothing is changed.
        """
        self._table.set_opponent(opponent)

    def action_masks(self) -> Bools:
        """Legal actions, bool of shape (N, num_actions)."""
        return self._table.masks.copy()

    def render(self) -> tuple[Any, ...] | None:
        """As `SeatEnv.render`, one of N for each game; "human" prints them all.

        Raises:
            ValueError: as there.
        """
        shown = show(self.game, self._table.states, self.render_mode, self._render_size)
        return None if shown is None else tuple(shown)


def _spread(rows: npt.NDArray[Any], places: npt.NDArray[np.intp], num: int) -> npt.NDArray[Any]:
    """A column of `num` rows with these in their places, elsewhere zeros or `None`."""
    column = np.empty(num, object) if rows.dtype == object else np.zeros(num, rows.dtype)
    column[places] = rows
    return column
