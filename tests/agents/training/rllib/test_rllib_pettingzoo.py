"""RLlib with its own PettingZoo wrapper; illegal actions raise."""

import pytest
import torch

import boardenvs

pytest.importorskip("ray.rllib")

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

# Each env runner in a process registers RLlib's environment again.
pytestmark = pytest.mark.filterwarnings("ignore:.*Overriding environment rllib:UserWarning")


class RandomModule(RLModule):
    framework = "torch"

    def _forward(self, batch, **kwargs):
        masks = torch.as_tensor(batch[Columns.OBS]["action_mask"])
        return {Columns.ACTIONS: torch.multinomial(masks.float(), 1).squeeze(1)}


def test_masked_random_play_is_legal(name):
    game = boardenvs.make(name)
    module = getattr(boardenvs, f"{name}_v0")
    register_env(f"pettingzoo_{name}", lambda _: PettingZooEnv(module.env(illegal="raise")))
    config = (
        PPOConfig()
        .environment(f"pettingzoo_{name}", disable_env_checking=True)
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"any"}, policy_mapping_fn=lambda *_, **__: "any")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={"any": RLModuleSpec(module_class=RandomModule)}
            )
        )
        .debugging(seed=0)
    )
    runner = MultiAgentEnvRunner(config)
    episodes = runner.sample(num_episodes=2 if name == "goat_race" else 8)
    assert episodes
    plies = 0
    for episode in episodes:
        assert episode.is_done
        returns = []
        for seat in episode.agent_episodes.values():
            returns.append(seat.get_return())
            for k in range(len(seat)):
                assert seat.get_observations(k)["action_mask"][seat.get_actions(k)] == 1
                plies += 1
        assert len(returns) == game.num_players
        if game.num_players > 1:
            assert sum(returns) == pytest.approx(0, abs=1e-6)
    assert plies > len(episodes)
    runner.stop()
