"""The module chooses only legal actions, in every kind of forward pass."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

import agents
import boardenvs

pytest.importorskip("ray.rllib")

from ray.rllib.core.columns import Columns
from ray.rllib.utils.torch_utils import FLOAT_MIN

from agents.training.rllib.env import observation_space
from agents.training.rllib.module import MaskedModule

PASSES = ["forward_inference", "forward_exploration", "forward_train"]
NETWORKS = {
    "layers": {"hidden": [16, 16]},
    "board": {"hidden": [16], "channels": 8, "blocks": 1, "lines": 4},
}


def made(game, network="layers"):
    torch.manual_seed(0)
    return MaskedModule(
        observation_space=observation_space(game),
        action_space=spaces.Discrete(game.num_actions),
        model_config=NETWORKS[network],
    )


@pytest.fixture
def batch(game, live_positions):
    """Return a batch of observations of the movers in random positions, and the legal actions."""
    states = live_positions(game, 3, 0)
    seen = game.observe(states, states["to_move"])
    masks = game.legal(states)
    return {
        Columns.OBS: {
            "observations": torch.as_tensor(seen),
            "action_mask": torch.as_tensor(masks.astype(np.int8)),
        }
    }, masks


@pytest.mark.parametrize("forward", PASSES)
def test_logits_of_illegal_actions_are_masked(game, batch, forward):
    given, masks = batch
    module = made(game, "board" if len(game.observation_shape) == 3 else "layers")
    with torch.no_grad():
        # Large weights, as if the network strongly preferred illegal actions.
        for parameter in module.policy.parameters():
            parameter.mul_(10)
    found = getattr(module, forward)(given)[Columns.ACTION_DIST_INPUTS]
    assert (found[~torch.as_tensor(masks)] == FLOAT_MIN).all()
    assert (found[torch.as_tensor(masks)] > FLOAT_MIN / 2).all()
    drawn = module.get_exploration_action_dist_cls().from_logits(found).sample()
    assert masks[np.arange(len(masks)), drawn].all()


def test_values_do_not_depend_on_the_mask(gekitai, live_positions):
    states = live_positions(gekitai, 3, 0)
    seen = torch.as_tensor(gekitai.observe(states, states["to_move"]))
    given = {
        Columns.OBS: {
            "observations": seen,
            "action_mask": torch.as_tensor(gekitai.legal(states).astype(np.int8)),
        }
    }
    module = made(gekitai)
    found = module.forward_train(given)
    values = module.compute_values(given)
    assert values.shape == (len(states),)
    torch.testing.assert_close(module.compute_values(given, found[Columns.EMBEDDINGS]), values)
    assert values.unique().numel() > 10


def test_outputs_after_the_end_are_finite():
    game = boardenvs.make("game112")
    given = {
        Columns.OBS: {
            "observations": torch.zeros((1, *game.observation_shape), dtype=torch.int8),
            "action_mask": torch.zeros((1, game.num_actions), dtype=torch.int8),
        }
    }
    found = made(game).forward_train(given)
    assert torch.isfinite(found[Columns.ACTION_DIST_INPUTS].log_softmax(1)).all()


def test_the_agent_has_the_name_of_the_module(gekitai):
    scores = agents.play_match(gekitai, [made(gekitai).agent(gekitai), "random"], 2, seed=0)
    assert str(scores).startswith("MaskedModule: ")
