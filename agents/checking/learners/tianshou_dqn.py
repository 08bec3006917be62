"""A DQN of Tianshou for each seat, over PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np

import boardenvs
from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "mended", "one_step", "one_step_exploring", "three_steps", "two_steps"]


def one_step(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the default `n_step_return_horizon=1`."""
    return _learn(game, seed, seconds, 1)


def one_step_exploring(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the default `n_step_return_horizon=1`, and explore."""
    return _learn(game, seed, seconds, 1, explores=True)


def two_steps(game: Game, seed: int, seconds: float) -> Any:
    """Learn with `n_step_return_horizon=2`."""
    return _learn(game, seed, seconds, 2)


def three_steps(game: Game, seed: int, seconds: float) -> Any:
    """Learn with `n_step_return_horizon=3`, as Tianshou's example of tic-tac-toe."""
    return _learn(game, seed, seconds, 3)


def mended(game: Game, seed: int, seconds: float) -> Any:
    """Learn with `n_step_return_horizon=2`, and explore."""
    return _learn(game, seed, seconds, 2, explores=True)


def _learn(game: Game, seed: int, seconds: float, horizon: int, *, explores: bool = False) -> Any:
    import torch
    from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.algorithm_base import policy_within_training_step
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.utils.net.common import Net

    np.random.seed(seed)  # noqa: NPY002 Tianshou uses this generator
    torch.manual_seed(seed)
    module = getattr(boardenvs, f"{game.name}_v0")
    env = PettingZooEnv(module.env())
    envs = DummyVectorEnv([lambda: PettingZooEnv(module.env())] * 10)
    envs.seed(seed)
    nets = [
        Net(state_shape=game.observation_shape, action_shape=game.num_actions, hidden_sizes=[64])
        for _ in env.agents
    ]
    learners = [
        DQN(
            policy=DiscreteQLearningPolicy(
                model=net, action_space=env.action_space, eps_training=0.5, eps_inference=0.0
            ),
            optim=AdamOptimizerFactory(lr=1e-3),
            n_step_return_horizon=horizon,
            target_update_freq=100,
        )
        for net in nets
    ]
    players: Any = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=env)
    buffer = VectorReplayBuffer(20_000, 10)
    collector: Any = Collector(players, envs, buffer, exploration_noise=True)
    collector.reset()
    with policy_within_training_step(players.policy):
        for policy in players.policy.policies.values():
            # Tianshou 2.0.1 sets this only for all seats together, so no seat explores.
            policy.is_within_training_step = explores
        for _ in range(int(STEPS * seconds) // 100):
            collector.collect(n_step=100)
            for _ in range(10):
                players.update(buffer=buffer, sample_size=64)

    def worth(states: Any) -> Any:
        seen = torch.as_tensor(game.observe_to_move(states), dtype=torch.float32)
        with torch.no_grad():
            found = np.stack([net(seen)[0].numpy() for net in nets])
        return found[game.to_move(states), np.arange(len(states))]

    class Player:
        def act(self, states: Any) -> Any:
            return np.where(game.legal(states), worth(states), -np.inf).argmax(1)

    return Player()


_MARK = "[mark each seat's policy as training](../../boardenvs/INTEGRATIONS.md#tianshou)"

LEARNERS = (
    Learner("DQN for each seat, `n_step_return_horizon=2`", two_steps, "tianshou", mends=_MARK),
    Learner(
        "the same, with the mark and the default `n_step_return_horizon=1`",
        one_step_exploring,
        "tianshou",
        mends="`n_step_return_horizon=2`",
    ),
    Learner("the same, with the mark and `n_step_return_horizon=2`", mended, "tianshou"),
    Learner(
        "the same, without the mark and with `n_step_return_horizon=3`",
        three_steps,
        "tianshou",
        mends=_MARK,
    ),
)
