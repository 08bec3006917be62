"""PPO of TorchRL for each seat, over its `PettingZooWrapper`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import boardenvs
from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "ppo"]

_BATCH = 250
"""Plies of a batch."""


def ppo(game: Game, seed: int, seconds: float) -> Any:
    """Learn as TorchRL's tutorial on PPO: from all plies, also those of other seats."""
    import torch
    from tensordict.nn import TensorDictModule, TensorDictSequential
    from torchrl.collectors import Collector
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor
    from torchrl.objectives import ClipPPOLoss, ValueEstimators

    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchRL warns about every PettingZoo except 1.24.3
        env = PettingZooWrapper(
            getattr(boardenvs, f"{game.name}_v0").env(), use_mask=True, seed=seed
        )

    class Network(torch.nn.Module):
        def __init__(self, outputs: int) -> None:
            super().__init__()
            self.layers = MLP(
                in_features=game.observation_size, out_features=outputs, num_cells=[64, 64]
            )

        def forward(self, seen: Any) -> Any:
            return self.layers(seen.flatten(-len(game.observation_shape)).float())

    actors, losses, optimizers = {}, {}, {}
    for seat in env.group_map:
        seen = (seat, "observation", "observation")
        logits = TensorDictModule(Network(game.num_actions), [seen], [(seat, "logits")])
        actors[seat] = ProbabilisticActor(
            logits,
            in_keys={"logits": (seat, "logits"), "mask": (seat, "action_mask")},
            out_keys=[(seat, "action")],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
            log_prob_key=(seat, "sample_log_prob"),
        )
        critic = TensorDictModule(Network(1), [seen], [(seat, "state_value")])
        loss = ClipPPOLoss(actors[seat], critic, clip_epsilon=0.2, entropy_coeff=0.01)
        loss.set_keys(
            reward=(seat, "reward"),
            action=(seat, "action"),
            sample_log_prob=(seat, "sample_log_prob"),
            value=(seat, "state_value"),
            done=(seat, "done"),
            terminated=(seat, "terminated"),
        )
        loss.make_value_estimator(ValueEstimators.GAE, gamma=0.99, lmbda=0.9)
        losses[seat] = loss
        optimizers[seat] = torch.optim.Adam(loss.parameters(), 1e-3)
    # Half of the usual steps, since TorchRL takes several milliseconds for each.
    frames = max(int(STEPS * seconds) // 2 // _BATCH, 1) * _BATCH
    collector = Collector(
        env,
        TensorDictSequential(*actors.values()),
        frames_per_batch=_BATCH,
        total_frames=frames,
    )
    for batch in collector:
        for seat, loss in losses.items():
            with torch.no_grad():
                loss.value_estimator(batch)
            for _ in range(10):
                for part in torch.randperm(len(batch)).split(50):
                    parts = loss(batch[part])
                    total = parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]
                    optimizers[seat].zero_grad()
                    total.backward()
                    torch.nn.utils.clip_grad_norm_(loss.parameters(), 1.0)
                    optimizers[seat].step()
    collector.shutdown()

    def found(networks: Any, states: Any) -> Any:
        """Return the output of each state's seat."""
        seen = torch.as_tensor(game.observe_to_move(states))
        with torch.no_grad():
            outputs = np.stack([network(seen).numpy() for network in networks])
        return outputs[game.to_move(states), np.arange(len(states))]

    policies = [actor[0].module for actor in actors.values()]

    class Player:
        def act(self, states: Any) -> Any:
            return np.where(game.legal(states), found(policies, states), -np.inf).argmax(1)

    return Player()


LEARNERS = (Learner("PPO for each seat, from all plies", ppo, "torchrl"),)
