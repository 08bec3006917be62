"""Vector environments that start from given positions."""

import copy

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from players import Last, other_seats
from random_play import equal, position
from vector_play import choose, rollout

import boardenvs
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv


def test_reset_starts_from_positions(game):
    one = position(game, 2)
    several = np.concatenate([position(game, plies) for plies in (0, 2, 3)])
    for state, expected in (
        (one[0], np.repeat(one, 3)),
        (one, np.repeat(one, 3)),
        (game.to_dict(one[0]), np.repeat(one, 3)),
        (several, several),
    ):
        before = copy.deepcopy(state)
        envs = SeatVectorEnv(3, game, other_seats(game, Last(game)))
        observations, infos = envs.reset(seed=0, options={"state": state})
        for i in range(3):
            single = SeatEnv(game, other_seats(game, Last(game)), int(infos["seat"][i]))
            observation, info = single.reset(options={"state": expected[i]})
            np.testing.assert_array_equal(observations[i], observation)
            np.testing.assert_array_equal(infos["action_mask"][i], info["action_mask"])
        rollout(envs, (observations, infos), 5)
        assert np.array_equal(state, before) if isinstance(state, np.ndarray) else state == before


def test_a_masked_reset_starts_from_a_position(game):
    envs = SeatVectorEnv(3, game, seat=0)
    observations, _ = envs.reset(seed=0)
    marked = np.array([False, True, False])
    states = position(game, 2 * game.num_players, seat=0)
    again, _ = envs.reset(options={"state": states, "reset_mask": marked})
    np.testing.assert_array_equal(again[~marked], observations[~marked])
    np.testing.assert_array_equal(again[1], game.observe(states, 0)[0])


def test_positions_that_end_before_the_learners_turn_are_refused(versus):
    game = boardenvs.make(versus.name, max_plies=versus.num_players)
    states = position(game, game.num_players - 1)
    last = int(states["to_move"][0])
    seat = (last + 1) % game.num_players
    for mode in AutoresetMode:
        envs = SeatVectorEnv(2, game, seat=seat, autoreset_mode=mode)
        envs.reset(seed=0)
        for state in (states, np.concatenate([game.new(1, 0), states])):
            with pytest.raises(ValueError, match="state"):
                envs.reset(options={"state": state})
        # The finished games accept no step.
        with pytest.raises(ValueError, match="reset"):
            envs.step(np.zeros(2, int))
        assert envs.reset(seed=0)[1]["action_mask"].any(1).all()
    assert SeatVectorEnv(2, game, seat=last).reset(options={"state": states})[0].shape[0] == 2


def test_bad_options_and_seeds_change_nothing(game):
    envs = SeatVectorEnv(3, game)
    _, infos = envs.reset(seed=0)
    twin = copy.deepcopy(envs)
    over = boardenvs.make(game.name, max_plies=game.num_players)
    finished = over.new(1, 0)
    while over.legal(finished).any():
        over.play(finished, choose(over.legal(finished), 0))
    for options, message in (
        ({"state": over.to_dict(finished[0])}, "params"),
        ({"state": game.new(2, 0)}, "record"),
        ({"state": "start"}, "records"),
        ({"state": {}}, "field"),
        ({"reset_mask": [True, True, True]}, "reset_mask"),
        ({"reset_mask": np.ones(2, bool)}, "reset_mask"),
        ({"reset_mask": np.ones(3, int)}, "reset_mask"),
        ({"reset_mask": np.zeros(3, bool)}, "reset_mask"),
    ):
        with pytest.raises(ValueError, match=message):
            envs.reset(seed=9, options=options)
    for seed in ([1, 2], [1, 2, 3, 4], [1, 2, -3], [1, 2, 0.5]):
        with pytest.raises(ValueError, match="seed"):
            envs.reset(seed=seed)
    actions = choose(infos["action_mask"], 0)
    assert equal(envs.step(actions), twin.step(actions))
    assert equal(envs.reset(), twin.reset())
    np.testing.assert_array_equal(envs.positions, twin.positions)
