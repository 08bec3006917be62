"""`GameBatch`: the games of an environment and their step, which all environments share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.loops import EVERY_SEAT, LEAVE, GameArrays
from boardenvs.game import Game

__all__ = ["GameBatch"]


class GameBatch:
    """N games of one kind that are stepped together."""

    def __init__(
        self,
        game: Game,
        num: int,
        seat: int = EVERY_SEAT,
        *,
        restarts: bool = False,
        threads: int | None = 1,
    ) -> None:
        """Allocate N games; `step` begins them.

        Args:
            game: the game to play.
            num: number of games N.
            seat: see `GameArrays.seat`.
            restarts: see `GameArrays.restarts`.
            threads: number of threads of a step; `None` for the number measured to be fastest.
        """
        self.game = game
        self.threads = threads
        self.games = GameArrays(
            states=np.repeat(game.start, num),
            params=game.constants,
            start=game.start,
            seats=np.full(num, seat),
            streams=np.zeros(num, np.uint64),
            masks=np.zeros((num, game.num_actions), np.bool_),
            seen=np.zeros((num, game.observation_size), np.int8),
            rewards=np.zeros((num, game.num_players if seat == EVERY_SEAT else 1), np.float32),
            terminated=np.zeros(num, np.bool_),
            truncated=np.zeros(num, np.bool_),
            last=np.repeat(game.start, num if seat != EVERY_SEAT else 0),
            seat=seat,
            random_opponents=False,
            restarts=restarts,
        )
        self._make_views()

    def _make_views(self) -> None:
        """Set views of the arrays once, since making a view at each step is slow."""
        games = self.games
        self.position: npt.NDArray[np.void] = games.states[0, ...]
        """Record of game 0 for `Game.info`: shape ()."""
        self.to_move = games.states["to_move"]
        """Seat to move in each game: int8 of shape (N,)."""
        self.observation = games.seen[0].reshape(self.game.observation_shape)
        """Observation of game 0: int8 of shape observation_shape."""
        self.action_mask = games.masks[0].view(np.int8)
        """Legal actions of game 0: int8 of shape (num_actions,)."""
        self._step_one: Callable[[int], object] | None = None

    def __getstate__(self) -> dict[str, Any]:
        views = ("position", "to_move", "observation", "action_mask", "_step_one")
        return {k: v for k, v in vars(self).items() if k not in views}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        self._make_views()  # pickle would copy the views instead of viewing the new arrays

    def observations(self) -> npt.NDArray[np.int8]:
        """Return a view of the observations: shape (N, *observation_shape)."""
        return self.games.seen.reshape(-1, *self.game.observation_shape)

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Step all games; the results are in `games`.

        Args:
            actions: for each game an action, `LEAVE`, `RESTART` or `BEGIN`: int64 of shape (N,).
        """
        if len(actions) == 1:
            self.step_one(actions.item())
        else:
            self.game.kernels.step_games(self.threads, actions, *self.games)

    def step_one(self, action: int) -> None:
        """Step the only game, as `step` does."""
        step = self._step_one or self._bind()
        step(action)

    def _bind(self) -> Callable[[int], object]:
        """Return the step of the only game, compiled if possible."""
        from boardenvs.kernels.numba_compat import entry_point, is_plain

        step = entry_point(self.game.kernels.step_game, self.games, 0, LEAVE)
        bound = functools.partial(step, self.games, 0)
        if not is_plain(step):
            self._step_one = bound
        return bound
