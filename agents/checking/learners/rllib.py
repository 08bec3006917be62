"""PPO of RLlib with the environment and the module of this package."""

from __future__ import annotations

from typing import Any

from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "ppo"]

_BATCH = 512


def ppo(game: Game, seed: int, seconds: float) -> Any:
    """Learn as the page on integrations does: one network plays all seats."""
    import ray
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from agents.networks.policy_networks import logits_and_values
    from agents.training.rllib.env import GameMultiAgentEnv
    from agents.training.rllib.module import MaskedModule

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    config = (
        PPOConfig()
        .environment(GameMultiAgentEnv, env_config={"game": game})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
        .multi_agent(policies={"player"}, policy_mapping_fn=lambda *_, **__: "player")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    "player": RLModuleSpec(MaskedModule, model_config={"hidden": [64]})
                }
            )
        )
        .training(
            lr=1e-3,
            gamma=1.0,
            entropy_coeff=0.01,
            train_batch_size_per_learner=_BATCH,
            minibatch_size=128,
            num_epochs=2,
        )
        .debugging(seed=seed)
    )
    algorithm = config.build_algo()
    for _ in range(int(STEPS * seconds) // _BATCH):
        algorithm.train()
    module = algorithm.get_module("player")
    algorithm.stop()

    def values(observations: Any, masks: Any) -> Any:
        with torch.no_grad():
            seen = torch.as_tensor(observations, dtype=torch.float32)
            return logits_and_values(module.policy, seen)[1].numpy()

    return module.agent(game), values


LEARNERS = (
    Learner(
        "PPO with [our module](../../boardenvs/INTEGRATIONS.md#rllib): one network plays all seats",
        ppo,
        "ray",
        10,
    ),
)
