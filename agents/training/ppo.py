"""MaskablePPO on the native vector environments, against a pool of opponents."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import get_device

from agents.naming.spec import make
from agents.networks.policy_networks import BoardPolicy, PlainPolicy
from agents.networks.precision import BFLOAT16, FLOAT32, precision_for
from agents.networks.seat_values import num_values
from agents.training.selves import EarlierSelves, PolicyAgent
from agents.training.settings import EARLIER, LATEST, Settings
from agents.training.vec_env import SB3VecEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.game import Game

__all__ = ["PPOLearner"]


class PPOLearner:
    """A MaskablePPO model with its environments and opponents."""

    policies: ClassVar[dict[str, Any]] = {"convolutional": BoardPolicy, "plain": PlainPolicy}
    """Policy class of each value of the setting `network`."""

    def __init__(
        self,
        game: Game,
        settings: Settings,
        seed: int,
        device: str = "cpu",
        precision: str | None = None,
    ) -> None:
        """Create a new learner.

        Args:
            game: the game to learn.
            settings: settings of the run.
            seed: seed of all randomness.
            device: PyTorch device of the network.
            precision: see `Settings`; `None` for the precision of the settings.

        Raises:
            ValueError: an opponent cannot be made for the game.
        """
        self.precision = FLOAT32
        """Precision of the network's products; `float32` for a network without convolutions."""
        if settings.network == "convolutional" and settings.ppo_steps:
            self.precision = precision_for(precision or settings.precision, get_device(device))
        self.latest = PolicyAgent(game, temperature=1.0, spec="latest self")
        listeners = {}
        envs = []
        for number, (spec, num) in enumerate(_shared_out(game, settings).items()):
            opponent: Any = spec
            if spec == LATEST:
                opponent = self.latest
            elif spec == EARLIER:
                opponent = EarlierSelves(game, settings.selves, num, seed)
                listeners[number] = opponent.note
                self.earlier = opponent
            elif spec != "random":  # the built-in random opponent is the fastest
                opponent = make(spec, game, seed)
            envs.append(SeatVectorEnv(num, game, opponent=opponent))
        if EARLIER not in settings.opponents or game.num_players == 1:
            self.earlier = EarlierSelves(game, settings.selves, 1, seed)
        self.env = SB3VecEnv(envs, seed, game.symmetries(), listeners)
        slowest = settings.learning_rate / 10
        self.model = MaskablePPO(
            self.policies[settings.network],
            self.env,
            n_steps=settings.rollout,
            batch_size=min(settings.batch_size, self.env.num_envs * settings.rollout),
            n_epochs=settings.epochs,
            learning_rate=lambda left: slowest + left * (settings.learning_rate - slowest),
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            ent_coef=settings.entropy,
            policy_kwargs=_network(game, settings, self.precision),
            seed=seed,
            device=device,
        )
        # By default Stable-Baselines3 creates a temporary folder and does not delete it.
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self.latest.policy = self.model.policy
        self.earlier.attach(self.model)

    def state(self) -> dict[str, Any]:
        """Return the state of the learner, for `load_state`."""
        return {
            "policy": self.model.policy.state_dict(),
            "optimizer": self.model.policy.optimizer.state_dict(),
            "steps": self.model.num_timesteps,
            "updates": self.model._n_updates,  # noqa: SLF001 no public name
            "pool": self.earlier.state(),
        }

    def load_state(self, state: dict[str, Any], seed: int) -> None:
        """Restore the learner from `state`.

        Args:
            state: result of `state()` of a learner with the same game and settings.
            seed: seed of the run. Unfinished games are replaced by new games, which differ from
                those at the start of the run.
        """
        self.model.policy.load_state_dict(state["policy"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self.model.num_timesteps = state["steps"]
        self.model._n_updates = state["updates"]  # noqa: SLF001 no public name
        self.earlier.load_state(state["pool"])
        self.env.seed(seed + self.model.num_timesteps)


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
