#!/usr/bin/env bash
# Tianshou 2.0.1: a DQN for each seat does not explore while it trains. `policy_within_training_step`
# marks the policy of all seats, but each seat's policy looks at its own mark. So `eps_training` has
# no effect, and `eps_inference` counts.
#
# Run in an environment with boardenvs[integrations]. With eps_training=1 all actions should be random.
set -euo pipefail
"${PYTHON:-python3}" - <<'PY'
import logging

import numpy as np
import tianshou
import torch
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from boardenvs import game112_v0

logging.disable(logging.WARNING)
torch.manual_seed(0)
env = PettingZooEnv(game112_v0.env())
shape = env.observation_space["observation"].shape


def seat():
    net = Net(state_shape=shape, action_shape=env.action_space.n, hidden_sizes=[16])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=env.action_space, eps_training=1.0, eps_inference=0.0
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))


def different_first_moves(marked):
    players = MultiAgentOffPolicyAlgorithm(algorithms=[seat(), seat()], env=env)
    envs = DummyVectorEnv([lambda: PettingZooEnv(game112_v0.env())])
    buffer = VectorReplayBuffer(2000, 1)
    collector = Collector(players, envs, buffer, exploration_noise=True)
    with policy_within_training_step(players.policy):
        for policy in players.policy.policies.values():
            policy.is_within_training_step = marked
        collector.collect(n_episode=30, reset_before_collect=True)
    played = buffer[:]
    first = [0, *(np.flatnonzero(played.done)[:-1] + 1)]
    return len(np.unique(played.act[first]))


print("tianshou", tianshou.__version__)
print("different first moves in 30 games with eps_training=1.0:", different_first_moves(False))
print("the same with each seat's own policy marked:", different_first_moves(True))
PY
