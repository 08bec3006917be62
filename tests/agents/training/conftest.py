"""Fixtures of the tests of training."""

import pytest
from sb3_contrib import MaskablePPO

from agents.networks.policy_networks import PlainPolicy
from agents.training.start_run import train
from agents.training.vec_env import SB3VecEnv
from boardenvs.envs.vector import SeatVectorEnv


@pytest.fixture
def finished(tmp_path, gekitai, tiny_settings):
    """Return the folder of a short finished run, and the run."""
    folder = tmp_path / "run"
    run = train(gekitai, folder, 256, 1, "first", settings=tiny_settings)
    return folder, run


@pytest.fixture
def learner(gekitai):
    env = SB3VecEnv([SeatVectorEnv(4, gekitai)], 0)
    return MaskablePPO(PlainPolicy, env, n_steps=16, batch_size=16, seed=0, device="cpu")
