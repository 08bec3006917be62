"""The learners of the reference curves: common starting points. Requires `[train]`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium
from sb3_contrib import MaskablePPO

from agents.agent import Agent
from agents.benchmark.tasks import Task
from agents.naming.spec import make
from agents.networks.policy_networks import PlainPolicy
from agents.networks.sharded import one_torch_thread
from agents.players.sb3 import from_sb3
from agents.training.part import Part
from agents.training.ppo import PPO, make_ppo
from agents.training.self_play.learner import SelfPlay
from agents.training.selves import EarlierSelves, PolicyAgent
from agents.training.settings import GuidedSettings
from agents.training.settings_files import settings_for
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


@dataclass(frozen=True)
class Learner:
    """A learner of a task: a part of a training run without the run."""

    part: Part
    """The games and the gradient steps; its `steps` are the decisions that it has learned from."""
    agent: Callable[[], Agent]
    """Function that returns an agent with the current policy."""


def _ppo(task: Task, seed: int) -> Learner:
    """Return MaskablePPO with Stable-Baselines3's default settings, against random."""
    game = task.make()
    model = _default_model(task, ["random"], seed)
    return Learner(PPO(model), functools.partial(from_sb3, model, game))


def _pool_ppo(task: Task, seed: int) -> Learner:
    """Return the same against random, greedy, the current learner, and its earlier selves."""
    game = task.make()
    latest = PolicyAgent(game, temperature=1.0)
    earlier = EarlierSelves(game, _SELVES, _NUM_ENVS // 4, seed)
    opponents = ["random", make("greedy", game, seed), latest, earlier]
    model = _default_model(task, opponents, seed, {3: earlier.note})
    latest.policy = model.policy
    part = PPO(model, earlier=earlier, remember_every=_NUM_ENVS * _ROLLOUT)
    return Learner(part, functools.partial(from_sb3, model, game))


def _default_model(
    task: Task, opponents: Sequence[Any], seed: int, listeners: Mapping[int, Any] | None = None
) -> MaskablePPO:
    """Make MaskablePPO with Stable-Baselines3's default settings on `gym.make_vec`.

    The policy class is from this package; it computes the same network in less time.

    Args:
        task: the task to learn.
        opponents: opponents, each in the same number of games.
        seed: seed of everything random.
        listeners: as for `SB3VecEnv`.
    """
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
    env = SB3VecEnv(envs, seed, listeners=listeners)
    with one_torch_thread():  # the first weights depend on the number of threads
        return MaskablePPO(PlainPolicy, env, n_steps=_ROLLOUT, seed=seed, device="cpu")


def _self_play(task: Task, seed: int) -> Learner:
    """Return search-guided self-play from an untrained network, as in `boardenvs train`.

    The network and the settings are the game's own. The learner plays only against itself.
    """
    game = task.make()
    settings = settings_for(game)
    # MaskablePPO's model only creates the policy; it plays no games.
    few = replace(settings, num_envs=1, opponents={"random": 1})
    policy = make_ppo(game, few, seed).model.policy
    guided = settings.guided or GuidedSettings(opening_plies=_OPENING)
    return Learner(
        SelfPlay((game,), (1.0,), policy, guided, seed), lambda: PolicyAgent(game, policy)
    )


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
        _ppo,
        "MaskablePPO, Stable-Baselines3's default settings, gym.make_vec against random",
        ("random",),
        (1, 2, 3, 4, 5),
    ),
    "ppo-pool": Kind(
        _pool_ppo,
        "the same against random, greedy, itself and its earlier selves",
        ("random", "greedy"),
        (2, 3, 4, 5),
    ),
    "self-play": Kind(
        _self_play, "search-guided self-play with the game's own network and settings", (), (2,)
    ),
}
"""Kinds of learners by name."""
