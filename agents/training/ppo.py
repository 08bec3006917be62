"""MaskablePPO on the native vector environments, against a pool of opponents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import get_device

from agents.naming.spec import make
from agents.networks.policy_networks import BoardPolicy, PlainPolicy
from agents.networks.precision import BFLOAT16, FLOAT32, precision_for
from agents.networks.seat_values import num_values
from agents.networks.sharded import one_torch_thread
from agents.training.selves import EarlierSelves, PolicyAgent
from agents.training.settings import EARLIER, LATEST, Settings
from agents.training.vec_env import SB3VecEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.game import Game

__all__ = ["POLICIES", "PPO", "make_ppo"]

POLICIES: dict[str, Any] = {"convolutional": BoardPolicy, "plain": PlainPolicy}
"""Policy class of each value of the setting `network`."""


class PPO:
    """A MaskablePPO model with its environments and earlier selves; a part of a run."""

    name = "ppo"
    ends_early = True

    def __init__(
        self,
        model: Any,
        total: float = math.inf,
        earlier: EarlierSelves | None = None,
        remember_every: int = 0,
        remember_at: int | None = None,
    ) -> None:
        """Set up the part.

        Args:
            model: a new model of MaskablePPO on an `SB3VecEnv`. Its learning rate depends on the
                share of `total` that is left.
            total: number of decisions.
            earlier: opponent of some games that plays as the earlier selves.
            remember_every: decisions between two earlier selves.
            remember_at: decisions before the first one after the untrained self; `None` for
                `remember_every`.
        """
        self.model = model
        self.total = total
        self.earlier = earlier
        self._remember_every = remember_every
        self._remember_at = remember_every if remember_at is None else remember_at
        self._schedule = model.lr_schedule
        # By default Stable-Baselines3 creates a temporary folder and does not delete it.
        model.set_logger(Logger(folder=None, output_formats=[]))
        if earlier is not None:
            earlier.attach(model)

    @property
    def env(self) -> SB3VecEnv:
        """The environments."""
        env: SB3VecEnv = self.model.env
        return env

    @property
    def precision(self) -> str:
        """Precision of the network's products; `float32` for a network without convolutions."""
        return BFLOAT16 if self.model.policy.in_bfloat16 else FLOAT32

    @property
    def steps(self) -> int:
        """Number of the learner's decisions so far."""
        return int(self.model.num_timesteps)

    @steps.setter
    def steps(self, steps: int) -> None:
        self.model.num_timesteps = steps

    def advance(self) -> dict[str, float]:
        """Make `n_steps` decisions in each game, then take the gradient steps on them.

        Returns:
            No figures, because Stable-Baselines3 logs its own.
        """
        if self.earlier is not None:
            if self.steps >= self._remember_at:
                self.earlier.remember()
                self._remember_at = self.steps + self._remember_every
            self.earlier.draw()
        decisions = self.env.num_envs * self.model.n_steps
        rate = self._schedule(max(0.0, 1 - (self.steps + decisions) / self.total))
        self.model.lr_schedule = lambda _: rate
        self.model.learn(decisions, reset_num_timesteps=False)
        return {}

    def state(self) -> dict[str, Any]:
        """Return the complete state; see `Part.state`."""
        model = self.model
        optimizer = model.policy.optimizer  # `None` if the part has no steps
        begun = model._last_obs is not None  # noqa: SLF001 no public name
        return {
            "policy": model.policy.state_dict(),
            "optimizer": optimizer and optimizer.state_dict(),
            "steps": self.steps,
            "updates": model._n_updates,  # noqa: SLF001
            "remember_at": self._remember_at,
            "earlier": None if self.earlier is None else self.earlier.state(),
            "games": self.env.state() if begun else None,
            "seen": torch.from_numpy(model._last_obs) if begun else None,  # noqa: SLF001
            "starts": torch.from_numpy(model._last_episode_starts) if begun else None,  # noqa: SLF001
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore `state()`; see `Part.load_state`."""
        model = self.model
        model.policy.load_state_dict(state["policy"])
        if state["optimizer"]:
            model.policy.optimizer.load_state_dict(state["optimizer"])
        self.steps = state["steps"]
        model._n_updates = state["updates"]  # noqa: SLF001
        self._remember_at = state["remember_at"]
        if self.earlier is not None:
            self.earlier.load_state(state["earlier"])
        if state["games"] is not None:
            self.env.load_state(state["games"])
            model._last_obs = state["seen"].numpy().copy()  # noqa: SLF001
            model._last_episode_starts = state["starts"].numpy().astype(np.bool_)  # noqa: SLF001


@one_torch_thread()  # the first weights depend on the number of threads
def make_ppo(
    game: Game,
    settings: Settings,
    seed: int,
    device: str = "cpu",
    precision: str | None = None,
    policies: Mapping[str, Any] = POLICIES,
) -> PPO:
    """Make the part MaskablePPO of a run, with its opponents.

    Args:
        game: the game to learn.
        settings: settings of the run.
        seed: seed of all randomness.
        device: PyTorch device of the network.
        precision: see `Settings`; `None` for the precision of the settings.
        policies: policy class of each value of the setting `network`.

    Raises:
        ValueError: an opponent cannot be made for the game.
    """
    used = FLOAT32
    if settings.network == "convolutional" and settings.ppo_steps:
        used = precision_for(precision or settings.precision, get_device(device))
    latest = PolicyAgent(game, temperature=1.0, spec="latest self")
    earlier = None
    listeners = {}
    envs = []
    for number, (spec, num) in enumerate(_shared_out(game, settings).items()):
        opponent: Any = spec
        if spec == LATEST:
            opponent = latest
        elif spec == EARLIER:
            opponent = earlier = EarlierSelves(game, settings.selves, num, seed)
            listeners[number] = earlier.note
        elif spec != "random":  # the built-in random opponent is the fastest
            opponent = make(spec, game, seed)
        envs.append(SeatVectorEnv(num, game, opponent=opponent))
    env = SB3VecEnv(envs, seed, game.symmetries(), listeners)
    slowest = settings.learning_rate / 10
    model = MaskablePPO(
        policies[settings.network],
        env,
        n_steps=settings.rollout,
        batch_size=min(settings.batch_size, env.num_envs * settings.rollout),
        n_epochs=settings.epochs,
        learning_rate=lambda left: slowest + left * (settings.learning_rate - slowest),
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        ent_coef=settings.entropy,
        policy_kwargs=_network(game, settings, used) | _optimizer(settings),
        seed=seed,
        device=device,
    )
    latest.policy = model.policy
    after_imitation = 0 if settings.clone else None
    return PPO(model, settings.ppo_steps, earlier, settings.remember_every, after_imitation)


def _optimizer(settings: Settings) -> dict[str, Any]:
    """Return the policy's arguments for its optimiser."""
    if settings.ppo_steps:
        return {}
    # PyTorch's optimisers import its compiler, which takes 85 MB.
    return {"optimizer_class": lambda *_, **__: None}


def _shared_out(game: Game, settings: Settings) -> dict[str, int]:
    """Return the number of games of each opponent; games for one player are under `random`."""
    if game.num_players == 1:
        return {"random": settings.num_envs}
    whole = sum(settings.opponents.values())
    return {
        spec: max(1, round(settings.num_envs * share / whole))
        for spec, share in settings.opponents.items()
    }


def _network(game: Game, settings: Settings, precision: str) -> dict[str, Any]:
    """Return the policy's keyword arguments."""
    values = {"num_values": num_values(game)}
    if settings.network == "plain":
        return {**values, "net_arch": list(settings.hidden), "activation_fn": torch.nn.ReLU}
    return {
        **values,
        "in_bfloat16": precision == BFLOAT16,
        "net_arch": list(settings.hidden[-1:]),
        "features_extractor_kwargs": {
            key: getattr(settings, key) for key in ("channels", "blocks", "lines")
        },
    }
