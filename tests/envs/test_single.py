"""The single-seat Gymnasium environment of every game."""

import copy
import itertools

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics
from players import Last, other_seats
from random_play import equal, pick
from single_play import play_out

import boardenvs
from boardenvs.envs.single import SeatEnv
from boardenvs.registration import env_id

# -- Play ---------------------------------------------------------------------------------


def test_spaces_and_metadata_are_those_of_the_game(game):
    env = SeatEnv(game)
    assert env.observation_space == spaces.Box(
        0, game.observation_high, game.observation_shape, np.int8
    )
    assert env.action_space == spaces.Discrete(game.num_actions)
    assert set(env.metadata["render_modes"]) >= {"ansi", "human"}
    assert SeatEnv(game.name).game == game


@pytest.mark.parametrize("plies", [None, "few"])
def test_the_environment_agrees_with_the_game(game, plies):
    """All results equal those of playing the `Game` directly, including opponents' moves."""
    params = {} if plies is None else {"max_plies": 2 * game.num_players}
    game = boardenvs.make(game.name, **params)
    opponent = Last(game)
    rng = np.random.default_rng(0)

    def opponents(states, seat):
        while game.legal(states).any() and states["to_move"][0] != seat:
            game.play(states, opponent.act(states))

    for seat, seed in itertools.product(["random", *range(game.num_players)], range(3)):
        env = SeatEnv(game, other_seats(game, opponent), seat, illegal="raise")
        observation, info = env.reset(seed=seed)
        states = game.new(1, 0)
        states[0] = env.position
        mine = info["seat"]
        assert seat in ("random", mine)
        # Only the seats before the own one have played.
        if not game.has_chance:
            start = game.new(1, 0)
            opponents(start, mine)
            start["rng"] = states["rng"]
            assert start[0] == states[0]
        terminated = truncated = False
        reward = 0.0
        while True:
            assert observation in env.observation_space
            np.testing.assert_array_equal(observation, game.observe(states, mine)[0])
            legal = game.legal(states)[0]
            assert info.keys() == {"action_mask", "seat", *game.info(states[0])}
            assert info["action_mask"].dtype == np.int8
            np.testing.assert_array_equal(info["action_mask"], legal)
            assert env.action_masks().dtype == np.bool_
            np.testing.assert_array_equal(env.action_masks(), legal)
            assert info["seat"] == mine
            for key, value in game.info(states[0]).items():
                assert data_equivalence(info[key], value)
            assert type(reward) is float
            assert reward == game.returns(states)[0, mine]
            assert terminated is bool(states["terminated"][0])
            assert truncated is bool(states["truncated"][0])
            assert env.position == states[0]
            if terminated or truncated:
                break
            assert states["to_move"][0] == mine
            action = pick(legal, rng)
            observation, reward, terminated, truncated, info = env.step(action)
            game.play(states, [action])
            opponents(states, mine)
        assert not info["action_mask"].any()


def test_a_step_after_the_end_or_before_the_start_raises(game):
    env = SeatEnv(game)
    with pytest.raises(ValueError, match="reset"):
        env.step(0)
    _, info = env.reset(seed=0)
    play_out(env, info["action_mask"])
    over = env.position
    for action in range(game.num_actions):
        with pytest.raises(ValueError, match="reset"):
            env.step(action)
    assert env.position == over
    assert not env.action_masks().any()
    assert env.reset()[1]["action_mask"].any()


def test_earlier_results_do_not_change(game):
    env, twin = SeatEnv(game), SeatEnv(game)
    returned, kept = [env.reset(seed=0)], [twin.reset(seed=0)]
    rng = np.random.default_rng(0)
    for _ in range(5):
        action = pick(returned[-1][-1]["action_mask"], rng)
        returned[-1] = copy.deepcopy(returned[-1])
        kept[-1][0][:] = 1  # writing into returned values changes nothing
        for value in kept[-1][-1].values():
            if isinstance(value, np.ndarray):
                value[...] = 1
        twin.action_masks()[:] = True
        kept.append(twin.step(action))
        returned.append(env.step(action))
        assert equal(kept[-1], returned[-1])
        if returned[-1][2] or returned[-1][3]:
            break
    else:
        first = copy.deepcopy(returned[-1])
        env.reset()
        assert equal(first, returned[-1])


