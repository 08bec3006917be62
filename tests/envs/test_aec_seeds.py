"""Seeds and copies of the PettingZoo environment."""

import copy
import pickle

import numpy as np
import pytest
from aec_play import play, play_out, snapshot
from gymnasium.utils import seeding

import boardenvs
from boardenvs.core.chance import make_streams


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@pytest.mark.parametrize("plies", [0, 4])
def test_a_copy_of_a_running_game_continues_identically(make_env, game, duplicate, plies):
    env = make_env(render_mode="ansi")
    env.reset(seed=3)
    play(env, plies, np.random.default_rng(0))
    shown, text = snapshot(env), env.render()
    twin = duplicate(env)
    assert type(twin) is type(env)
    assert snapshot(twin) == shown
    assert twin.render() == text
    assert twin.observation_space("player_0") == env.observation_space("player_0")
    # Playing one to its end does not change the other.
    returned = play_out(twin)
    assert snapshot(env) == shown
    assert env.render() == text
    assert play_out(env) == returned
    # Both continue with the same games.
    env.reset()
    twin.reset()
    assert play_out(env) == play_out(twin)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
def test_copies_work_before_the_start_and_after_the_end(make_env, duplicate):
    env = make_env()
    twin = duplicate(env)
    env.reset(seed=1)
    twin.reset(seed=1)
    assert play_out(env) == play_out(twin)
    twin = duplicate(env)
    assert twin.agents == []
    twin.reset(seed=1)
    env.reset(seed=1)
    assert snapshot(env) == snapshot(twin)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**40])
def test_a_seed_gives_the_same_game_in_every_interface(make_env, game, seed):
    env = make_env()
    env.reset(seed=seed)
    record = env.position
    assert record == game.new(1, seed)[0]
    assert record == boardenvs.BatchEnv(game, 5, seed).states[0]


def test_without_a_seed_the_sequence_of_games_continues(make_env):
    def streams(env, resets):
        words = []
        for _ in range(resets):
            env.reset()
            words.append(int(env.position["rng"]))
        return words

    env, twin = make_env(), make_env()
    env.reset(seed=7)
    twin.reset(seed=7)
    words = streams(env, 5)
    assert words == streams(twin, 5)
    assert len({*words, int(make_first(make_env, 7))}) == 6
    assert streams(make_env(), 1) != streams(make_env(), 1)


def test_the_sequence_follows_gymnasiums_generator(make_env, game):
    env = make_env()
    env.reset(seed=7)
    rng, _ = seeding.np_random(7)
    for _ in range(3):
        env.reset()
        word = rng.integers(0, 2**64, dtype=np.uint64)
        assert env.position == game.arrays.new(make_streams(word, 1))[0]


def make_first(make_env, seed):
    env = make_env()
    env.reset(seed=seed)
    return env.position["rng"]
