"""`BatchEnv`: a batch of games in which the caller plays every seat."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import make_streams
from boardenvs.core.checks import whole_number
from boardenvs.core.loops import BEGIN
from boardenvs.envs.game_batch import GameBatch
from boardenvs.envs.interface import (
    base_word,
    given_states,
    initial_states,
    plain_seed,
    resolve_game,
)
from boardenvs.game import Game, Illegal, States, check_illegal

__all__ = ["BatchEnv", "starts_of_batch"]

_Entry = TypeVar("_Entry", bound=np.generic)


class BatchEnv:
    """A batch of N games of one kind, stepped one ply at a time.

    A finished game restarts in the same step. These arrays are read-only views, which every
    `step` and `reset` overwrites:

    - `observation`: view of the seat to move, int8 of shape `(N, *game.observation_shape)`;
    - `action_mask`: legal actions, bool of shape (N, num_actions);
    - `to_move`: seat to move, int8 of shape (N,);
    - `states`: position records, shape (N,).

    Game i does not depend on the numbers of games and threads.

    Example:
        >>> import boardenvs
        >>> batch = boardenvs.BatchEnv(boardenvs.make("gekitai"), num_envs=4, seed=0)
        >>> batch.observation.shape, batch.action_mask.shape
        ((4, 3, 6, 6), (4, 36))
        >>> rewards, terminated, truncated = batch.step(batch.action_mask.argmax(1))
        >>> rewards.shape, terminated.tolist()
        ((4, 2), [False, False, False, False])
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        seed: int | None = None,
        *,
        illegal: Illegal = "lose",
        threads: int | None = None,
    ) -> None:
        """Start N games.

        Args:
            game: a game, or the name of a game for its default parameters.
            num_envs: number of games N, at least 1.
            seed: seed of the games' random streams; `None` for a random seed.
            illegal: effect of an illegal action: "lose" ends the game with a loss for the seat
                to move, "raise" raises `ValueError` before any game is stepped.
            threads: number of threads of a step; `None` for the number measured to be fastest.

        Raises:
            ValueError: if an argument is out of range.
        """
        check_illegal(illegal)
        self.game = resolve_game(game)
        self.num_envs = whole_number("num_envs", num_envs, 1, 2**31 - 1)
        self.illegal = illegal
        self.threads = None if threads is None else whole_number("threads", threads, 1)
        self._batch = GameBatch(self.game, self.num_envs, restarts=True, threads=self.threads)
        self._make_views()
        self.reset(seed)

    def reset(self, seed: int | None = None, states: Any = None) -> None:
        """Start N games.

        Args:
            seed: seed of the games' random streams; `None` continues the last seed's sequence
                of games.
            states: starting positions: an array of N records, or one record or dictionary
                (see `Game.from_dict`) for all games; `None` for new games. With a seed, each
                game gets its own random stream. Without a seed, each position's stream
                continues, so games from one record roll the same dice.

        Raises:
            ValueError: if the seed is invalid, or a state is invalid or over. The games do not
                change then.
        """
        self._batch.games.states[:], _, self._np_random = starts_of_batch(
            self.game, self.num_envs, seed, states, getattr(self, "_np_random", None)
        )
        self._batch.step(np.full(self.num_envs, BEGIN))

    def _make_views(self) -> None:
        self.states = _read_only(self._batch.games.states)
        self.to_move = _read_only(self._batch.to_move)
        self.action_mask = _read_only(self._batch.games.masks)
        self.observation = _read_only(self._batch.observations())

    def __setstate__(self, attributes: dict[str, object]) -> None:
        self.__dict__.update(attributes)
        self._make_views()  # pickle would copy the views instead of viewing the new arrays

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Play one action in every game; games that end restart.

        Args:
            actions: action of the seat to move in each game, integers of shape (N,).

        Returns:
            `(rewards, terminated, truncated)`. Rewards are float32 of shape (N, num_players),
            zero except for games that ended. The flags are bool of shape (N,). The next step
            overwrites all three arrays.

        Raises:
            OutOfBoundsError: if an action is outside the action space. No game is stepped then.
            ValueError: if an action is illegal and `illegal="raise"`. No game is stepped then.
        """
        games = self._batch.games
        numbers = self.game.arrays.action_numbers(actions, self.num_envs)
        if self.illegal == "raise":
            self.game.arrays.require_legal(games.masks, numbers)
        self._batch.step(numbers)
        return games.rewards, games.terminated, games.truncated


def starts_of_batch(
    game: Game, num: int, seed: int | None, states: Any, np_random: np.random.Generator | None
) -> tuple[States, npt.NDArray[np.uint64], np.random.Generator]:
    """Return the first positions of `BatchEnv.reset`, their streams, and the generator to keep.

    Args:
        game: the game to play.
        num: number of games.
        seed: as for `BatchEnv.reset`.
        states: as for `BatchEnv.reset`.
        np_random: the generator kept by the last reset; `None` for the first one.

    Raises:
        ValueError: as for `BatchEnv.reset`.
    """
    starts = given_states(game, states, num)
    if seed is not None or np_random is None:
        np_random = np.random.default_rng(plain_seed(seed))
    streams = make_streams(base_word(seed, np_random), num)
    first = initial_states(game, starts, states, streams, seeded=seed is not None)
    return first, streams, np_random


def _read_only(array: npt.NDArray[_Entry]) -> npt.NDArray[_Entry]:
    view = array.view()
    view.flags.writeable = False
    return view
