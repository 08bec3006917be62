"""DQN of AgileRL with self-play, after its tutorial on connect four.

One network plays all seats. The learner has a random seat of each game, and an earlier version of
the learner has the other ones.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import numpy as np

import boardenvs
from agents.checking.learners import STEPS, Learner
from boardenvs.game import Game

__all__ = ["LEARNERS", "own_positions", "results", "tutorial"]


def tutorial(game: Game, seed: int, seconds: float) -> Any:
    """Learn as the tutorial: the next position of a transition is that of the next seat."""
    return _learn(game, seed, seconds, "next seat")


def own_positions(game: Game, seed: int, seconds: float) -> Any:
    """Learn from transitions to the next turn of the same seat."""
    return _learn(game, seed, seconds, "own")


def results(game: Game, seed: int, seconds: float) -> Any:
    """Learn from the result of each game, without a next position."""
    return _learn(game, seed, seconds, "none")


def _learn(game: Game, seed: int, seconds: float, after: str) -> Any:
    import torch
    from agilerl.algorithms import DQN
    from agilerl.components.data import Transition
    from agilerl.components.replay_buffer import ReplayBuffer
    from gymnasium import spaces

    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    env = getattr(boardenvs, f"{game.name}_v0").env()
    space = spaces.Box(0, game.observation_high, (game.observation_size,), np.float32)
    agent = DQN(space, spaces.Discrete(game.num_actions), lr=1e-3, tau=0.01)
    memory = ReplayBuffer(max_size=10_000)
    pool = deque([copy.deepcopy(agent)], maxlen=5)

    def remember(seen: Any, action: int, reward: float, following: Any, done: bool) -> None:
        transition = Transition(
            obs=seen[None],
            action=np.array([action]),
            reward=np.array([reward]),
            next_obs=following[None],
            done=np.array([done]),
            batch_size=[1],
        )
        memory.add(transition.to_tensordict())

    def seen_by(seat: str) -> Any:
        return env.observe(seat)["observation"].reshape(-1).astype(np.float32)

    def over() -> bool:
        return any(env.terminations.values()) or any(env.truncations.values())

    plies, games = 0, 0
    while plies < STEPS * seconds:
        env.reset(seed=seed if games == 0 else None)
        opponent = pool[rng.integers(len(pool))]
        learner = env.possible_agents[rng.integers(game.num_players)]
        played: dict[str, list[Any]] = {seat: [] for seat in env.possible_agents}
        epsilon = max(0.1, 1 - 2 * plies / (STEPS * seconds))
        while not over():
            seat = env.agent_selection
            seen, mask = seen_by(seat), env.observe(seat)["action_mask"]
            player, explores = (agent, epsilon) if seat == learner else (opponent, 0.0)
            action = int(player.get_action(seen[None], explores, mask[None])[0])
            if played[seat] and after == "own":
                remember(*played[seat][-1], 0.0, seen, False)
            env.step(action)
            plies += 1
            played[seat].append((seen, action))
            if not over() and after == "next seat":
                remember(seen, action, 0.0, seen_by(env.agent_selection), False)
            if plies % agent.learn_step == 0 and len(memory) >= agent.batch_size:
                agent.learn(memory.sample(agent.batch_size))
        for seat, own in played.items():
            for seen, action in own if after == "none" else own[-1:]:
                remember(seen, action, float(env.rewards[seat]), seen, True)
        games += 1
        if games % 100 == 0:
            pool.append(copy.deepcopy(agent))

    class Player:
        def act(self, states: Any) -> Any:
            seen = game.observe_to_move(states).reshape(len(states), -1).astype(np.float32)
            return agent.get_action(seen, 0.0, game.legal(states).astype(np.int8))

    return Player()


LEARNERS = (
    Learner("DQN with self-play, as in AgileRL's tutorial on connect four", tutorial, "agilerl"),
    Learner(
        "the same with transitions to the next turn of the same seat", own_positions, "agilerl"
    ),
    Learner("the same with results of games as rewards", results, "agilerl"),
)
