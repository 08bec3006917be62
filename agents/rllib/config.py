"""From a run's settings to RLlib's configuration of PPO."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from agents.rllib.compiling import CompileFirst
from agents.rllib.env import GameMultiAgentEnv, observation_space
from agents.rllib.line_ups import (
    LEARNER,
    RANDOM,
    SELF_PLAY,
    KeepLearner,
    NumberGames,
    earlier,
    policy_mapping,
)
from agents.rllib.module import LearnerModule, NetworkModule, RandomModule
from agents.rllib.settings import ClusterSettings
from boardenvs.game import Game

__all__ = ["SECONDS_TO_SAMPLE", "ppo_config"]

SECONDS_TO_SAMPLE = 300
"""That an env runner has to send its games; those that come later are lost."""


def ppo_config(game: Game, settings: ClusterSettings, seed: int, env_runners: int) -> PPOConfig:
    """The configuration of a run.

    Args:
        game: what is learned.
        settings: how.
        seed: of everything random.
        env_runners: processes that play, of one core each; 0 to play where the learner is.
    """
    training = settings.training
    modules = _modules(game, settings)
    return (
        PPOConfig()
        .environment(GameMultiAgentEnv, env_config={"game": game}, disable_env_checking=True)
        .env_runners(
            num_env_runners=env_runners,
            num_envs_per_env_runner=settings.games,
            create_env_on_local_worker=False,
            sample_timeout_s=SECONDS_TO_SAMPLE,
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .multi_agent(
            policies=set(modules),
            policy_mapping_fn=policy_mapping(game, settings.selves),
            policies_to_train=[LEARNER],
        )
        .callbacks([NumberGames, KeepLearner, CompileFirst])
        .training(
            lr=_falling(training.learning_rate, _plies(game, training.steps)),
            train_batch_size_per_learner=settings.plies,
            minibatch_size=min(training.batch_size, settings.plies),
            num_epochs=training.epochs,
            gamma=training.gamma,
            lambda_=training.gae_lambda,
            entropy_coeff=training.entropy,
            # As Stable-Baselines3's PPO, with which the other values were chosen.
            clip_param=0.2,
            grad_clip=0.5,
            vf_loss_coeff=0.5,
            use_kl_loss=False,
        )
        .debugging(seed=seed, log_level="ERROR", log_sys_usage=False)
    )


def _plies(game: Game, steps: int) -> int:
    """About how many plies of all seats there are to so many decisions of the learner."""
    learners = 1 / game.num_players
    return int(steps / (SELF_PLAY + (1 - SELF_PLAY) * learners))


def _falling(rate: float, plies: int) -> list[list[float]]:
    """The learning rate as RLlib's schedule: it falls linearly to a tenth, as locally."""
    return [[0, rate], [plies, rate / 10]]


def _modules(game: Game, settings: ClusterSettings) -> dict[str, RLModuleSpec]:
    """The learner, its opponents, by name."""
    training = settings.training
    convolutional = training.network == "convolutional"
    facts: dict[str, Any] = {
        "observation_space": observation_space(game),
        "action_space": spaces.Discrete(game.num_actions),
        "model_config": {
            "hidden": training.hidden,
            "channels": training.channels if convolutional else 0,
            "blocks": training.blocks,
            "lines": training.lines,
        },
    }
    selves = [earlier(k) for k in range(settings.selves)]
    return {
        LEARNER: RLModuleSpec(LearnerModule, **facts),
        RANDOM: RLModuleSpec(RandomModule, **facts),
        **{name: RLModuleSpec(NetworkModule, **facts) for name in selves},
    }