# -- Seats --------------------------------------------------------------------------------


def test_a_random_seat_can_be_every_seat(game):
    env = SeatEnv(game)
    env.reset(seed=0)
    assert {env.reset()[1]["seat"] for _ in range(60)} == set(range(game.num_players))
    seats = {env.reset(seed=seed)[1]["seat"] for seed in range(60)}
    assert seats == set(range(game.num_players))


def test_a_fixed_seat_stays(game):
    for seat in range(game.num_players):
        env = SeatEnv(game, seat=np.int64(seat))
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(10)} == {seat}


# -- Rendering ----------------------------------------------------------------------------


def test_ansi_is_the_console_format(game):
    env = gymnasium.make(env_id(game.name), render_mode="ansi")
    _, info = env.reset(seed=0)
    assert env.render() == game.to_text(env.unwrapped.position)
    env.step(int(info["action_mask"].argmax()))
    assert env.render() == game.to_text(env.unwrapped.position)


def test_human_prints_each_position_and_returns_nothing(game, capsys):
    env = SeatEnv(game, render_mode="human")
    env.reset(seed=0)
    assert capsys.readouterr().out == game.to_text(env.position)
    env.step(int(env.action_masks().argmax()))
    assert capsys.readouterr().out == game.to_text(env.position)
    assert env.render() is None
    assert capsys.readouterr().out == game.to_text(env.position)


# -- Arguments ----------------------------------------------------------------------------


def test_parameters_require_a_game_by_name(game):
    params = {**game.params, "max_plies": game.num_players + 1}
    assert SeatEnv(game.name, **params).game == boardenvs.make(game.name, **params)


# -- Gymnasium's wrappers and vectors -----------------------------------------------------


def test_wrappers_of_gymnasium_work(game):
    env = RecordEpisodeStatistics(FlattenObservation(gymnasium.make(env_id(game.name))))
    plain = gymnasium.make(env_id(game.name))
    observation, info = env.reset(seed=0)
    assert observation.shape == (np.prod(game.observation_shape),)
    start, _ = plain.reset(seed=0)
    np.testing.assert_array_equal(observation, start.ravel())
    returned = play_out(env, info["action_mask"])
    expected = play_out(plain, info["action_mask"])
    assert returned[-1][4]["episode"]["r"] == expected[-1][1]
    assert returned[-1][4]["episode"]["l"] == len(expected)
    for step, other in zip(returned, expected, strict=True):
        np.testing.assert_array_equal(step[0], other[0].ravel())
    np.testing.assert_array_equal(
        env.get_wrapper_attr("action_masks")(), plain.unwrapped.action_masks()
    )


# From Python 3.12, forks of a process with threads give a warning, and this process has threads.
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("name", ["dominoes175"], scope="session")
def test_gymnasiums_vectors_work_after_parallel_kernels(game):
    batch = boardenvs.BatchEnv(game, 2048, 0, threads=2)
    batch.step(batch.action_mask.argmax(1))

    def make():
        return gymnasium.make(env_id(game.name))

    synchronous, asynchronous = SyncVectorEnv([make] * 2), AsyncVectorEnv([make] * 2)
    singles = [make(), make()]
    try:
        start = synchronous.reset(seed=[5, 6])
        assert equal(start, asynchronous.reset(seed=[5, 6]))
        for i, single in enumerate(singles):
            observation, info = single.reset(seed=5 + i)
            np.testing.assert_array_equal(start[0][i], observation)
            np.testing.assert_array_equal(start[1]["action_mask"][i], info["action_mask"])
        masks = start[1]["action_mask"]
        for _ in range(60):
            actions = masks.argmax(1)
            step = synchronous.step(actions)
            assert equal(step, asynchronous.step(actions))
            masks = step[4]["action_mask"]
    finally:
        synchronous.close()
        asynchronous.close()
