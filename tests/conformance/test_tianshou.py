"""Tianshou with PettingZoo and Gymnasium; illegal actions raise where masks are used."""

from __future__ import annotations

import logging

import gymnasium
import numpy as np
import pytest

import boardenvs
from boardenvs.registration import env_id

pytest.importorskip("tianshou")
torch = pytest.importorskip("torch")

from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm  # noqa: E402
from tianshou.algorithm.algorithm_base import policy_within_training_step  # noqa: E402
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy  # noqa: E402
from tianshou.algorithm.optim import AdamOptimizerFactory  # noqa: E402
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm  # noqa: E402
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env import DummyVectorEnv, PettingZooEnv  # noqa: E402
from tianshou.utils.net.common import Net  # noqa: E402


@pytest.fixture(autouse=True)
def _seeded():
    np.random.seed(0)  # noqa: NPY002 Tianshou uses this generator
    torch.manual_seed(0)
    # Tianshou warns about returns of two players.
    logging.getLogger("tianshou").setLevel(logging.ERROR)


def environments(name, num):
    """Return a vector of environments, and one environment with its spaces."""
    module = getattr(boardenvs, f"{name}_v0")

    def make():
        return PettingZooEnv(module.env(illegal="raise"))

    envs = DummyVectorEnv([make] * num)
    envs.seed(0)  # rarely, all random games of the goat race end in a draw
    return envs, make()


def assert_legal(buffer):
    """Check that every action in the buffer was legal in its mask."""
    played = buffer[:]
    assert len(played) > 0
    assert np.take_along_axis(played.obs.mask, played.act[:, None], 1).all()
    # Only the next mask after the end is zeros, so policies never get such a mask.
    np.testing.assert_array_equal(played.obs_next.mask.any(1), ~played.done)


def test_masked_random_play_is_legal(name):
    envs, env = environments(name, 3)
    game = boardenvs.make(name)
    assert env.agents == [f"player_{seat}" for seat in range(game.num_players)]
    players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in env.agents]
    buffer = VectorReplayBuffer(6000, 3)
    collector = Collector(MultiAgentOffPolicyAlgorithm(algorithms=players, env=env), envs, buffer)
    games = 3 if name == "goat_race" else 12
    stats = collector.collect(n_episode=games, reset_before_collect=True)
    assert stats.n_collected_episodes == games
    assert_legal(buffer)
    returns = np.reshape(stats.returns, (games, game.num_players))
    assert set(np.unique(returns)) <= {-1.0, 0.0, 1.0, -0.5}
    if game.num_players > 1:
        assert np.all(np.abs(returns.sum(1)) < 1e-6)
        assert returns.any()


def q_network(shape, action_space, horizon=1):
    """Return a learner with a small network for observations of this shape."""
    net = Net(state_shape=shape, action_shape=action_space.n, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=action_space, eps_training=0.3, eps_inference=0.0
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=horizon,
        target_update_freq=10,
    )


def targets(horizon):
    """Return how often -1 and 1 are targets of networks of zeros, in random games of 112."""
    envs, env = environments("game112", 4)
    shape = env.observation_space["observation"].shape
    learners = [q_network(shape, env.action_space, horizon) for _ in env.agents]
    for weights in (one for learner in learners for one in learner.policy.parameters()):
        torch.nn.init.zeros_(weights)
    players = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=env)
    randomly = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in env.agents]
    buffer = VectorReplayBuffer(1000, 4)
    collector = Collector(MultiAgentOffPolicyAlgorithm(algorithms=randomly, env=env), envs, buffer)
    collector.collect(n_episode=12, reset_before_collect=True)
    batch = players._preprocess_batch(*buffer_of_all(buffer))
    found = torch.cat([batch[agent].returns for agent in env.agents])
    won = int((np.abs(buffer[:].rew).max(1) > 0).sum())
    return int((found == -1).sum()), int((found == 1).sum()), won


def buffer_of_all(buffer):
    batch, indices = buffer.sample(0)
    return batch, buffer, indices


def test_the_loser_has_negative_targets_with_a_horizon_of_two():
    """The page on other libraries advises this horizon for two players."""
    lost, won, games = targets(2)
    assert lost == won == games > 0
    lost, won, games = targets(1)
    assert (lost, won) == (0, games)
    lost, won, games = targets(3)
    assert won > games


