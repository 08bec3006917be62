#!/usr/bin/env bash
# Tianshou 2.0.1: a DQN for each seat does not explore while it trains. `policy_within_training_step`
# marks the policy of all seats, but each seat's policy reads its own mark. So `eps_training` has no
# effect.
#
# Expected: with eps_training=1.0, 30 games have many first moves, since all actions are random.
# Seen: 30 games have 1 first move. They have several if the policy of each seat is marked, too.
# The script fails if this changes. It installs pinned packages in a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q tianshou==2.0.1 torch==2.13.0 pettingzoo==1.27.0 pygame==2.6.1
PYGAME_HIDE_SUPPORT_PROMPT=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import logging

import numpy as np
import tianshou
import torch
from pettingzoo.classic import tictactoe_v3
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

logging.disable(logging.WARNING)
torch.manual_seed(0)
np.random.seed(0)
env = PettingZooEnv(tictactoe_v3.env())
shape = env.observation_space["observation"].shape


def seat():
    net = Net(state_shape=shape, action_shape=env.action_space.n, hidden_sizes=[16])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=env.action_space, eps_training=1.0, eps_inference=0.0
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))


def first_moves(marked):
    players = MultiAgentOffPolicyAlgorithm(algorithms=[seat(), seat()], env=env)
    envs = DummyVectorEnv([lambda: PettingZooEnv(tictactoe_v3.env())])
    buffer = VectorReplayBuffer(2000, 1)
    collector = Collector(players, envs, buffer, exploration_noise=True)
    with policy_within_training_step(players.policy):
        if marked:
            for policy in players.policy.policies.values():
                policy.is_within_training_step = True
        collector.collect(n_episode=30, reset_before_collect=True)
    played = buffer[:]
    first = [0, *(np.flatnonzero(played.done)[:-1] + 1)]
    return len(np.unique(played.act[first]))


print("tianshou", tianshou.__version__)
plain, marked = first_moves(False), first_moves(True)
print("different first moves in 30 games with eps_training=1.0:", plain)
print("the same with the policy of each seat marked:", marked)
assert (plain, marked > 3) == (1, True), "the behaviour has changed"
PY
