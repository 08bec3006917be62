#!/usr/bin/env bash
# Tianshou 2.0.1: a PPO for each seat never learns from a loss. The reward of the loser comes at the
# winner's ply, and the last ply of the loser does not count as the end. So the returns of lost games
# go on into the next game of the buffer.
#
# Expected: with gamma=1, gae_lambda=1 and a critic of zeros, each ply of a lost game has return -1,
# and each ply of a won game 1. Random games of tic-tac-toe, one environment.
# Seen: no ply of a lost game has return -1. Most of them have 1, the result of a later game.
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
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.multiagent.marl import (
    MultiAgentOffPolicyAlgorithm,
    MultiAgentOnPolicyAlgorithm,
)
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

logging.disable(logging.WARNING)
torch.manual_seed(0)
np.random.seed(0)
env = PettingZooEnv(tictactoe_v3.env())
shape = env.observation_space["observation"].shape


class Actor(DiscreteActor):
    def forward(self, obs, state=None, info=None):
        return super().forward(obs.obs, state)


class Zeros(DiscreteCritic):
    def forward(self, obs, **arguments):
        return 0 * super().forward(obs.obs)


def seat():
    actor = Actor(
        preprocess_net=Net(state_shape=shape, hidden_sizes=[16]),
        action_shape=env.action_space.n,
        softmax_output=False,
    )
    return PPO(
        policy=DiscreteActorPolicy(actor=actor, action_space=env.action_space),
        critic=Zeros(preprocess_net=Net(state_shape=shape, hidden_sizes=[16])),
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        gae_lambda=1.0,
    )


envs = DummyVectorEnv([lambda: PettingZooEnv(tictactoe_v3.env())])
buffer = VectorReplayBuffer(2000, 1)
randomly = MultiAgentOffPolicyAlgorithm(
    algorithms=[MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in env.agents],
    env=env,
)
Collector(randomly, envs, buffer).collect(n_episode=100, reset_before_collect=True)
players = MultiAgentOnPolicyAlgorithm(algorithms=[seat(), seat()], env=env)
indices = buffer.sample_indices(0)
batch = players._preprocess_batch(buffer[indices], buffer, indices)

# The result of each ply's game, for the seat that played it.
results, result = np.zeros(len(indices)), None
for index in indices[::-1]:
    result = buffer.rew[index] if buffer.done[index] else result
    results[index] = result[env.agent_idx[buffer.obs.agent_id[index]]]
own = [np.flatnonzero(buffer.obs.agent_id[indices] == name) for name in env.agents]
found = np.concatenate([batch[name].returns.numpy() for name in env.agents])
right = results[np.concatenate(own)]
lost, won = found[right == -1], found[right == 1]
print("tianshou", tianshou.__version__)
print(f"plies of lost games: {len(lost)}, with return -1: {(lost == -1).sum()}, "
      f"with return 1: {(lost == 1).sum()}")
print(f"plies of won games: {len(won)}, with return 1: {(won == 1).sum()}")
assert (lost == -1).sum() == 0, "the behaviour has changed"
assert (lost == 1).sum() > len(lost) / 2, "the behaviour has changed"
assert (won == 1).all(), "the behaviour has changed"
PY
