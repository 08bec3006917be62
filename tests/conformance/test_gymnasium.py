"""Gymnasium's environment checker on every game."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from players import First, other_seats

from boardenvs.envs.single import SeatEnv
from boardenvs.registration import env_id


def test_the_unwrapped_environment_passes_check_env(game):
    check_env(gymnasium.make(env_id(game.name)).unwrapped)


# The checker warns about the wrappers of `gymnasium.make`.
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
def test_the_made_environment_passes_check_env(game):
    check_env(gymnasium.make(env_id(game.name)))


def test_every_seat_passes_check_env(game):
    for seat in range(game.num_players):
        check_env(gymnasium.make(env_id(game.name), seat=seat).unwrapped)


def test_an_opponent_object_passes_check_env(game):
    opponent = other_seats(game, First(game))
    check_env(gymnasium.make(env_id(game.name), opponent=opponent).unwrapped)


def test_truncated_games_pass_check_env(game):
    # The checker needs a second step, and some seats get no second turn in short games.
    params = {"max_plies": 2 * game.num_players}
    check_env(gymnasium.make(env_id(game.name), seat=0, **params).unwrapped)


def test_an_id_makes_the_same_environment_as_the_class(game):
    check_environments_match(gymnasium.make(env_id(game.name)), SeatEnv(game), num_steps=100)


def test_observations_fit_their_space_to_the_end(game):
    env = gymnasium.make(env_id(game.name), illegal="raise")  # its checker examines every step
    rng = np.random.default_rng(0)
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            assert observation in env.observation_space
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        assert observation in env.observation_space