def policy_returns(algorithm):
    """Return the returns of a PPO for each seat in random games of 112, and the right ones."""
    from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOnPolicyAlgorithm
    from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

    class Actor(DiscreteActor):
        def forward(self, obs, state=None, info=None):
            return super().forward(obs.obs, state)

    class Zeros(DiscreteCritic):
        def forward(self, obs, **arguments):
            return 0 * super().forward(obs.obs)

    envs, env = environments("game112", 4)

    def seat():
        nets = [Net(state_shape=boardenvs.make("game112").observation_shape) for _ in range(2)]
        actor = Actor(preprocess_net=nets[0], action_shape=env.action_space.n, softmax_output=False)
        return algorithm(
            policy=DiscreteActorPolicy(actor=actor, action_space=env.action_space),
            critic=Zeros(preprocess_net=nets[1]),
            optim=AdamOptimizerFactory(lr=1e-3),
            gamma=1.0,
            gae_lambda=1.0,
        )

    randomly = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in env.agents]
    buffer = VectorReplayBuffer(1000, 4)
    collector = Collector(MultiAgentOffPolicyAlgorithm(algorithms=randomly, env=env), envs, buffer)
    collector.collect(n_episode=12, reset_before_collect=True)
    indices = buffer.sample_indices(0)
    results, result = np.zeros((len(indices), len(env.agents))), None
    for row in range(len(indices))[::-1]:
        result = buffer.rew[indices[row]] if buffer.done[indices[row]] else result
        results[row] = result
    players = MultiAgentOnPolicyAlgorithm(algorithms=[seat() for _ in env.agents], env=env)
    batch = players._preprocess_batch(buffer[indices], buffer, indices)
    played = buffer.obs.agent_id[indices]
    found = [batch[agent].returns.numpy() for agent in env.agents]
    right = [results[played == agent, k] for k, agent in enumerate(env.agents)]
    return np.concatenate(found), np.concatenate(right)


def test_the_loser_of_a_ppo_for_each_seat_has_a_loss_only_with_results_as_returns():
    from tianshou.algorithm import PPO

    from agents.checking.learners.tianshou_ppo import result_ppo

    found, right = policy_returns(PPO)
    assert (right == -1).any()
    assert not (found == -1).any()
    found, right = policy_returns(result_ppo())
    np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("marked", [False, True])
def test_a_seat_explores_only_if_its_own_policy_is_marked_as_training(marked):
    """The page on other libraries advises to mark it."""
    envs, env = environments("game112", 1)
    shape = env.observation_space["observation"].shape
    learners = [q_network(shape, env.action_space) for _ in env.agents]
    players = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=env)
    collector = Collector(players, envs, VectorReplayBuffer(1000, 1), exploration_noise=True)
    with policy_within_training_step(players.policy):
        for policy in players.policy.policies.values():
            policy.is_within_training_step = marked
        collector.collect(n_episode=30, reset_before_collect=True)
    played = collector.buffer[:]
    first = [0, *(np.flatnonzero(played.done)[:-1] + 1)]
    assert (len(np.unique(played.act[first])) > 1) == marked


@pytest.mark.slow
def test_a_q_network_for_each_seat_learns_with_masks():
    envs, env = environments("gekitai", 4)
    shape = env.observation_space["observation"].shape
    players = MultiAgentOffPolicyAlgorithm(
        algorithms=[q_network(shape, env.action_space) for _ in env.agents], env=env
    )
    buffer = VectorReplayBuffer(4000, 4)
    collector = Collector(players, envs, buffer, exploration_noise=True)
    before = [weights.clone() for weights in players.parameters()]
    with policy_within_training_step(players.policy):
        collector.collect(n_episode=12, reset_before_collect=True)
        players.update(buffer=buffer, sample_size=64)
    after = list(players.parameters())
    assert any((a != b).any() for a, b in zip(before, after, strict=True))
    collector.collect(n_episode=4)  # without exploration
    assert_legal(buffer)


def test_a_q_network_learns_with_gymnasium_and_its_buffer_has_all_infos(name):
    envs = DummyVectorEnv([lambda: gymnasium.make(env_id(name))] * 3)
    envs.seed(0)
    env = gymnasium.make(env_id(name))
    learner = q_network(env.observation_space.shape, env.action_space)
    buffer = VectorReplayBuffer(1000, 3)
    collector = Collector(learner, envs, buffer, exploration_noise=True)
    before = [weights.clone() for weights in learner.parameters()]
    with policy_within_training_step(learner.policy):
        collector.collect(n_episode=40, reset_before_collect=True)
        learner.update(buffer=buffer, sample_size=64)
    after = list(learner.parameters())
    assert any((a != b).any() for a, b in zip(before, after, strict=True))
    kept = buffer[:].info
    for key, value in env.reset(seed=0)[1].items():
        assert kept[key].shape == (len(kept), *value.shape)
        assert kept[key].dtype == value.dtype
