"""Small untrained convolutional policies."""

import torch
from gymnasium import spaces

from agents.networks.policy_networks import BoardPolicy


def board_policy(game, seed=0, **trunk):
    """Return a policy for a game's observations; `trunk` are arguments of its convolutions."""
    torch.manual_seed(seed)
    return BoardPolicy(
        spaces.Box(0, 1, game.observation_shape),
        spaces.Discrete(game.num_actions),
        lambda _: 1e-3,
        net_arch=[16],
        features_extractor_kwargs={"channels": 8, "blocks": 1, **trunk},
    )
