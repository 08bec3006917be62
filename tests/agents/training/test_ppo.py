"""MaskablePPO after imitation gives the same weights for the same seed on any number of cores."""

import tempfile
from dataclasses import replace

import pytest
import torch

from agents.networks import sharded
from agents.training import imitation as cloning
from agents.training.imitation import Imitation
from agents.training.ppo import make_ppo
from agents.training.settings import CloningSettings, Settings

SMALL = Settings(
    num_envs=32,
    rollout=16,
    batch_size=128,
    epochs=2,
    network="convolutional",
    hidden=(16,),
    channels=8,
    blocks=1,
    clone=CloningSettings(steps=1, epochs=1),
)


def weights(game, settings, seed, cores, monkeypatch):
    """Return the weights after imitation and two rollouts."""
    monkeypatch.setattr(sharded, "cores", lambda: cores)
    monkeypatch.setattr(cloning, "_GAMES", 32)
    learner = make_ppo(game, settings, seed)
    policy = learner.model.policy
    Imitation((game,), (1.0,), policy, settings.clone, seed).advance()
    for _ in range(2):
        learner.advance()
    return [w.clone() for w in policy.state_dict().values()]


@pytest.mark.parametrize(
    "changes",
    [
        {"network": "convolutional", "precision": "float32"},
        {"network": "convolutional", "precision": "bfloat16"},
        {"network": "plain"},
    ],
)
def test_weights_do_not_depend_on_the_number_of_cores(gekitai, monkeypatch, changes):
    monkeypatch.setattr(sharded, "_LEAST", 1)
    monkeypatch.setattr(sharded, "_SHARD", 4e6)
    settings = replace(SMALL, **changes)
    first = weights(gekitai, settings, 0, 1, monkeypatch)
    assert all(map(torch.equal, first, weights(gekitai, settings, 0, 2, monkeypatch)))
    other = weights(gekitai, settings, 1, 2, monkeypatch)
    assert not all(map(torch.equal, first, other))


def test_the_first_weights_do_not_depend_on_the_threads_of_pytorch(gekitai):
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            policy = make_ppo(gekitai, replace(SMALL, channels=32), 0).model.policy
            found.append(policy.state_dict())
    finally:
        torch.set_num_threads(before)
    assert all(map(torch.equal, found[0].values(), found[1].values()))


def test_no_folder_is_left_behind(gekitai, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    settings = replace(SMALL, clone=None)
    make_ppo(gekitai, settings, 0).advance()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("steps", [1, 700])
def test_the_learning_rate_stays_in_its_range_in_a_short_part(gekitai, steps):
    part = make_ppo(gekitai, replace(SMALL, ppo_steps=steps), 0)
    while part.steps < part.total:
        part.advance()
        (group,) = part.model.policy.optimizer.param_groups
        assert SMALL.learning_rate / 10 <= group["lr"] <= SMALL.learning_rate
