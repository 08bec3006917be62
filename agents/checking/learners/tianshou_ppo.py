"""A PPO of Tianshou for each seat, over PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np

import boardenvs
from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "own_results", "plain", "result_ppo"]

_BATCH = 250
"""Smallest number of plies of a batch."""


def plain(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the returns of Tianshou, for which a transition leads to the next seat's turn."""
    return _learn(game, seed, seconds, own_results=False)


def own_results(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the result of each game for the seat as the return of all its plies."""
    return _learn(game, seed, seconds, own_results=True)


def result_ppo() -> Any:
    """Return the class of a PPO of Tianshou whose returns are the results of complete games."""
    import torch
    from tianshou.algorithm import PPO

    class ResultPPO(PPO):
        def _add_returns_and_advantages(self, batch: Any, buffer: Any, indices: Any) -> Any:
            result, results = 0.0, {}
            for index in buffer.sample_indices(0)[::-1]:  # also the plies of other seats
                result = buffer.rew[index] + (0 if buffer.done[index] else result)
                results[index] = result
            with torch.no_grad():
                batch.v_s = self.critic(batch.obs).flatten()
            batch.returns = torch.tensor([results[index] for index in indices]).to(batch.v_s)
            batch.adv = batch.returns - batch.v_s
            return batch

    return ResultPPO


def _learn(game: Game, seed: int, seconds: float, *, own_results: bool) -> Any:
    import torch
    from tianshou.algorithm import PPO
    from tianshou.algorithm.algorithm_base import policy_within_training_step
    from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOnPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.utils.net.common import Net
    from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

    class MaskedActor(DiscreteActor):
        """Tianshou's actor, which reads no masks, with masks."""

        def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
            logits, hidden = super().forward(obs.obs, state)
            return logits.masked_fill(~torch.as_tensor(obs.mask), -torch.inf), hidden

    class Critic(DiscreteCritic):
        def forward(self, obs: Any, **arguments: Any) -> Any:
            return super().forward(obs.obs)

    np.random.seed(seed)  # noqa: NPY002 Tianshou uses this generator
    torch.manual_seed(seed)
    module = getattr(boardenvs, f"{game.name}_v0")
    env = PettingZooEnv(module.env())
    envs = DummyVectorEnv([lambda: PettingZooEnv(module.env())] * 10)
    envs.seed(seed)

    def net() -> Net:
        return Net(state_shape=game.observation_shape, hidden_sizes=[64, 64])

    actors, learners = [], []
    for _ in env.agents:
        actors.append(
            MaskedActor(preprocess_net=net(), action_shape=game.num_actions, softmax_output=False)
        )
        policy = DiscreteActorPolicy(actor=actors[-1], action_space=env.action_space)
        learners.append(
            (result_ppo() if own_results else PPO)(
                policy=policy,
                critic=Critic(preprocess_net=net()),
                optim=AdamOptimizerFactory(lr=1e-3),
                advantage_normalization=False,  # NaN if a seat has one ply in a batch
            )
        )
    players: Any = MultiAgentOnPolicyAlgorithm(algorithms=learners, env=env)
    collector: Any = Collector(players, envs, VectorReplayBuffer(20_000, 10))
    collector.reset()
    plies = 0
    while plies < STEPS * seconds:
        with policy_within_training_step(players.policy):
            while len(collector.buffer) < _BATCH:
                plies += collector.collect(n_episode=10).n_collected_steps
            players.update(buffer=collector.buffer, batch_size=64, repeat=10)
        collector.reset_buffer(keep_statistics=True)

    class Player:
        def act(self, states: Any) -> Any:
            seen = torch.as_tensor(game.observe_to_move(states), dtype=torch.float32)
            with torch.no_grad():
                found = np.stack([DiscreteActor.forward(actor, seen)[0] for actor in actors])
            logits = found[game.to_move(states), np.arange(len(states))]
            return np.where(game.legal(states), logits, -np.inf).argmax(1)

    return Player()


LEARNERS = (
    Learner(
        "PPO for each seat",
        plain,
        "tianshou",
        mends="[results of games as returns](../../boardenvs/INTEGRATIONS.md#tianshou)",
    ),
    Learner("the same with the results of games as returns", own_results, "tianshou"),
)
