"""Seeds and copies of the single-seat environment."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from players import Last, other_seats
from random_play import equal
from single_play import play_out

from boardenvs.envs.single import SeatEnv
from boardenvs.registration import env_id


def test_a_seed_determines_the_game(game):
    env, twin = SeatEnv(game), SeatEnv(game)
    for seed in range(5):
        start = env.reset(seed=seed)
        assert equal(start, twin.reset(seed=seed))
        mask = start[1]["action_mask"]
        assert all(map(equal, play_out(env, mask), play_out(twin, mask)))
        # The following games are equal too.
        for _ in range(3):
            start = env.reset()
            assert equal(start, twin.reset())
            mask = start[1]["action_mask"]
            assert all(map(equal, play_out(env, mask), play_out(twin, mask)))


def test_other_seeds_give_other_games(versus):
    env = SeatEnv(versus, seat=0)
    games = set()
    for seed in range(10):
        mask = env.reset(seed=seed)[1]["action_mask"]
        games.add(b"".join(step[0].tobytes() for step in play_out(env, mask)))
    assert len(games) == 10
    streams = set()
    for _ in range(10):  # without a seed, seeds are random
        env = SeatEnv(versus)
        env.reset()
        streams.add(int(env.position["rng"]))
    assert len(streams) == 10


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@pytest.mark.parametrize("opponent", ["random", "object"])
def test_a_copy_of_a_running_game_continues_identically(game, duplicate, opponent):
    env = gymnasium.make(
        env_id(game.name),
        opponent="random" if opponent == "random" else other_seats(game, Last(game)),
        render_mode="ansi",
    )
    _, info = env.reset(seed=3)
    _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
    assert terminated is truncated is False
    twin = duplicate(env)
    state, text, mask = env.unwrapped.position, env.render(), info["action_mask"]
    assert twin.unwrapped.position == state
    assert twin.render() == text
    np.testing.assert_array_equal(twin.unwrapped.action_masks(), mask)
    returned = play_out(twin, mask)
    assert env.unwrapped.position == state
    assert env.render() == text
    assert all(map(equal, play_out(env, mask), returned))
    assert equal(env.reset(), twin.reset())
    assert equal(env.reset(), twin.reset())


@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_a_seed_gives_the_same_game_in_every_interface(game, seed):
    env = SeatEnv(game, record_episode=True)
    env.reset(seed=seed)
    assert env.episode.states()[0] == game.new(1, seed)[0]


@pytest.mark.parametrize("opponent", ["random", "object"])
def test_recording_a_game_does_not_change_it(game, opponent):
    params = {"opponent": "random" if opponent == "random" else other_seats(game, Last(game))}
    env = gymnasium.make(env_id(game.name), record_episode=True, **params)
    twin = gymnasium.make(env_id(game.name), **params)
    for seed in range(5):
        start = env.reset(seed=seed)
        assert equal(start, twin.reset(seed=seed))
        mask = start[1]["action_mask"]
        assert all(map(equal, play_out(env, mask), play_out(twin, mask)))
        assert env.unwrapped.position == twin.unwrapped.position
        assert env.unwrapped.episode.states()[-1] == env.unwrapped.position
    with pytest.raises(ValueError, match="record_episode"):
        _ = twin.unwrapped.episode
