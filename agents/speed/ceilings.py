"""Upper bounds on speed: copying observations and masks, and an environment that does nothing."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from agents.speed.timing import Side, rate
from boardenvs.core.chance import make_streams
from boardenvs.envs.single import SeatEnv
from boardenvs.game import Game

__all__ = ["ZeroEnv", "copying", "usual_length"]


def copying(game: Game, num: int, seconds: float) -> Side:
    """Return a side that measures `np.copyto` of observations and masks, in boards per second.

    Args:
        game: the game.
        num: number of boards in each copy.
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
    """Return the mean number of plies of a hundred random games, rounded and at least 1."""
    states = game.new(100, 0)
    mask = np.zeros(game.num_actions, np.bool_)
    game.kernels.play_out(states, game.constants, make_streams(np.uint64(1), 100), mask)
    return max(1, round(float(states["ply"].mean())))


class ZeroEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """A Gymnasium environment that returns the observation and mask of the start at every step.

    An episode has as many steps as one seat plays in a random game of mean length.
    """

    def __init__(self, game: Game) -> None:
        """Create the environment with the spaces of a game."""
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
        """Return copies of the start, because Gymnasium's checker requires fresh objects."""
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
