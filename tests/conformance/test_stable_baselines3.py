"""Stable-Baselines3: its environment checker, and MaskablePPO as sb3-contrib documents it."""

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import FlattenObservation
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

import agents
import boardenvs
from agents.training.vec_env import SB3VecEnv
from boardenvs.registration import env_id


@pytest.fixture(params=boardenvs.GAMES)
def name(request):
    return request.param


# Said of any stack of planes, which the checker takes for a picture, or for none.
@pytest.mark.filterwarnings("ignore:It seems that your observation .*is an image:UserWarning")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image:UserWarning")
@pytest.mark.filterwarnings("ignore:Your observation .*has an unconventional shape:UserWarning")
@pytest.mark.filterwarnings("ignore:Treating image space as channels-last:UserWarning")
@pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array"])
def test_checker(name, render_mode):
    env = gymnasium.make(env_id(name), render_mode=render_mode)
    check_env(env, skip_render_check=False)


def test_checker_has_nothing_to_say_about_a_flat_observation(name):
    check_env(FlattenObservation(gymnasium.make(env_id(name))))


def small_model(env, policy="MlpPolicy"):
    return MaskablePPO(policy, env, n_steps=64, batch_size=64, n_epochs=2, seed=0, device="cpu")


def test_maskable_ppo_trains_and_plays_by_the_masks(name):
    # An illegal action raises, so a mask that is off or late fails the test.
    env = gymnasium.make(env_id(name), illegal="raise")
    assert is_masking_supported(env)
    model = small_model(env)
    before = {k: v.clone() for k, v in model.policy.state_dict().items()}
    model.learn(256)
    assert model.num_timesteps == 256
    assert any((before[k] != v).any() for k, v in model.policy.state_dict().items())

    for seed in range(3):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            masks = get_action_masks(env)
            np.testing.assert_array_equal(masks, info["action_mask"])
            action, _ = model.predict(observation, action_masks=masks)
            assert masks[action]
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated

    returns, lengths = evaluate_policy(
        model, Monitor(env), n_eval_episodes=5, return_episode_rewards=True
    )
    assert len(returns) == 5
    assert all(-1 <= r <= 1 for r in returns)
    assert min(lengths) >= 1


def test_masks_are_found_through_wrappers_and_vectors(name):
    def make():
        return Monitor(FlattenObservation(gymnasium.make(env_id(name), illegal="raise")))

    venv = DummyVecEnv([make, make])
    assert is_masking_supported(venv)
    model = small_model(venv).learn(128)
    returns, _ = evaluate_policy(model, venv, n_eval_episodes=4, return_episode_rewards=True)
    assert len(returns) == 4


def predicted(model, venv, observations):
    """Actions by the masks of a vector of environments, as sb3-contrib's documentation does it."""
    masks = get_action_masks(venv)
    actions, _ = model.predict(observations, action_masks=masks, deterministic=False)
    assert masks.shape == (venv.num_envs, venv.action_space.n)
    assert masks[np.arange(venv.num_envs), actions].all()
    return actions


def dummy_vector(name):
    return DummyVecEnv([lambda: gymnasium.make(env_id(name), illegal="raise")] * 3)


def native_vector(name):
    envs = gymnasium.make_vec(
        env_id(name), num_envs=16, vectorization_mode="vector_entry_point", illegal="raise"
    )
    return SB3VecEnv([envs], seed=0)


@pytest.mark.parametrize("make_vector", [dummy_vector, native_vector])
def test_masks_of_vectors_at_training_and_at_predict(name, make_vector):
    venv = make_vector(name)
    assert is_masking_supported(venv)
    model = MaskablePPO(
        "MlpPolicy", venv, n_steps=16, batch_size=48, n_epochs=1, seed=0, device="cpu"
    )
    model.learn(16 * venv.num_envs)
    observations = venv.reset()
    for _ in range(20):
        observations, _, _, _ = venv.step(predicted(model, venv, observations))
    returns, lengths = evaluate_policy(
        model, venv, n_eval_episodes=5, return_episode_rewards=True, warn=False
    )
    assert len(returns) == len(lengths) >= 5
    assert all(-1 <= r <= 1 for r in returns)


def test_made_by_id(name):
    venv = make_vec_env(env_id(name), n_envs=2, seed=0, env_kwargs={"illegal": "raise"})
    assert is_masking_supported(venv)
    small_model(venv).learn(128)
    assert is_masking_supported(small_model(env_id(name)).get_env())


def test_maskable_ppo_learns_as_sb3_contrib_documents_it():
    env = gymnasium.make("boardenvs/Gekitai-v0", opponent="random", illegal="raise")
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=1024,
        batch_size=256,
        learning_rate=1e-3,
        seed=0,
        device="cpu",
    )
    game = boardenvs.make("gekitai")
    before = agents.play_match(game, [agents.from_sb3(model, game), "random"], 500, seed=0)
    model.learn(4096)
    after = agents.play_match(game, [agents.from_sb3(model, game), "random"], 500, seed=0)
    print(f"\nbefore: {before}\nafter: {after}")
    assert before.interval(0)[1] < 0.7 < after.interval(0)[0]
