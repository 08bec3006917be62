"""Stable-Baselines3: its environment checker and MaskablePPO of sb3-contrib."""

import copy
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import FlattenObservation
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecFrameStack,
    VecNormalize,
    VecVideoRecorder,
)

import agents
import boardenvs
from agents.training.vec_env import SB3VecEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.registration import env_id


# The checker warns about any stack of planes, because it may be an image.
@pytest.mark.filterwarnings("ignore:It seems that your observation .*is an image:UserWarning")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image:UserWarning")
@pytest.mark.filterwarnings("ignore:Your observation .*has an unconventional shape:UserWarning")
@pytest.mark.filterwarnings("ignore:Treating image space as channels-last:UserWarning")
@pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array"])
def test_check_env_passes(name, render_mode):
    env = gymnasium.make(env_id(name), render_mode=render_mode)
    check_env(env, skip_render_check=False)


def test_check_env_accepts_flat_observations_without_warnings(name):
    check_env(FlattenObservation(gymnasium.make(env_id(name))))


def small_model(env, policy="MlpPolicy"):
    return MaskablePPO(policy, env, n_steps=64, batch_size=64, n_epochs=2, seed=0, device="cpu")


def test_maskable_ppo_trains_and_plays_with_masks(name):
    # Illegal actions raise, so a wrong or late mask fails the test.
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
    """Return masked actions for a vector of environments, as in sb3-contrib's documentation."""
    masks = get_action_masks(venv)
    actions, _ = model.predict(observations, action_masks=masks, deterministic=False)
    assert masks.shape == (venv.num_envs, venv.action_space.n)
    assert masks[np.arange(venv.num_envs), actions].all()
    return actions


def dummy_vector(name):
    return DummyVecEnv([lambda: Monitor(gymnasium.make(env_id(name), illegal="raise"))] * 3)


def native_vector(name):
    envs = gymnasium.make_vec(
        env_id(name), num_envs=16, vectorization_mode="vector_entry_point", illegal="raise"
    )
    return SB3VecEnv([envs], seed=0)


@pytest.mark.parametrize("make_vector", [dummy_vector, native_vector])
def test_masks_of_vectors_are_used_in_training_and_predict(name, make_vector):
    venv = make_vector(name)
    assert is_masking_supported(venv)
    model = MaskablePPO(
        "MlpPolicy", venv, n_steps=16, batch_size=48, n_epochs=1, seed=0, device="cpu"
    )
    model.learn(16 * venv.num_envs)
    observations = venv.reset()
    for _ in range(20):
        observations, _, _, _ = venv.step(predicted(model, venv, observations))
        assert get_action_masks(venv).any(1).all()  # finished games restart in the same step
    returns, lengths = evaluate_policy(model, venv, n_eval_episodes=5, return_episode_rewards=True)
    assert len(returns) == len(lengths) >= 5
    assert all(-1 <= r <= 1 for r in returns)


def alike(name, render_mode=None):
    """Return Stable-Baselines3's vector and ours, with three games at the same positions."""
    dummy = DummyVecEnv(
        [
            lambda: Monitor(
                gymnasium.make(env_id(name), seat=0, render_mode=render_mode, render_size=64)
            )
        ]
        * 3
    )
    native = SB3VecEnv(
        [
            SeatVectorEnv(num, name, seat=0, render_mode=render_mode, render_size=64)
            for num in (1, 2)
        ]
    )
    game = boardenvs.make(name)
    positions = []
    for k in range(3):
        position = game.new(1, seed=k)
        while position["ply"] < k or position["to_move"]:
            game.play(position, game.legal(position).argmax(1))
        positions.append({"state": position[0]})
    for venv in (dummy, native):
        venv.set_options(positions)
    return dummy, native


def same(ours, theirs):
    """Return whether two results are equal, including arrays in lists and dictionaries."""
    assert type(ours) is type(theirs) or not isinstance(ours, list | tuple | dict)
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("algorithm", "callback"), [(MaskablePPO, MaskableEvalCallback), (DQN, EvalCallback)]
)
def test_callbacks_evaluate_on_the_native_vector_without_a_monitor(algorithm, callback):
    learning, judging = (SB3VecEnv([SeatVectorEnv(2, "game112")], seed=k) for k in (0, 1))
    judge = callback(judging, eval_freq=32, n_eval_episodes=20, verbose=0)
    algorithm("MlpPolicy", learning, device="cpu").learn(128, callback=judge)
    assert -1 <= judge.last_mean_reward <= 1


