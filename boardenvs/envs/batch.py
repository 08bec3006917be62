"""`BatchEnv`: many games side by side, every seat played by the caller, one call a ply."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import make_streams
from boardenvs.core.checks import whole_number
from boardenvs.core.loops import BEGIN
from boardenvs.envs.interface import (
    base_word,
    given_states,
    initial_states,
    plain_seed,
    resolve_game,
)
from boardenvs.envs.table import Table
from boardenvs.game import Game, Illegal, check_illegal

__all__ = ["BatchEnv"]

_Entry = TypeVar("_Entry", bound=np.generic)


class BatchEnv:
    """N games of one kind. A finished game restarts in the same step.

    The arrays are read-only views, overwritten by every `step` and `reset`; copy what you keep:

    - `observation`: int8 of shape `(N, *game.observation_shape)`, as the seat to move sees it;
    - `action_mask`: bool of shape (N, num_actions), True where legal;
    - `to_move`: int8 of shape (N,);
    - `states`: the records, shape (N,).

    Game i is the same for every number of games and threads.

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
            game: a game, or the name of one with its default parameters.
            num_envs: N, at least 1.
            seed: of the games' random streams; `None` for a fresh one.
            illegal: "lose" ends a game with a loss for the offender; "raise" raises
                before any game is stepped.
            threads: over how many to spread a step; by default as many as measured to pay.

        Raises:
            ValueError: for any argument out of range.
        """
        check_illegal(illegal)
        self.game = resolve_game(game)
        self.num_envs = whole_number("num_envs", num_envs, 1, 2**31 - 1)
        self.illegal = illegal
        self.threads = None if threads is None else whole_number("threads", threads, 1)
        self._table = Table(self.game, self.num_envs, restarts=True, threads=self.threads)
        self._make_views()
        self.reset(seed)

    def reset(self, seed: int | None = None, states: Any = None) -> None:
        """Start new games in all places: those of the seed, or without a seed the next ones.

        Args:
            seed: of the games' random streams.
            states: where to begin: one position for all, a record or a dictionary as
                `Game.from_dict` takes it, or an array of N records; by default new games.
                With a seed each game gets a random stream of its own, as new games do.
                Without one the stream of its position goes on, so that one record for all
                is the same dice for all.

        Raises:
            ValueError: for a bad seed, or states that are no valid positions, or over.
                Nothing has changed then.
        """
        starts = given_states(self.game, states, self.num_envs)
        if seed is not None or not hasattr(self, "_np_random"):
            self._np_random = np.random.default_rng(plain_seed(seed))
        streams = make_streams(base_word(seed, self._np_random), self.num_envs)
        self._table.games.states[:] = initial_states(
            self.game, starts, states, streams, seeded=seed is not None
        )
        self._table.step(np.full(self.num_envs, BEGIN))

    def _make_views(self) -> None:
        """Set the read-only views."""
        self.states = _read_only(self._table.games.states)
        self.to_move = _read_only(self._table.to_move)
        self.action_mask = _read_only(self._table.games.masks)
        self.observation = _read_only(self._table.observations())

    def __setstate__(self, attributes: dict[str, object]) -> None:
        self.__dict__.update(attributes)
        self._make_views()  # a copy has views of its own arrays, not copies of views

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Play one action in every game, by the seat to move; games that end start anew.

        Args:
            actions: N whole numbers.

        Returns:
            Rewards, float32 of shape (N, num_players): zero but for games that ended;
            terminated and truncated, bool of shape (N,): which games ended, and how.
            All three are overwritten by the next step.

        Raises:
            ValueError: an action outside of the action space, or with
                `illegal="raise"` an illegal one. No game is stepped then.
        """
        games = self._table.games
        numbers = self.game.arrays.action_numbers(actions, self.num_envs)
        if self.illegal == "raise":
            self.game.arrays.require_legal(games.masks, numbers)
        self._table.step(numbers)
        return games.rewards, games.terminated, games.truncated


def _read_only(array: npt.NDArray[_Entry]) -> npt.NDArray[_Entry]:
    view = array.view()
    view.flags.writeable = False
    return view
