"""Upper bounds for any environment: writing the bytes, and an environment that does nothing.

The latter has a game's spaces, the length of its random games, and one observation and mask, those
of its start, at every step.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from agents.bench.timing import Side, rate
from boardenvs.core.chance import make_streams
from boardenvs.envs.single import SeatEnv
from boardenvs.game import Game

__all__ = ["ZeroEnv", "copying", "usual_length"]


def copying(game: Game, num: int, seconds: float) -> Side:
    """Writing `num` observations and masks with `np.copyto`, in boards a second.

    Args:
        game: whose observations and masks.
        num: how many at once.
        seconds: length of a turn.
    """
    observations = np.zeros((2, num, *game.observation_shape), np.int8)
    masks = np.zeros((2, num, game.num_actions), np.bool_)

    def copy() -> int:
        np.copyto(observations[0], observations[1])
        np.copyto(masks[0], masks[1])
        return num

    return lambda: rate(copy, seconds)


def usual_length(game: Game) -> int:
    """Plies of a random game, rounded mean of a hundred."""
    states = game.new(100, 0)
    mask = np.zeros(game.num_actions, np.bool_)
    game.kernels.play_out(states, game.constants, make_streams(np.uint64(1), 100), mask)
    return max(1, round(float(states["ply"].mean())))


class ZeroEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """A Gymnasium environment that does nothing; its games last as long as one seat's part."""

    def __init__(self, game: Game) -> None:
        """Take a game's spaces."""
        like = SeatEnv(game)
        self.observation_space = like.observation_space
        self.action_space = like.action_space
        self._start = like.reset(seed=0)
        self._arrays = [k for k, v in self._start[1].items() if isinstance(v, np.ndarray)]
        self._length = max(1, usual_length(game) // game.num_players)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        self._step = 0
        return self._shown()

    def _shown(self) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Gymnasium's checker demands fresh objects: they are part of doing nothing."""
        observation, info = self._start
        info = info.copy()
        for key in self._arrays:
            info[key] = info[key].copy()
        return observation.copy(), info

    def step(
        self, action: np.int64 | int
    ) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        self._step += 1
        observation, info = self._shown()
        return observation, 0.0, self._step == self._length, False, info
