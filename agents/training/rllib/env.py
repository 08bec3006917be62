"""An RLlib multi-agent environment for any game."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from boardenvs.envs.aec import GameAECEnv
from boardenvs.game import Game

__all__ = ["GameMultiAgentEnv", "observation_space"]

Observations = dict[str, dict[str, npt.NDArray[np.int8]]]


def observation_space(game: Game) -> spaces.Dict:
    """Return the observation space of each seat, with RLlib's names of its parts."""
    return spaces.Dict(
        {
            "observations": spaces.Box(0, game.observation_high, game.observation_shape, np.int8),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )


class GameMultiAgentEnv(MultiAgentEnv):
    """An RLlib environment with one game at a time; the seats are `player_0`, `player_1` and so on.

    Only the seat to move receives an observation: `{"observations": int8 of
    game.observation_shape, "action_mask": int8 of shape (num_actions,)}`. At the end every seat
    receives its last observation, with a mask of zeros, and its result. RLlib needs the last
    observations to estimate the value of truncated games. All other rewards are 0.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Create the environment.

        Args:
            config: dictionary with `game`; RLlib adds the attribute `worker_index`.
        """
        super().__init__()
        game: Game = config["game"]
        self.game = game
        self._env = GameAECEnv(game)
        self._worker = int(getattr(config, "worker_index", 0) or 0)
        self.possible_agents = list(self._env.possible_agents)
        self.agents = self.possible_agents
        space = observation_space(game)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {a: spaces.Discrete(game.num_actions) for a in self.possible_agents}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start a game; `seed` and `options` as for `boardenvs.envs.aec.GameAECEnv.reset`.

        RLlib seeds env runners and their games with consecutive numbers, which overlap. So the seed
        is mixed with the index of the env runner, except in the local one (index 0).
        """
        if seed is not None and self._worker:
            seeds = np.random.SeedSequence((seed, self._worker)).generate_state(1, np.uint64)
            seed = int(seeds[0])
        self._env.reset(seed, options)
        return {self._env.agent_selection: self._observe(self._env.agent_selection)}, {}

    def step(
        self, action_dict: dict[str, Any]
    ) -> tuple[
        Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Play the action of the seat to move.

        Raises:
            OutOfBoundsError: the action is outside the action space.
            ValueError: `action_dict` does not contain exactly the seat to move.
        """
        env = self._env
        mover = env.agent_selection
        if list(action_dict) != [mover]:
            raise ValueError(
                f"action_dict must contain only the seat to move, {mover!r}, "
                f"got {list(action_dict)}"
            )
        env.step(action_dict[mover])
        terminated, truncated = env.terminations[mover], env.truncations[mover]
        ends = {"__all__": terminated}, {"__all__": truncated}
        if terminated or truncated:
            seen = {agent: self._observe(agent) for agent in self.possible_agents}
            return seen, dict(env.rewards), *ends, {}
        mover_next = env.agent_selection
        return {mover_next: self._observe(mover_next)}, {mover: 0.0}, *ends, {}

    def _observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        seen = self._env.observe(agent)
        return {"observations": seen["observation"], "action_mask": seen["action_mask"]}
