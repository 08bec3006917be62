"""SuperSuit's wrappers on the PettingZoo environments, and their errors."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

import boardenvs

supersuit = pytest.importorskip("supersuit")


def make(name, **arguments):
    return getattr(boardenvs, f"{name}_v0").env(illegal="raise", **arguments)


def alone(env):
    """Reduce observations to a Box without the mask, as most of SuperSuit's wrappers require."""
    return supersuit.observation_lambda_v0(
        env, lambda seen, _: seen["observation"], lambda space: space["observation"]
    )


def played(env, seed=0):
    """Play one game with the masks of the wrapped environment; yield the results of `last`."""
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        assert seen in env.observation_space(agent)
        yield agent, seen, reward
        over = terminated or truncated
        masks = env.unwrapped.observe(agent)["action_mask"]
        assert masks.any() != over  # only masks after the end are zeros
        env.step(None if over else env.action_space(agent).sample(masks))


def seeded(env):
    for k, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(k)
    return env


def test_masks_stay_available_if_observations_are_stacked(name):
    env = seeded(alone(make(name)))
    env = supersuit.frame_stack_v1(supersuit.flatten_v0(supersuit.dtype_v0(env, np.float32)), 3)
    size = boardenvs.make(name).observation_size
    mine = {agent: np.zeros(3 * size, np.float32) for agent in env.possible_agents}
    for ply, (agent, seen, _) in enumerate(played(env)):
        raw = env.unwrapped.observe(agent)["observation"].ravel()
        np.testing.assert_array_equal(seen[2 * size :], raw)
        np.testing.assert_array_equal(seen[: 2 * size], mine[agent][size:])
        mine[agent] = seen.copy()  # the wrapper reuses its array
        if ply == 60:
            break
    assert seen.dtype == np.float32


def test_rewards_can_be_transformed(name):
    env = seeded(supersuit.reward_lambda_v0(make(name), lambda reward: 3 * reward))
    expected = seeded(make(name))
    both = list(zip(played(env), played(expected), strict=True))
    for (agent, seen, reward), (agent_too, raw, raw_reward) in both:
        assert agent == agent_too
        np.testing.assert_array_equal(seen["observation"], raw["observation"])
        assert reward == 3 * raw_reward
    assert supersuit.clip_reward_v0(make(name)).possible_agents == env.possible_agents


def test_a_constant_charges_every_seat_at_every_ply():
    env = seeded(supersuit.reward_lambda_v0(make("gekitai"), lambda reward: reward - 0.1))
    rewards = [reward for _, _, reward in played(env)]
    plies = len(rewards) - len(env.possible_agents)  # the last steps are after the end
    assert sum(rewards) == pytest.approx(-0.2 * plies, abs=0.5)


def test_observations_can_change_without_their_mask():
    def space(old):
        return spaces.Dict({**old, "observation": spaces.Box(0, 1, (108,), np.float32)})

    def flat(seen, _):
        return {**seen, "observation": seen["observation"].ravel().astype(np.float32)}

    env = supersuit.observation_lambda_v0(make("gekitai"), flat, space)
    for agent, seen, _ in played(seeded(env)):
        raw = env.unwrapped.observe(agent)
        np.testing.assert_array_equal(seen["action_mask"], raw["action_mask"])
        np.testing.assert_array_equal(seen["observation"], raw["observation"].ravel())


REFUSED = {
    "flatten_v0": (),
    "dtype_v0": (np.float32,),
    "frame_stack_v1": (3,),
    "normalize_obs_v0": (),
    "agent_indicator_v0": (),
    "pad_observations_v0": (),
}


@pytest.mark.parametrize("wrapper", REFUSED)
def test_a_dictionary_with_a_mask_is_refused(wrapper):
    with pytest.raises((AssertionError, AttributeError)):
        getattr(supersuit, wrapper)(make("gekitai"), *REFUSED[wrapper])


def test_skipping_frames_plays_illegal_actions():
    env = supersuit.frame_skip_v0(make("gomoku"), 2)
    env.reset(seed=0)
    square = int(env.unwrapped.observe(env.agent_selection)["action_mask"].argmax())
    with pytest.raises(ValueError, match="is illegal"):
        any(env.step(square) for _ in range(4))
