"""Games are equal for all batch sizes, and copies of the vector environment continue equally."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from random_play import equal
from vector_play import OPPONENTS, choose, rollout, rows

import boardenvs
from boardenvs.core.chance import make_streams
from boardenvs.core.loops import LEAVE
from boardenvs.envs.seat_batch import SeatBatch
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_games_do_not_depend_on_the_number_of_games(game, opponent, mode):
    def returned(num, threads=None):
        envs = SeatVectorEnv(
            num, game, OPPONENTS[opponent](game), autoreset_mode=mode, threads=threads
        )
        return rollout(envs, envs.reset(seed=9), 40)

    large = returned(1024)
    assert any(step[2].any() for step in large[1:])  # games end and restart
    for num in (1, 7):
        assert rows(returned(num), num) == rows(large, num)
    for threads in (1, 3):
        assert rows(returned(1024, threads), 1024) == rows(large, 1024)
    assert rows(returned(7, 2), 7) == rows(large, 7)


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_the_first_game_agrees_with_the_single_environment(game, opponent, seed):
    env = SeatEnv(game, OPPONENTS[opponent](game))
    envs = SeatVectorEnv(5, game, OPPONENTS[opponent](game), autoreset_mode="Disabled")
    observation, info = env.reset(seed=seed)
    observations, infos = envs.reset(seed=seed)
    for k in itertools.count():
        np.testing.assert_array_equal(observations[0], observation)
        assert infos["action_mask"][0].tolist() == info["action_mask"].tolist()
        assert infos["seat"][0] == info["seat"]
        actions = choose(infos["action_mask"], k)
        observation, reward, terminated, truncated, info = env.step(actions[0])
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards[0] == reward
        assert terminations[0] == terminated
        assert truncations[0] == truncated
        if terminated or truncated:
            np.testing.assert_array_equal(observations[0], observation)
            assert not infos["action_mask"][0].any()
            break
        over = terminations | truncations
        if over.any():
            observations, infos = envs.reset(options={"reset_mask": over})


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_vector_agrees_with_gymnasiums_vector_of_single_environments(game, opponent, mode):
    """Equal seeds give equal results until a game ends, and an equal structure throughout.

    With `DISABLED`, every game gets a seed and all results are equal.
    """

    def make():
        return SeatEnv(game, OPPONENTS[opponent](game))

    num = 4
    envs = SeatVectorEnv(num, game, OPPONENTS[opponent](game), autoreset_mode=mode)
    sync = SyncVectorEnv([make] * num, autoreset_mode=mode)
    seeds = [3, 1, 4, 1]
    start = envs.reset(seed=seeds)
    assert equal(start, sync.reset(seed=seeds))
    masks = start[1]["action_mask"]
    first = np.ones(num, bool)  # only the first games have the same seeds
    for k in range(80):
        actions = choose(masks, k)
        ours, theirs = envs.step(actions), sync.step(actions)
        masks = ours[4]["action_mask"].copy()
        over = theirs[2] | theirs[3]
        comparable = first & ~over if mode is AutoresetMode.SAME_STEP else first
        for one, other in zip(ours[:4], theirs[:4], strict=True):
            assert one.shape == other.shape
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one[comparable], other[comparable])
        for one, other in zip(ours[1:4], theirs[1:4], strict=True):
            np.testing.assert_array_equal(one[first], other[first])
        if (ours[2] | ours[3]).any() == over.any():
            assert ours[4].keys() == theirs[4].keys()
        for key, array in theirs[4].items():
            if "final" not in key:
                assert ours[4][key].dtype == array.dtype
                np.testing.assert_array_equal(ours[4][key][comparable], array[comparable])
        ended = first & over
        if ended.any() and mode is AutoresetMode.SAME_STEP:
            assert type(ours[4]["final_info"]) is dict
            assert ours[4]["final_info"].keys() == theirs[4]["final_info"].keys()
            assert ours[4]["final_obs"].dtype == theirs[4]["final_obs"].dtype == object
            for i in np.flatnonzero(ended):
                assert ours[4]["_final_obs"][i]
                assert ours[4]["_final_info"][i]
                one, other = ours[4]["final_obs"][i], theirs[4]["final_obs"][i]
                assert data_equivalence(one, other, exact=True)
                for key, array in theirs[4]["final_info"].items():
                    assert data_equivalence(ours[4]["final_info"][key][i], array[i], exact=True)
            for i in np.flatnonzero(~(ours[2] | ours[3])):
                assert ours[4]["final_obs"][i] is None
                assert not ours[4]["_final_obs"][i]
                assert not ours[4]["_final_info"][i]
        if mode is AutoresetMode.DISABLED:
            if over.any():
                seeds = [k + 10 * i for i in range(num)]
                ours = envs.reset(seed=seeds, options={"reset_mask": over})
                theirs = sync.reset(seed=seeds, options={"reset_mask": over.copy()})
                np.testing.assert_array_equal(ours[0], theirs[0])
                mine = ours[1]["action_mask"]
                np.testing.assert_array_equal(mine[over], theirs[1]["action_mask"][over])
                masks = mine.copy()
        else:
            first &= ~over
    assert mode is AutoresetMode.DISABLED or not first.all()


def test_a_list_of_seeds_has_one_for_each_game(game):
    seeds = [5, 0, 5, 2**33]
    envs = SeatVectorEnv(4, game)
    observations, infos = envs.reset(seed=seeds)
    again = SeatVectorEnv(4, game).reset(seed=np.array(seeds))
    assert equal((observations, infos), again)
    for i, seed in enumerate(seeds):
        env = SeatEnv(game)
        observation, info = env.reset(seed=seed)
        assert envs.positions[i] == env.position
        np.testing.assert_array_equal(observations[i], observation)
        np.testing.assert_array_equal(infos["action_mask"][i], info["action_mask"])
        assert infos["seat"][i] == info["seat"]


def test_a_seed_determines_the_following_games(game):
    for seed in (7, [7, 8, 9]):
        envs, twin = SeatVectorEnv(3, game), SeatVectorEnv(3, game)
        for env in (envs, twin):
            env.reset(seed=seed)
        returned = [rollout(env, env.reset(), 30) for env in (envs, twin)]
        assert all(map(equal, *returned))


def test_the_games_of_a_batch_differ(versus):
    envs = SeatVectorEnv(200, versus, seat=0)
    returned = rollout(envs, envs.reset(seed=0), 3)
    assert len(np.unique(returned[-1][0].reshape(200, -1), axis=0)) > 20
    # Without a seed, seeds are random.
    ends = [rollout(e, e.reset(), 3)[-1][0] for e in (SeatVectorEnv(200, versus) for _ in "ab")]
    assert (ends[0] != ends[1]).any()


def test_a_random_seat_varies_and_a_fixed_seat_stays(game):
    envs = SeatVectorEnv(100, game)
    returned = rollout(envs, envs.reset(seed=0), 40)
    for step in (returned[0], returned[-1]):
        assert set(step[-1]["seat"]) == set(range(game.num_players))
    for seat in range(game.num_players):
        envs = SeatVectorEnv(10, game, seat=seat)
        returned = rollout(envs, envs.reset(seed=0), 40)
        assert all((step[-1]["seat"] == seat).all() for step in returned)


@pytest.mark.parametrize("follow_on", [False, True])
def test_the_compiled_loop_agrees_with_asking_each_random_opponent(game, follow_on):
    """A compiled loop of random opponents gives the same as asking each, as when recording."""
    num = 30
    short = boardenvs.make(game.name, max_plies=2 * game.num_players)
    for rules in (game, short):
        words = make_streams(np.uint64(4), num)
        tables = []
        for record in (False, True):
            batch = SeatBatch(
                rules, num, "random", "random", "lose", 2, follow_on=follow_on, record=record
            )
            batch.reset(rules.arrays.new(words), words, np.ones(num, np.bool_), retry=True)
            tables.append(batch)
        one, other = tables
        masks = one.games.masks
        for k in range(40):
            actions = choose(masks, k)
            actions[:: k + 2] = k % game.num_actions  # including illegal actions
            if not follow_on:
                actions[one.over()] = LEAVE
            returned = [batch.play(actions) for batch in tables]
            assert equal(*returned)
            masks = returned[0].masks
            for array in ("states", "masks", "seats", "seen"):
                assert np.array_equal(getattr(one.games, array), getattr(other.games, array))
            assert len(returned[0].ended) == 0 or follow_on
            assert one.over().any() <= (not follow_on)


@pytest.mark.parametrize("record", [False, True])
def test_games_that_always_end_before_the_learners_turn_are_refused(record):
    """Environments raise if the other seat ends every game with its first ply."""
    game = boardenvs.make("game112")
    game.constants["max_plies"] = 1
    words = make_streams(np.uint64(0), 3)
    batch = SeatBatch(game, 3, "random", 1, "lose", follow_on=True, record=record)
    states = game.arrays.new(words)
    states["to_move"] = 1
    batch.reset(states, words, np.ones(3, np.bool_), retry=False)
    with pytest.raises(ValueError, match="1000 games in a row"):
        batch.play(np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="reset"):
        batch.play(np.array([0, 1, 2]))


def pickled(envs):
    return pickle.loads(pickle.dumps(envs))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled])
@pytest.mark.parametrize("opponent", ["random", "list"])
def test_a_copy_of_running_games_continues_identically(game, duplicate, opponent):
    envs = SeatVectorEnv(6, game, OPPONENTS[opponent](game), render_mode="ansi")
    start = rollout(envs, envs.reset(seed=0), 4)[-1]
    texts = envs.render()
    twin = duplicate(envs)
    assert twin.render() == texts
    np.testing.assert_array_equal(twin.action_masks(), start[-1]["action_mask"])
    returned = rollout(twin, start, 60)
    assert envs.render() == texts
    assert all(map(equal, rollout(envs, start, 60), returned))
    assert equal(envs.reset(), twin.reset())
