"""Infos of all environments: keys, dtypes and shapes, and masks for sampling from spaces."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import boardenvs
from boardenvs.registration import env_id

OWN = {
    "dominoes175": {"hand": (np.int8, (2,))},
    "goat_race": {"die": (np.int8, ())},
    "pizza_order": {"wanted": (np.int8, (3, 15))},
}
"""Dtype and shape of the values that games add to infos."""


def rows(info):
    """Return dtype and shape of a row of each value, and check the values' Gymnasium masks."""
    masks = {key for key in info if key.startswith("_")}
    assert masks == {f"_{key}" for key in info.keys() - masks}
    for key in masks:
        assert info[key].dtype == np.bool_
        assert info[key].shape == (3,)
    assert all(value.shape[0] == 3 for value in info.values())
    return {key: (info[key].dtype, info[key].shape[1:]) for key in info.keys() - masks}


def values(info):
    """Return dtype and shape of each value, and check that all are NumPy values."""
    assert all(isinstance(value, np.generic | np.ndarray) for value in info.values())
    return {key: (value.dtype, value.shape) for key, value in info.items()}


@pytest.fixture
def expected(game):
    """Return dtype and shape of every value in the infos of a single game."""
    return {
        "action_mask": (np.int8, (game.num_actions,)),
        "seat": (np.int64, ()),
        **OWN.get(game.name, {}),
    }


def test_infos_of_single_environments_have_fixed_keys_and_types(expected, game):
    env = gymnasium.make(env_id(game.name), illegal="raise")
    env.action_space.seed(0)
    for seed in range(6):
        _, info = env.reset(seed=seed)
        assert values(info) == expected
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(
                env.action_space.sample(info["action_mask"])
            )
            assert values(info) == expected
            over = terminated or truncated


@pytest.mark.parametrize("mode", AutoresetMode)
def test_infos_of_vectors_have_fixed_keys_and_types(expected, game, mode):
    envs = gymnasium.make_vec(
        env_id(game.name),
        3,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        illegal="raise",
    )
    envs.action_space.seed(0)
    _, infos = envs.reset(seed=0)
    ends = 0
    for _ in range(120):
        finals = infos.pop("final_info", None), infos.pop("_final_info", None)
        infos.pop("final_obs", None), infos.pop("_final_obs", None)
        assert rows(infos) == expected
        if finals[0] is not None:
            assert rows(finals[0]) == expected
            for key in expected:
                np.testing.assert_array_equal(finals[0][f"_{key}"], finals[1])
        *_, terminated, truncated, infos = envs.step(
            envs.action_space.sample(tuple(infos["action_mask"]))
        )
        ends += int((terminated | truncated).sum())
        if mode is AutoresetMode.DISABLED and (over := terminated | truncated).any():
            assert rows(infos) == expected
            _, infos = envs.reset(options={"reset_mask": over})
    assert ends > 0


def test_gymnasium_joins_the_infos_of_single_environments(expected, game):
    envs = gymnasium.make_vec(env_id(game.name), 3, vectorization_mode="sync")
    envs.action_space.seed(0)
    _, infos = envs.reset(seed=0)
    for _ in range(20):
        assert rows(infos) == expected
        *_, infos = envs.step(envs.action_space.sample(tuple(infos["action_mask"])))


def test_infos_of_all_agents_have_fixed_keys_and_types(game):
    own = OWN.get(game.name, {})
    env = getattr(boardenvs, f"{game.name}_v0").env(illegal="raise")
    for agent in env.possible_agents:
        env.action_space(agent).seed(0)
    for seed in range(3):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            assert env.infos.keys() == {*env.agents}
            assert all(values(info) == own for info in env.infos.values())
            observation, _, terminated, truncated, info = env.last()
            assert values(info) == own
            assert observation["action_mask"].dtype == np.int8
            over = terminated or truncated
            env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
