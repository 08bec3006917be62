"""The board's symmetries: a game played in any view of it is the same game."""

import numpy as np
import pytest

import boardenvs
from agents.training.symmetry import symmetries
from agents.training.vec_env import SB3VecEnv
from boardenvs.vector import SeatVectorEnv

SQUARE = [("gekitai", {}), ("gekitai", {"board_size": 7}), ("gomoku", {"board_size": 9})]


def show(game, states, view):
    """What the seat to move sees of each state, in a view."""
    seen = game.observe(states, states["to_move"])
    return seen.reshape(*seen.shape[:2], -1)[:, :, view].reshape(seen.shape)


@pytest.mark.parametrize(("name", "params"), SQUARE)
def test_eight_different_views(name, params):
    game = boardenvs.make(name, **params)
    views = symmetries(game)
    assert views.shape == (8, game.num_actions)
    assert len(np.unique(views, axis=0)) == 8
    np.testing.assert_array_equal(views[0], np.arange(game.num_actions))
    np.testing.assert_array_equal(np.sort(views, 1), np.repeat(views[:1], 8, 0))


@pytest.mark.parametrize(("name", "params"), SQUARE)
def test_rules_are_the_same_in_every_view(name, params):
    game = boardenvs.make(name, **params)
    rng = np.random.default_rng(0)
    for view in symmetries(game):
        back = np.argsort(view)
        plain, turned = game.new(20, 0), game.new(20, 0)
        while len(plain):
            legal = game.legal(plain)
            np.testing.assert_array_equal(game.legal(turned), legal[:, view])
            np.testing.assert_array_equal(
                show(game, plain, view), game.observe(turned, turned["to_move"])
            )
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in legal])
            game.play(plain, actions)
            game.play(turned, back[actions])
            np.testing.assert_array_equal(game.returns(turned), game.returns(plain))
            over = game.terminated(plain) | game.truncated(plain)
            np.testing.assert_array_equal(game.terminated(turned) | game.truncated(turned), over)
            plain, turned = plain[~over], turned[~over]


@pytest.mark.parametrize("name", sorted(set(boardenvs.GAMES) - {"gekitai", "gomoku"}))
def test_no_symmetry(name):
    game = boardenvs.make(name)
    np.testing.assert_array_equal(symmetries(game), np.arange(game.num_actions)[None])


def test_an_environment_shows_each_game_in_one_view():
    game = boardenvs.make("gekitai")
    views = symmetries(game)
    env = SB3VecEnv([SeatVectorEnv(40, game), SeatVectorEnv(24, game)], 0, views)
    rng = np.random.default_rng(1)
    seen, shown = env.reset(), set()
    ended = 0
    for _ in range(60):
        masks = env.action_masks()
        view = env._view.copy()
        shown.update(view.tolist())
        states = np.concatenate([one.positions for one in env.envs])
        for i in range(64):  # seen and masks are the position's, in this game's view
            np.testing.assert_array_equal(seen[i], show(game, states[i : i + 1], views[view[i]])[0])
        np.testing.assert_array_equal(masks, np.take_along_axis(game.legal(states), views[view], 1))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, _, done, infos = env.step(actions)
        np.testing.assert_array_equal(env._view[~done], view[~done])
        ended += int(done.sum())
        for i in np.flatnonzero(done):
            assert infos[i]["terminal_observation"].sum() == 36
    assert shown == set(range(8))
    assert ended > 100


def test_an_illegal_action_in_a_view_is_the_one_played():
    """The cell that a mask forbids is taken on the board: the learner loses by it."""
    game = boardenvs.make("gomoku", board_size=9)
    env = SB3VecEnv([SeatVectorEnv(64, game, seat=0)], 0, symmetries(game))
    env.reset()
    env.step(np.zeros(64, np.int64))
    masks = env.action_masks()
    assert not masks[:, 0].any()  # where the learner's own stone stands, in its view
    _, rewards, done, _ = env.step(np.zeros(64, np.int64))
    assert done.all()
    assert (rewards == -1).all()
