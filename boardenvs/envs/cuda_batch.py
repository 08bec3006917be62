"""`CudaBatchEnv`: a batch of games on a GPU, in which the caller plays every seat.

The functions marked by `over_rules` run once for every game, on a thread of the GPU each.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from boardenvs.core.arrays import OutOfBoundsError
from boardenvs.core.chance import mixed, stepped
from boardenvs.core.checks import counted, shown, whole_number
from boardenvs.core.choice import random_action
from boardenvs.core.hooks import observe_row
from boardenvs.core.loops import (
    BEGIN,
    EVERY_SEAT,
    GameArrays,
    begin,
    play_out,
    step_game,
    write_outcome,
)
from boardenvs.envs.batch import starts_of_batch
from boardenvs.envs.game_batch import GameBatch
from boardenvs.envs.interface import resolve_game
from boardenvs.game import Game
from boardenvs.kernels.binding import over_rules
from boardenvs.kernels.gpu import kernel_for, new_array, on_gpu, require_gpu

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
        self._games = _games_on_gpu(self.game, num)
        self._actions = new_array((num,), np.int64)
        self._lengths = new_array((num,), np.int32)
        self.states = self._games.states
        self.to_move = new_array((num,), np.int8)
        self.action_mask = self._games.masks
        self.observation = self._games.seen.reshape(num, *self.game.observation_shape)
        self.reset(seed)

    def reset(self, seed: int | None = None, states: Any = None) -> None:
        """Start N games, as `BatchEnv.reset` does.

        Args:
            seed: as for `BatchEnv.reset`.
            states: as for `BatchEnv.reset`, in the memory of the host.

        Raises:
            ValueError: as for `BatchEnv.reset`.
        """
        first, streams, self._np_random = starts_of_batch(
            self.game, self.num_envs, seed, states, getattr(self, "_np_random", None)
        )
        self.states.copy_to_device(np.ascontiguousarray(first))
        # Random actions have other words than the games, so that they do not repeat the dice.
        self._games.streams.copy_to_device(~streams)
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
            OutOfBoundsError: if `actions` is not such an array. No game is stepped then.
        """
        array = on_gpu(actions)
        if array is None or array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            found = shown(actions) if array is None else f"{array.dtype} of shape {array.shape}"
            integers = counted(self.num_envs, "integer")
            raise OutOfBoundsError(
                f"actions must be {integers} in an array on the GPU, got {found}"
            )
        self._run(_step, array)
        return self._games.rewards, self._games.terminated, self._games.truncated

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
        self._run(_play_out, self._lengths)
        return self._games.rewards, self._lengths

    def _run(self, loop: Any, numbers: Any) -> None:
        kernel_for(loop, self.game.rules)(self._games, self.to_move, numbers)


def _games_on_gpu(game: Game, num: int) -> Any:
    """Return `boardenvs.core.loops.GameArrays` of N games, with arrays on the GPU."""
    of_one = GameBatch(game, 1).games
    arrays = {}
    for name, array in of_one._asdict().items():
        if isinstance(array, np.ndarray) and name != "last":  # no game writes to it
            rows = 1 if name in {"params", "start"} else num
            arrays[name] = new_array((rows, *array.shape[1:]), array.dtype)
    arrays["params"].copy_to_device(of_one.params)
    arrays["start"].copy_to_device(of_one.start)
    return of_one._replace(**arrays, last=arrays["start"])


@over_rules()
def _by_caller(games):
    """Return the games with constants, which let the compiler drop the code for opponents."""
    return GameArrays(
        games.states, games.params, games.start, games.seats, games.streams, games.masks,
        games.seen, games.rewards, games.terminated, games.truncated, games.last,
        EVERY_SEAT, False, True,
    )  # fmt: skip


@over_rules()
def _begin(games, to_move, _, i):
    """Begin the game of the record that is already written."""
    step_game(_by_caller(games), i, BEGIN)
    to_move[i] = games.states[i].to_move


@over_rules()
def _step(games, to_move, actions, i):
    """Play one action."""
    action = np.int64(actions[i])
    if action < 0 or action >= games.masks.shape[1]:
        action = np.int64(0)
        games.masks[i, action] = False  # so that the step is a loss
    step_game(_by_caller(games), i, action)
    to_move[i] = games.states[i].to_move


@over_rules()
def _sample(games, _, actions, i):
    """Write a random legal action."""
    games.streams[i] = stepped(games.streams[i])
    actions[i] = random_action(games.masks[i], mixed(games.streams[i]))


@over_rules()
def _play_out(games, to_move, lengths, i):
    """Play one game to its end, write its number of plies, and begin the next one."""
    games = _by_caller(games)
    one = slice(i, i + 1)
    play_out(games.states[one], games.params, games.streams[one], games.masks[i])
    write_outcome(games, i)
    s = games.states[i]
    lengths[i] = s.ply
    begin(games, i, True)
    observe_row(s, games.params[0], s.to_move, games.seen[i])
    to_move[i] = s.to_move
