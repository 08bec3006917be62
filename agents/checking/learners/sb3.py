"""Learners of Stable-Baselines3 and sb3-contrib, with their default settings."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

import boardenvs
from agents.checking.learners import STEPS, Learner
from agents.players.sb3 import from_sb3
from boardenvs.game import Game
from boardenvs.registration import env_id

__all__ = ["LEARNERS", "dqn", "maskable_ppo", "maskable_ppo_vec", "tutorial"]


def maskable_ppo(game: Game, seed: int, seconds: float) -> Any:
    """Learn with MaskablePPO through `gym.make`, against random opponents."""
    from sb3_contrib import MaskablePPO

    env = gymnasium.make(env_id(game.name))
    model = MaskablePPO("MlpPolicy", env, seed=seed).learn(int(STEPS * seconds))
    return from_sb3(model, game)


def maskable_ppo_vec(game: Game, seed: int, seconds: float) -> Any:
    """Learn with MaskablePPO through `SB3VecEnv`, against random opponents."""
    from sb3_contrib import MaskablePPO

    from agents.training.vec_env import SB3VecEnv

    envs = gymnasium.make_vec(env_id(game.name), 16, vectorization_mode="vector_entry_point")
    venv = SB3VecEnv([envs], seed=seed)
    model = MaskablePPO("MlpPolicy", venv, n_steps=128, seed=seed).learn(int(STEPS * seconds))
    return from_sb3(model, game)


def dqn(game: Game, seed: int, seconds: float) -> Any:
    """Learn with DQN, which knows no masks, through `gym.make`: an illegal action loses."""
    from stable_baselines3 import DQN

    env = gymnasium.make(env_id(game.name))
    model = DQN("MlpPolicy", env, seed=seed).learn(int(STEPS * seconds))
    return from_sb3(model, game)


class _OneLearnerForAllSeats(gymnasium.Env[Any, Any]):
    """The wrapper of PettingZoo's tutorial on Stable-Baselines3: one learner acts for all seats.

    Each step returns the next seat's observation, and the reward of the seat that acted.
    """

    def __init__(self, game: Game) -> None:
        self.env = getattr(boardenvs, f"{game.name}_v0").env()
        first = self.env.possible_agents[0]
        self.observation_space = self.env.observation_space(first)["observation"]
        self.action_space = self.env.action_space(first)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.env.reset(seed=seed)
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        agent = self.env.agent_selection
        self.env.step(int(action))
        reward = self.env._cumulative_rewards[agent]  # noqa: SLF001 as in the tutorial
        return self._seen(), reward, self.env.terminations[agent], self.env.truncations[agent], {}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return np.asarray(mask, np.bool_)

    def _seen(self) -> Any:
        return self.env.observe(self.env.agent_selection)["observation"]


def tutorial(game: Game, seed: int, seconds: float) -> Any:
    """Learn with MaskablePPO in the pattern of PettingZoo's tutorial, by playing all seats."""
    import torch
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", _OneLearnerForAllSeats(game), seed=seed)
    model.learn(int(STEPS * seconds))

    def values(observations: Any, masks: Any) -> Any:
        with torch.no_grad():
            seen = torch.as_tensor(observations, dtype=torch.float32)
            return model.policy.predict_values(seen)[:, 0].numpy()

    return from_sb3(model, game), values


_SELF_PLAY = "../../boardenvs/INTEGRATIONS.md#stable-baselines3"

LEARNERS = (
    Learner("MaskablePPO through `gym.make`", maskable_ppo, "sb3-contrib"),
    Learner("MaskablePPO through `SB3VecEnv`", maskable_ppo_vec, "sb3-contrib"),
    Learner("DQN through `gym.make`", dqn, "stable-baselines3"),
    Learner(
        "MaskablePPO in the pattern of PettingZoo's tutorial: one learner acts for all seats",
        tutorial,
        "sb3-contrib",
        4,
        f"`SB3VecEnv` with an opponent, and [self-play by `set_opponent`]({_SELF_PLAY})",
    ),
)
