"""What no environment can beat: writing the bytes, and environments that do nothing.

The latter have a game's spaces, the length of its random games, and one observation and
mask, those of its start, at every step.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from agents.bench.timing import Side, rate
from boardenvs.aec import GameAECEnv
from boardenvs.chance import stream_words
from boardenvs.game import Game
from boardenvs.interface import action_number
from boardenvs.single import SeatEnv

__all__ = ["ZeroAECEnv", "ZeroEnv", "copying", "usual_length"]


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
    game.kernels.play_out(states, game.constants, stream_words(np.uint64(1), 100), mask)
    return max(1, round(float(states["ply"].mean())))


class ZeroAECEnv(AECEnv[str, dict[str, npt.NDArray[np.int8]], int]):
    """A PettingZoo environment that does nothing but what PettingZoo asks of it."""

    metadata: dict[str, Any] = {  # noqa: RUF012 as PettingZoo has it
        "name": "zero_v0",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(self, game: Game, *, checked: bool = False) -> None:
        """Take a game's spaces.

        Args:
            game: whose spaces.
            checked: whether `step` refuses an action outside of the action space, as the
                game's own environment does.
        """
        super().__init__()
        like = GameAECEnv(game)
        self.render_mode = None
        self.possible_agents = like.possible_agents
        self.observation_spaces = like.observation_spaces
        self.action_spaces = like.action_spaces
        like.reset(seed=0)
        self._observation = like.observe(like.agent_selection)
        self._checked = checked
        self._num_actions = game.num_actions
        self._length = usual_length(game)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._ply = 0

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        return self._observation

    def step(self, action: int | None) -> None:
        if self._checked:
            action_number(action, self._num_actions)
        self._ply += 1
        self.agent_selection = self.agents[self._ply % len(self.agents)]
        if self._ply == self._length:
            self.terminations = dict.fromkeys(self.agents, True)


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
