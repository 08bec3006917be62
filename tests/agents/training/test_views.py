"""Training in views of the board: an environment shows each game in one of them."""

import numpy as np

import boardenvs
from agents.training.vec_env import SB3VecEnv
from boardenvs.envs.vector import SeatVectorEnv


def show(game, states, view):
    """Return the observation of the seat to move, in a view of the cells."""
    seen = game.observe(states, states["to_move"])
    return seen.reshape(*seen.shape[:2], -1)[:, :, view].reshape(seen.shape)


def test_each_game_is_observed_in_one_symmetry():
    game = boardenvs.make("gekitai")
    views = game.symmetries()
    env = SB3VecEnv([SeatVectorEnv(40, game), SeatVectorEnv(24, game)], 0, views)
    rng = np.random.default_rng(1)
    seen, shown = env.reset(), set()
    ended = 0
    for _ in range(60):
        masks = env.action_masks()
        view = env._view.copy()
        shown.update(view.tolist())
        states = np.concatenate([one.positions for one in env.envs])
        for i in range(64):  # observation and mask are the position's, in the view of this game
            np.testing.assert_array_equal(
                seen[i], show(game, states[i : i + 1], views.actions[view[i]])[0]
            )
        np.testing.assert_array_equal(
            masks, np.take_along_axis(game.legal(states), views.actions[view], 1)
        )
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, _, done, infos = env.step(actions)
        np.testing.assert_array_equal(env._view[~done], view[~done])
        ended += int(done.sum())
        for i in np.flatnonzero(done):
            assert infos[i]["terminal_observation"].sum() == 36
    assert shown == set(range(8))
    assert ended > 100


def test_an_illegal_action_is_mapped_back_from_its_symmetry():
    """A masked cell in the view is occupied on the board, so playing it loses."""
    game = boardenvs.make("gomoku", board_size=9)
    env = SB3VecEnv([SeatVectorEnv(64, game, seat=0)], 0, game.symmetries())
    env.reset()
    env.step(np.zeros(64, np.int64))
    masks = env.action_masks()
    assert not masks[:, 0].any()  # the learner's stone in its own view
    _, rewards, done, _ = env.step(np.zeros(64, np.int64))
    assert done.all()
    assert (rewards == -1).all()
