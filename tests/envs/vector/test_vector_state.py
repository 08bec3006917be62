"""The state of a vector environment continues its games in another environment."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import boardenvs
from boardenvs.envs.vector import SeatVectorEnv


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_another_environment_continues_the_games(mode, opponent):
    game = boardenvs.make("goat_race", num_players=3, width=5, height=2, max_plies=20)
    one, other = (SeatVectorEnv(5, game, opponent, autoreset_mode=mode) for _ in range(2))
    one.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(7):
        one.step(chosen(one, rng))
    other.load_state(one.state())
    for _ in range(30):
        actions = chosen(one, rng)
        for found, expected in zip(other.step(actions)[:4], one.step(actions)[:4], strict=True):
            np.testing.assert_array_equal(found, expected)


def test_the_state_does_not_change_with_the_games():
    envs = SeatVectorEnv(3, "gekitai")
    envs.reset(seed=0)
    state = envs.state()
    kept = {name: array.copy() for name, array in state.items()}
    envs.step(envs.action_masks().argmax(1))
    for name, array in state.items():
        np.testing.assert_array_equal(array, kept[name])


def chosen(envs, rng):
    """Return random legal actions, and 0 in games that are over."""
    masks = envs.action_masks()
    return np.argmax(rng.random(masks.shape) * masks, 1)
