"""The learners of the reference curves: common starting points. Requires `[train]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import gymnasium
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from agents.agent import Agent
from agents.benchmark.tasks import Task
from agents.naming.spec import make
from agents.networks.policy_networks import PlainPolicy
from agents.players.sb3 import from_sb3
from agents.training.ppo import PPOLearner
from agents.training.self_play.learner import GuidedLearner
from agents.training.selves import EarlierSelves, PolicyAgent
from agents.training.settings import GuidedSettings, settings_for
from agents.training.vec_env import SB3VecEnv
from boardenvs.registration import env_id

__all__ = ["LEARNERS", "Kind", "Learner"]

_NUM_ENVS = 8
_ROLLOUT = 2048  # Stable-Baselines3's default
_SELVES = 20
_OPENING = 6
"""Maximum number of random plies before a self-play game of 112 or Goat Race. Without them, all
games of 112 soon become the same draw, and after an opponent's error the network plays worse than
random."""


class Learner(Protocol):
    """A learner of a task."""

    @property
    def decisions(self) -> int:
        """Number of decisions that the learner has learned from so far."""

    def advance(self) -> None:
        """Play some games and learn from them."""

    def agent(self) -> Agent:
        """Return an agent with the learner's current policy."""


class _PPO:
    """MaskablePPO with Stable-Baselines3's default settings on `gym.make_vec`.

    The policy class is from this package; it computes the same network in less time.
    """

    def __init__(self, task: Task, seed: int) -> None:
        """Create an untrained learner.

        Args:
            task: the task to learn.
            seed: seed of everything random.
        """
        self._game = task.make()
        opponents = self._opponents(seed)
        envs: list[Any] = [
            gymnasium.make_vec(
                env_id(task.game),
                num_envs=_NUM_ENVS // len(opponents),
                vectorization_mode="vector_entry_point",
                opponent=opponent,
                **task.params,
            )
            for opponent in opponents
        ]
        env = SB3VecEnv(envs, seed, listeners=self._listeners())
        self.model = MaskablePPO(PlainPolicy, env, n_steps=_ROLLOUT, seed=seed, device="cpu")
        # The default logger creates a temporary folder and does not remove it.
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self._began()

    @property
    def decisions(self) -> int:
        return int(self.model.num_timesteps)

    def advance(self) -> None:
        # Games continue from one call to the next.
        self.model.learn(_NUM_ENVS * _ROLLOUT, reset_num_timesteps=False)

    def agent(self) -> Agent:
        return from_sb3(self.model, self._game)

    def _opponents(self, seed: int) -> Sequence[Any]:
        return ["random"]

    def _listeners(self) -> Mapping[int, Any]:
        return {}

    def _began(self) -> None:
        """Hook that runs after the model is created."""


class _PoolPPO(_PPO):
    """MaskablePPO against random, greedy, the current learner, and its earlier selves."""

    def _opponents(self, seed: int) -> Sequence[Any]:
        self._latest = PolicyAgent(self._game, temperature=1.0)
        self._earlier = EarlierSelves(self._game, _SELVES, _NUM_ENVS // 4, seed)
        return ["random", make("greedy", self._game, seed), self._latest, self._earlier]

    def _listeners(self) -> Mapping[int, Any]:
        return {3: self._earlier.note}

    def _began(self) -> None:
        self._latest.policy = self.model.policy
        self._earlier.attach(self.model)

    def advance(self) -> None:
        self._earlier.draw()
        super().advance()
        self._earlier.remember()


class _SelfPlay:
    """Search-guided self-play from an untrained network, as in `boardenvs train`.

    The network and the settings are the game's own. The learner plays only against itself.
    """

    def __init__(self, task: Task, seed: int) -> None:
        """Create an untrained learner.

        Args:
            task: the task to learn.
            seed: seed of everything random.
        """
        self._game = task.make()
        settings = settings_for(self._game)
        # MaskablePPO's model only creates the policy; it plays no games.
        few = replace(settings, num_envs=1, opponents={"random": 1})
        self._policy = PPOLearner(self._game, few, seed).model.policy
        guided = settings.guided or GuidedSettings(opening_plies=_OPENING)
        self._learner = GuidedLearner(self._game, self._policy, guided, seed)

    @property
    def decisions(self) -> int:
        return self._learner.steps

    def advance(self) -> None:
        self._learner.advance()

    def agent(self) -> Agent:
        return PolicyAgent(self._game, self._policy)


@dataclass(frozen=True)
class Kind:
    """A kind of learner."""

    make: Callable[[Task, int], Learner]
    """Function of a task and a seed that returns a learner."""
    text: str
    """Description in one line."""
    met: tuple[str, ...]
    """Agents of ladders that the learner meets in training."""
    players: tuple[int, ...]
    """Supported numbers of players."""

    def check(self, task: Task) -> None:
        """Raise `ValueError` for a game that the learner does not support."""
        num_players = task.make().num_players
        if num_players not in self.players:
            supported = " or ".join(map(str, self.players))
            raise ValueError(
                f"task must be a game for {supported} players with this learner, got {task.name} "
                f"for {num_players}"
            )


LEARNERS = {
    "ppo": Kind(
        _PPO,
        "MaskablePPO, Stable-Baselines3's default settings, gym.make_vec against random",
        ("random",),
        (1, 2, 3, 4, 5),
    ),
    "ppo-pool": Kind(
        _PoolPPO,
        "the same against random, greedy, itself and its earlier selves",
        ("random", "greedy"),
        (2, 3, 4, 5),
    ),
    "self-play": Kind(
        _SelfPlay, "search-guided self-play with the game's own network and settings", (), (2,)
    ),
}
"""Kinds of learners by name."""