@pytest.mark.parametrize("render_mode", [None, "ansi", "human", "rgb_array"])
def test_the_native_vector_agrees_with_that_of_stable_baselines3(name, render_mode, capsys):
    def answers(venv):
        observation = venv.reset()
        found = [observation, copy.deepcopy(venv.reset_infos)]
        found += [venv.render_mode, venv.metadata["render_fps"]]
        found += [venv.unwrapped is venv, venv.getattr_depth_check("num_envs", already_found=False)]
        found.append(venv.set_options({"state": venv.get_attr("position", 1)[0]}))
        found += [venv.reset(), len(venv.seed(3)), len(venv.seed())]
        for indices in (None, 2, -1, [2, 0], range(2), []):
            found.append(venv.env_is_wrapped(Monitor, indices))
            for attribute in ("position", "observation_space", "action_space", "game"):
                found.append(venv.get_attr(attribute, indices))
            found.append(venv.env_method("action_masks", indices=indices))
            if render_mode in ("ansi", "rgb_array"):
                found.append(venv.env_method("render", indices=indices))
        found += [venv.has_attr(attribute) for attribute in ("position", "action_masks", "depth")]
        alone = boardenvs.make(name).num_players == 1
        found.append(venv.env_method("set_opponent", "random" if alone else "greedy"))
        if render_mode is not None:
            capsys.readouterr()
            found += [venv.render(), capsys.readouterr().out.split()]
        if render_mode == "rgb_array":
            found += [venv.get_images(), venv.render("rgb_array")]
        else:
            with pytest.warns(UserWarning, match="rgb_array"):
                found.append(venv.get_images())
        with pytest.raises(AttributeError):
            venv.get_attr("depth")
        with pytest.raises(AttributeError):
            venv.env_method("depth")
        with pytest.raises(IndexError):
            venv.get_attr("game", 3)
        venv.set_options({"depth": 3})
        with pytest.raises(ValueError, match=r"options.*'depth'"):
            venv.reset()
        return [*found, venv.close()]

    dummy, native = alike(name, render_mode)
    for ours, theirs in zip(answers(native), answers(dummy), strict=True):
        assert same(ours, theirs)


def test_reset_infos_of_automatic_resets_are_empty():
    venv = SB3VecEnv([SeatVectorEnv(4, "gekitai", max_plies=2)], seed=0)
    venv.reset()
    assert all(info["seat"] in (0, 1) for info in venv.reset_infos)
    for _ in range(2):
        venv.step(venv.action_masks().argmax(1))
    assert venv.reset_infos == [{}] * 4


def test_the_native_vector_accepts_options():
    game = boardenvs.make("goat_race")
    venv = SB3VecEnv([SeatVectorEnv(2, game, seat=0), SeatVectorEnv(1, game, seat=0)])
    plain = game.to_dict(game.new(1, 0)[0])
    del plain["rng"]
    venv.set_options([{"state": plain}] * 2 + [{"state": game.new(1, 0)[0]}])
    venv.reset()
    streams = [position["rng"] for position in venv.get_attr("position")]
    assert len(set(streams)) == 3
    for options, said in (
        ([{}, {"state": plain}, {}], "options.*state"),
        ([{}], "options.*3.*1"),
        ([{"reset_mask": [True, False]}] * 3, "options.*'reset_mask'"),
    ):
        venv.set_options(options)
        with pytest.raises(ValueError, match=said):
            venv.reset()
    with pytest.raises(ValueError, match="indices"):
        venv.env_method("set_opponent", "greedy", indices=1)
    with pytest.raises(AttributeError, match="'seat'"):
        venv.set_attr("seat", 1)


def test_the_native_vector_can_be_recorded(name, tmp_path):
    pytest.importorskip("moviepy")
    _, native = alike(name, "rgb_array")
    venv = VecVideoRecorder(native, str(tmp_path), lambda step: step == 0, video_length=2)
    venv.reset()
    for _ in range(3):
        venv.step(get_action_masks(venv).argmax(1))
    venv.close()
    (film,) = tmp_path.iterdir()
    assert film.stat().st_size > 0
    assert film.suffix == ".mp4"


def test_wrappers_of_stable_baselines3_accept_the_native_vector():
    _, native = alike("gekitai")
    venv = VecFrameStack(VecCheckNan(VecNormalize(native)), 2)
    assert is_masking_supported(venv)
    small_model(venv).learn(3 * 64)
    assert venv.reset().shape == (3, *venv.observation_space.shape)


def test_make_vec_env_accepts_the_id(name):
    venv = make_vec_env(env_id(name), n_envs=2, seed=0, env_kwargs={"illegal": "raise"})
    assert is_masking_supported(venv)
    small_model(venv).learn(128)
    assert is_masking_supported(small_model(env_id(name)).get_env())


PROCESSES = """
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

envs = make_vec_env("boardenvs:boardenvs/Gekitai-v0", 2, vec_env_cls=SubprocVecEnv)
print(envs.reset().shape)
envs.close()
"""


def test_the_id_works_in_processes_of_a_program_without_a_file():
    command = [sys.executable, "-c", PROCESSES]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout == "(2, 3, 6, 6)\n"


def test_maskable_ppo_learns_with_the_code_of_sb3_contrib():
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
