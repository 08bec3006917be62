"""Helpers that play the PettingZoo environment in tests."""

import numpy as np
from random_play import pick

from boardenvs.envs.playout import playout


def play(env, plies, rng):
    """Play up to `plies` random legal actions; stop when the game ends."""
    for agent in env.agent_iter(plies):
        if env.terminations[agent] or env.truncations[agent]:
            return
        env.step(pick(env.observe(agent)["action_mask"], rng))


def play_out(env, seed=0):
    """Play randomly to the end and return what each agent received, turn by turn."""
    rng = np.random.default_rng(seed)
    turns = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        arrays = {key: array.tobytes() for key, array in observation.items()}
        turns.append((agent, arrays, reward, terminated, truncated, repr(info), dict(env.rewards)))
        over = terminated or truncated
        env.step(None if over else pick(observation["action_mask"], rng))
    return turns


def snapshot(env):
    """Return everything observable of an environment, as comparable values."""
    seen = [
        env.observe(agent)[key].tobytes()
        for agent in env.possible_agents
        for key in ("observation", "action_mask")
    ]
    flags = (dict(env.rewards), dict(env.terminations), dict(env.truncations), list(env.agents))
    return seen, env.state().tobytes(), env.agent_selection, flags, repr(env.infos)


def reach_illegal(env):
    """Play to a position with an illegal action and return this action."""
    rng = np.random.default_rng(0)
    mask = env.observe(env.agent_selection)["action_mask"]
    while mask.all() or not mask.any():
        if mask.any():
            env.step(pick(mask, rng))
        else:  # the game may end before an action is illegal
            env.reset()
        mask = env.observe(env.agent_selection)["action_mask"]
    return int(mask.argmin())


def finished(game):
    """Return a finished game, as an array of length 1."""
    rng = np.random.default_rng(0)
    states = game.new(1, 0)
    playout(game, states, lambda live, _: [pick(game.legal(live)[0], rng)])
    return states
