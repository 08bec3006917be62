"""`CudaBatchEnv`: a batch of games on a GPU, in which the caller plays every seat.

The functions marked by `over_rules` run once for every game, on a thread of the GPU each.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boardenvs.core.chance import make_streams, mixed, stepped
from boardenvs.core.checks import shown, whole_number
from boardenvs.core.choice import random_action
from boardenvs.core.hooks import observe_row
from boardenvs.core.loops import BEGIN, EVERY_SEAT, Games, begin, play_out, report, step_game
from boardenvs.envs.interface import (
    base_word,
    given_states,
    initial_states,
    plain_seed,
    resolve_game,
)
from boardenvs.game import Game
from boardenvs.kernels.binding import over_rules
from boardenvs.kernels.device import kernel_for, new_array, on_device, require_gpu

__all__ = ["CudaBatchEnv"]


class CudaBatchEnv:
    """A batch of N games of one kind on a GPU, stepped one ply at a time.

    This class is experimental. It plays the same games as `boardenvs.BatchEnv`: for the same seed
    and actions, all arrays have the same bytes.

    All arrays are on the GPU. PyTorch, JAX and CuPy use them without a copy, by
    `__cuda_array_interface__` or DLPack; `copy_to_host()` returns a NumPy array. Every call
    overwrites them:

    - `observation`: view of the seat to move, int8 of shape `(N, *game.observation_shape)`;
    - `action_mask`: legal actions, bool of shape (N, num_actions);
    - `to_move`: seat to move, int8 of shape (N,);
    - `states`: position records, shape (N,), without DLPack.

    Calls are asynchronous, except `reset`: they queue their work on CUDA's default stream, which
    PyTorch uses, too. Work on other streams, such as that of JAX, must be finished before a call,
    and must wait for the call before it reads. The games stay on the GPU that was current when
    they were made, which must be current at every call. Batches cannot be pickled.

    Example:
        >>> import boardenvs, torch  # doctest: +SKIP
        >>> batch = boardenvs.CudaBatchEnv("gekitai", num_envs=65536, seed=0)  # doctest: +SKIP
        >>> observation = torch.from_dlpack(batch.observation)  # doctest: +SKIP
        >>> rewards, terminated, truncated = batch.step(batch.sample_actions())  # doctest: +SKIP
    """

    def __init__(self, game: Game | str, num_envs: int, seed: int | None = None) -> None:
        """Start N games.

        Args:
            game: a game, or the name of a game for its default parameters.
            num_envs: number of games N, at least 1.
            seed: seed of the games' random streams; `None` for a random seed.

        Raises:
            ValueError: if an argument is out of range.
            RuntimeError: if there is no GPU, or the extra `[cuda]` is not installed.
        """
        self.game = resolve_game(game)
        self.num_envs = num = whole_number("num_envs", num_envs, 1, 2**31 - 1)
        require_gpu("CudaBatchEnv")
        shapes = _shapes(self.game, num)
        self._arrays = _Arrays(**{name: new_array(*shape) for name, shape in shapes.items()})
        self._arrays.params.copy_to_device(self.game.constants)
        self._arrays.start.copy_to_device(self.game.start)
        self._actions = new_array((num,), np.int64)
        self.states = self._arrays.states
        self.to_move = self._arrays.to_move
        self.action_mask = self._arrays.masks
        self.observation = self._arrays.seen.reshape(num, *self.game.observation_shape)
        self.reset(seed)

    def reset(self, seed: int | None = None, states: Any = None) -> None:
        """Start N games, as `BatchEnv.reset` does.

        Args:
            seed: as for `BatchEnv.reset`.
            states: as for `BatchEnv.reset`, in the memory of the host.

        Raises:
            ValueError: as for `BatchEnv.reset`.
        """
        starts = given_states(self.game, states, self.num_envs)
        if seed is not None or not hasattr(self, "_np_random"):
            self._np_random = np.random.default_rng(plain_seed(seed))
        streams = make_streams(base_word(seed, self._np_random), self.num_envs)
        first = initial_states(self.game, starts, states, streams, seeded=seed is not None)
        self._arrays.states.copy_to_device(np.ascontiguousarray(first))
        # Random actions have other words than the games, so that they do not repeat the dice.
        self._arrays.streams.copy_to_device(~streams)
        self._run(_begin, self._actions)

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Play one action in every game; games that end restart.

        The actions are not checked, since that would wait for the GPU. An illegal action, and a
        number outside the action space, ends the game with a loss for the seat to move.

        Args:
            actions: action of the seat to move in each game, integers of shape (N,) on the GPU,
                such as a PyTorch tensor.

        Returns:
            `(rewards, terminated, truncated)` as from `BatchEnv.step`, on the GPU. The next call
            overwrites all three arrays.

        Raises:
            ValueError: if `actions` is not such an array. No game is stepped then.
        """
        array = on_device(actions)
        if array is None or array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            found = shown(actions) if array is None else f"{array.dtype} of shape {array.shape}"
            raise ValueError(
                f"actions must be {self.num_envs} integers in an array on the GPU, got {found}"
            )
        self._run(_step, array)
        return self._arrays.rewards, self._arrays.terminated, self._arrays.truncated

    def sample_actions(self) -> Any:
        """Return a uniformly random legal action for every game, int64 of shape (N,) on the GPU.

        The seed of the games determines the actions. The next call overwrites the array.
        """
        self._run(_sample, self._actions)
        return self._actions

    def play_out(self) -> tuple[Any, Any]:
        """Play every game to its end with uniformly random actions; the games restart.

        Returns:
            `(rewards, lengths)` on the GPU: float32 of shape (N, num_players), and the number of
            plies of each game, int32 of shape (N,). The next call overwrites both arrays.
        """
        self._run(_play_out, self._actions)
        return self._arrays.rewards, self._arrays.lengths

    def _run(self, body: Any, actions: Any) -> None:
        kernel_for(body, self.game.rules)(self.num_envs, self._arrays, actions)


