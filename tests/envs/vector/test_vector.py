"""The native vector environment: N games with one own seat each."""

import copy
import itertools

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from players import Last, other_seats
from random_play import equal
from vector_play import choose

from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv
from boardenvs.registration import env_id


@pytest.mark.parametrize("mode", AutoresetMode)
def test_spaces_and_metadata_are_those_of_the_game(game, mode):
    envs = SeatVectorEnv(3, game, autoreset_mode=mode)
    single = SeatEnv(game)
    assert envs.num_envs == 3
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    assert envs.observation_space.shape == (3, *game.observation_shape)
    assert envs.action_space == spaces.MultiDiscrete([game.num_actions] * 3)
    assert envs.metadata["autoreset_mode"] is mode
    assert set(envs.metadata["render_modes"]) == set(single.metadata["render_modes"])
    assert SeatVectorEnv(3, game, autoreset_mode=mode.value).metadata["autoreset_mode"] is mode
    assert SeatVectorEnv(3, game).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasium_makes_the_vector(game, mode):
    envs = gymnasium.make_vec(
        env_id(game.name),
        num_envs=4,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        opponent=other_seats(game, Last(game)),
        seat=0,
        illegal="raise",
    )
    twin = SeatVectorEnv(4, game, other_seats(game, Last(game)), 0, "raise", autoreset_mode=mode)
    assert type(envs) is SeatVectorEnv
    start = envs.reset(seed=0)
    assert equal(start, twin.reset(seed=0))
    assert equal(
        envs.step(choose(start[1]["action_mask"], 0)),
        twin.step([*map(int, choose(start[1]["action_mask"], 0))]),
    )


def test_arrays_have_the_documented_shapes_and_dtypes(game):
    envs = SeatVectorEnv(3, game)
    observation, infos = envs.reset(seed=0)
    assert observation in envs.observation_space
    assert observation.dtype == np.int8
    step = envs.step(choose(infos["action_mask"], 0))
    assert step[0] in envs.observation_space
    assert [(a.shape, a.dtype) for a in step[1:4]] == [
        ((3,), np.float64),
        ((3,), np.bool_),
        ((3,), np.bool_),
    ]
    for info in (infos, step[4]):
        assert info["action_mask"].shape == (3, game.num_actions)
        assert info["action_mask"].dtype == np.int8
        assert info["seat"].shape == (3,)
        assert info["seat"].dtype == np.int64
        assert info["_action_mask"].all()
        assert info["_seat"].all()
        own = game.info(game.new(1, 0)[0])
        assert {"action_mask", "seat", *own} <= set(info)
    assert envs.action_masks().dtype == np.bool_
    np.testing.assert_array_equal(envs.action_masks(), step[4]["action_mask"])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_step_arrays_agrees_with_step(game, mode):
    envs, twins = (SeatVectorEnv(7, game, autoreset_mode=mode) for _ in range(2))
    for each in (envs, twins):
        each.reset(seed=3)
    for _ in range(40):
        actions = envs.action_masks().argmax(1)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        stepped = twins.step_arrays(actions)
        np.testing.assert_array_equal(stepped.seen, seen)
        np.testing.assert_array_equal(stepped.masks, infos["action_mask"])
        np.testing.assert_array_equal(stepped.rewards, rewards)
        np.testing.assert_array_equal(stepped.terminated, terminated)
        np.testing.assert_array_equal(stepped.truncated, truncated)
        over = terminated | truncated
        last = game.observe(stepped.last, stepped.last_seats)
        if mode is AutoresetMode.SAME_STEP:
            assert stepped.ended.tolist() == np.flatnonzero(over).tolist()
            for row, k in zip(last, stepped.ended, strict=True):
                np.testing.assert_array_equal(row, infos["final_obs"][k])
        else:
            assert len(stepped.ended) == 0
        if mode is AutoresetMode.DISABLED and over.any():
            for each in (envs, twins):
                each.reset(options={"reset_mask": over})


def arrays(returned):
    """Return every array in a call's result."""
    if isinstance(returned, np.ndarray):
        return [returned]
    if isinstance(returned, dict):
        returned = tuple(returned.values())
    return [a for part in returned for a in arrays(part)] if isinstance(returned, tuple) else []


@pytest.mark.parametrize("mode", AutoresetMode)
def test_every_step_returns_new_arrays(game, mode):
    envs, twin = (SeatVectorEnv(6, game, autoreset_mode=mode) for _ in "ab")
    returned, kept = [envs.reset(seed=0)], [twin.reset(seed=0)]
    copies = [copy.deepcopy(returned[0])]
    for k in range(30):
        actions = choose(copies[-1][-1]["action_mask"], k)
        for array in arrays(kept[-1]):  # overwriting returned arrays changes nothing
            array[...] = None if array.dtype == object else 1
        twin.action_masks()[...] = True
        over = np.zeros(6, bool) if k == 0 else copies[-1][2] | copies[-1][3]
        if mode is AutoresetMode.DISABLED and over.any():
            break
        returned.append(envs.step(actions))
        copies.append(copy.deepcopy(returned[-1]))
        kept.append(twin.step(actions))
        assert equal(kept[-1], returned[-1])
    envs.reset()
    assert len(returned) > 2
    assert all(map(equal, returned, copies))  # later steps do not change earlier arrays


def test_every_game_is_rendered(game, capsys):
    envs = SeatVectorEnv(3, game, render_mode="ansi")
    single = SeatEnv(game, render_mode="ansi")
    seeds = [4, 5, 6]
    envs.reset(seed=seeds)
    texts = []
    for seed in seeds:
        single.reset(seed=seed)
        texts.append(single.render())
    assert envs.render() == tuple(texts)
    envs = SeatVectorEnv(3, game, render_mode="human")
    envs.reset(seed=seeds)
    capsys.readouterr()
    assert envs.render() is None
    printed = capsys.readouterr().out
    assert all(text in printed for text in texts)
    with pytest.raises(ValueError, match="render_mode"):
        SeatVectorEnv(3, game, render_mode="rgb")
    envs = SeatVectorEnv(3, game)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="render_mode"):
        envs.render()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_episode_statistics_work(game, mode):
    envs = RecordEpisodeStatistics(SeatVectorEnv(6, game, autoreset_mode=mode))
    masks = envs.reset(seed=0)[1]["action_mask"]
    # Only the first games, because Gymnasium 1.2 counts a step too few in later ones in
    # `SAME_STEP`.
    first = np.ones(6, bool)
    for k in itertools.count():
        if not first.any():
            break
        _, rewards, terminated, truncated, infos = envs.step(choose(masks, k))
        masks = infos["action_mask"]
        over = terminated | truncated
        for i in np.flatnonzero(first & over):
            assert infos["_episode"][i]
            assert infos["episode"]["r"][i] == rewards[i]
            assert infos["episode"]["l"][i] == k + 1
        first &= ~over
        if mode is AutoresetMode.DISABLED and over.any():
            masks = envs.reset(options={"reset_mask": over})[1]["action_mask"]


def test_gymnasiums_list_of_infos_works(game):
    envs = DictInfoToList(SeatVectorEnv(2, game))
    _, infos = envs.reset(seed=0)
    assert len(infos) == 2
    for info in infos:
        assert info["action_mask"].shape == (game.num_actions,)
        assert info["seat"] in range(game.num_players)
