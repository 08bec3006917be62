"""Probe games work in every environment, like games that a user registers."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test

import boardenvs
from agents.training.vec_env import SB3VecEnv
from boardenvs.probes import PROBES
from boardenvs.registration import env_id

pytestmark = pytest.mark.filterwarnings(  # as for PettingZoo's suites on the six games
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)
FAST = ("probe_third_wins", "probe_hidden_coin")


@pytest.fixture(
    params=[name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in PROBES]
)
def name(request):
    return request.param


def test_aec(name):
    module = getattr(boardenvs, f"{name}_v0")
    api_test(module.env(), num_cycles=50)
    env = module.env()
    env.reset(seed=0)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        mask = observation["action_mask"]
        env.step(None if terminated or truncated else int(mask.argmax()))
    assert sum(total.values()) == pytest.approx(0)


def test_gym_make(name):
    env = gymnasium.make(env_id(name))
    _, info = env.reset(seed=0)
    ends = 0
    for _ in range(200):
        _, reward, terminated, truncated, info = env.step(
            env.action_space.sample(info["action_mask"])
        )
        if terminated or truncated:
            assert -1 <= reward <= 1
            ends += 1
            _, info = env.reset()
    assert ends > 2


@pytest.mark.parametrize("mode", AutoresetMode)
def test_make_vec(name, mode):
    envs = gymnasium.make_vec(
        env_id(name), 4, vectorization_mode="vector_entry_point", autoreset_mode=mode
    )
    _, infos = envs.reset(seed=0)
    ends = 0
    for _ in range(120):
        masks = infos["action_mask"]
        _, rewards, terminated, truncated, infos = envs.step(masks.argmax(1))
        over = terminated | truncated
        assert not rewards[~over].any()
        ends += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            _, infos = envs.reset(options={"reset_mask": over})
    assert ends > 8


def test_batch_env(name):
    batch = boardenvs.BatchEnv(name, num_envs=8, seed=0)
    returns = []
    for _ in range(60):
        rewards, terminated, truncated = batch.step(batch.action_mask.argmax(1))
        returns += rewards[terminated | truncated].tolist()
    assert len(returns) > 8
    assert np.abs(np.sum(returns, 1)).max() < 1e-6


def test_sb3_vec_env(name):
    envs = gymnasium.make_vec(env_id(name), 4, vectorization_mode="vector_entry_point")
    venv = SB3VecEnv([envs], seed=0)
    venv.reset()
    dones = 0
    for _ in range(60):
        _, _, done, _ = venv.step(venv.action_masks().argmax(1))
        dones += done.sum()
    assert dones > 4


def test_openspiel(name):
    pytest.importorskip("pyspiel", reason="needs the extra [openspiel]")
    import pyspiel

    from boardenvs.openspiel import register

    register(PROBES[name])
    game = pyspiel.load_game(f"python_boardenvs_{name}")
    rng = np.random.default_rng(0)
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(actions, p=chances)))
            else:
                state.apply_action(int(rng.choice(state.legal_actions())))
        assert sum(state.returns()) == pytest.approx(0)