class _Arrays(NamedTuple):
    """The arrays on the GPU: those of `boardenvs.core.loops.Games`, and two more."""

    states: Any
    params: Any
    start: Any
    seats: Any
    streams: Any
    masks: Any
    seen: Any
    rewards: Any
    terminated: Any
    truncated: Any
    to_move: Any
    """Seat to move, int8 of shape (N,)."""
    lengths: Any
    """Number of plies of games that were played out, int32 of shape (N,)."""


def _shapes(game: Game, num: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Return the shape and the dtype of each array."""
    return {
        "states": ((num,), game.state_dtype),
        "params": ((1,), game.constants.dtype),
        "start": ((1,), game.state_dtype),
        "seats": ((num,), np.int64),
        "streams": ((num,), np.uint64),
        "masks": ((num, game.num_actions), np.bool_),
        "seen": ((num, game.observation_size), np.int8),
        "rewards": ((num, game.num_players), np.float32),
        "terminated": ((num,), np.bool_),
        "truncated": ((num,), np.bool_),
        "to_move": ((num,), np.int8),
        "lengths": ((num,), np.int32),
    }


@over_rules()
def _games(arrays):
    """Return all games. The constants let the compiler drop the code for opponents.

    No game writes to `last` with `EVERY_SEAT`, so any records will do.
    """
    return Games(
        arrays.states, arrays.params, arrays.start, arrays.seats, arrays.streams, arrays.masks,
        arrays.seen, arrays.rewards, arrays.terminated, arrays.truncated, arrays.start,
        EVERY_SEAT, False, True,
    )  # fmt: skip


@over_rules()
def _begin(arrays, actions, i):
    """Begin the game of the record that is already written."""
    step_game(_games(arrays), i, BEGIN)
    arrays.to_move[i] = arrays.states[i].to_move


@over_rules()
def _step(arrays, actions, i):
    """Play one action."""
    action = np.int64(actions[i])
    if action < 0 or action >= arrays.masks.shape[1]:
        action = np.int64(0)
        arrays.masks[i, action] = False  # so that the step is a loss
    step_game(_games(arrays), i, action)
    arrays.to_move[i] = arrays.states[i].to_move


@over_rules()
def _sample(arrays, actions, i):
    """Write a random legal action."""
    arrays.streams[i] = stepped(arrays.streams[i])
    actions[i] = random_action(arrays.masks[i], mixed(arrays.streams[i]))


@over_rules()
def _play_out(arrays, actions, i):
    """Play one game to its end, and begin the next one."""
    one = slice(i, i + 1)
    play_out(arrays.states[one], arrays.params, arrays.streams[one], arrays.masks[i])
    games = _games(arrays)
    report(games, i)
    s = arrays.states[i]
    arrays.lengths[i] = s.ply
    begin(games, i, True)
    observe_row(s, arrays.params[0], s.to_move, arrays.seen[i])
    arrays.to_move[i] = s.to_move
