"""DQN and PPO of OpenSpiel for each seat, over the OpenSpiel games of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "dqn", "ppo"]


def dqn(game: Game, seed: int, seconds: float) -> Any:
    """Learn with the settings of OpenSpiel's example `dqn_breakthrough_pytorch.py`.

    In the example, each seat takes a step at the end of each game. OpenSpiel 2.0.2 raises
    `TypeError` if a seat has not acted in its first ten steps, so only seats that acted take it.
    """
    import torch
    from open_spiel.python.pytorch.dqn import DQN

    np.random.seed(seed)  # noqa: NPY002 OpenSpiel uses this generator
    torch.manual_seed(seed)
    env = _environment(game, seed)
    learners = [
        DQN(
            player_id=seat,
            state_representation_size=game.observation_size,
            num_actions=game.num_actions,
            hidden_layers_sizes=[64, 64],
            replay_buffer_capacity=100_000,
            batch_size=32,
            seed=seed,
        )
        for seat in range(game.num_players)
    ]
    steps = 0
    while steps < int(STEPS * seconds):
        now = env.reset()
        while not now.last():
            action = learners[now.observations["current_player"]].step(now).action
            now = env.step([action])
            steps += 1
        for learner in learners:
            if learner.prev_action is not None:  # otherwise `learn` may fail: it has no transition
                learner.step(now)
    return _Player(game, [learner._q_network for learner in learners])  # noqa: SLF001


def ppo(game: Game, seed: int, seconds: float) -> Any:
    """Learn with a PPO for each seat, since OpenSpiel's PPO has one player."""
    import torch
    from open_spiel.python.pytorch.ppo import PPO, PPOAgent

    torch.manual_seed(seed)
    env = _environment(game, seed)
    learners = [
        PPO(
            input_shape=(game.observation_size,),
            num_actions=game.num_actions,
            num_players=game.num_players,
            player_id=seat,
            agent_fn=PPOAgent,
        )
        for seat in range(game.num_players)
    ]
    played, gained = [False] * game.num_players, np.zeros(game.num_players)

    def record(seat: int, now: Any) -> None:
        """Record the rewards since the last action of a seat, and learn if its batch is full."""
        learner = learners[seat]
        if not played[seat]:
            return
        learner.post_step([gained[seat]], [now.last()])
        played[seat], gained[seat] = False, 0
        if learner.cur_batch_idx == learner.steps_per_batch:
            learner.learn([now])

    now = env.reset()
    for _ in range(int(STEPS * seconds)):
        seat = now.observations["current_player"]
        record(seat, now)
        action = learners[seat].step([now])[0].action
        played[seat] = True
        now = env.step([action])
        gained += now.rewards
        if now.last():
            for one in range(game.num_players):
                record(one, now)
            gained[:] = 0
            now = env.reset()
    return _Player(game, [learner.network.actor for learner in learners])


def _environment(game: Game, seed: int) -> Any:
    from open_spiel.python.rl_environment import ChanceEventSampler, Environment

    from boardenvs.openspiel import register

    register(type(game))
    chance = ChanceEventSampler(seed=seed)
    return Environment(f"python_boardenvs_{game.name}", chance_event_sampler=chance)


class _Player:
    """A player with a network for each seat, which takes the legal action of the highest output."""

    def __init__(self, game: Game, networks: list[Callable[[Any], Any]]) -> None:
        self.game, self.networks = game, networks

    def act(self, states: Any) -> Any:
        import torch

        seen = self.game.observe_to_move(states).reshape(len(states), -1)
        with torch.no_grad():
            seats = [one(torch.as_tensor(seen, dtype=torch.float32)) for one in self.networks]
        found = np.stack([one.numpy() for one in seats])
        found = found[self.game.to_move(states), np.arange(len(states))]
        return np.where(self.game.legal(states), found, -np.inf).argmax(1)


LEARNERS = (
    Learner("DQN for each seat", dqn, "open_spiel"),
    Learner("PPO for each seat", ppo, "open_spiel", 4),
)
