"""Autoreset of the vector environment at the end of a game."""

import copy
import itertools

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from vector_play import OPPONENTS, choose, rollout

import boardenvs
from boardenvs.envs.vector import SeatVectorEnv


def test_same_step_masks_belong_to_the_new_positions(game):
    envs = SeatVectorEnv(32, game, illegal="raise")
    returned = rollout(envs, envs.reset(seed=0), 250)
    ended = 0
    for step in returned[1:]:
        assert step[4]["action_mask"].any(1).all()
        over = step[2] | step[3]
        ended += over.sum()
        assert ("final_obs" in step[4]) == over.any()
        assert not step[1][~over].any()
        if over.any():
            np.testing.assert_array_equal(step[4]["_final_obs"], over)
            np.testing.assert_array_equal(step[4]["_final_info"], over)
            final = step[4]["final_info"]
            assert not final["action_mask"][over].any()
            for i in np.flatnonzero(over):
                assert step[4]["final_obs"][i] in envs.single_observation_space
    assert ended > 32


def test_next_step_ignores_the_action_and_gives_no_reward(game):
    # An illegal action would raise if it were played.
    envs = SeatVectorEnv(8, game, illegal="raise", autoreset_mode="NextStep")
    observations, infos = envs.reset(seed=0)
    done = np.zeros(8, bool)
    restarts = 0
    for k in itertools.count():
        if k >= 100 and restarts > 8:
            break
        actions = choose(infos["action_mask"], k)
        actions[done] = k % game.num_actions
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert "final_obs" not in infos
        assert not rewards[done].any()
        assert not (terminated | truncated)[done].any()
        assert infos["action_mask"][done].any(1).all()
        if game.num_players == 1 and not game.has_chance:
            np.testing.assert_array_equal(
                observations[done], np.repeat(game.observe(game.new(1, 0), 0), done.sum(), 0)
            )
        restarts += done.sum()
        done = terminated | truncated
        assert not infos["action_mask"][done].any()
        assert infos["action_mask"][~done].any(1).all()


def test_disabled_waits_for_a_reset(game):
    envs = SeatVectorEnv(4, game, autoreset_mode=AutoresetMode.DISABLED)
    observations, infos = envs.reset(seed=0)
    over = np.zeros(4, bool)
    for k in itertools.count():
        if over.any():
            break
        step = envs.step(choose(infos["action_mask"], k))
        over, infos = step[2] | step[3], step[4]
    assert "final_obs" not in infos
    assert not infos["action_mask"][over].any()
    actions = choose(infos["action_mask"], 0)
    twin = copy.deepcopy(envs)
    for _ in range(2):
        with pytest.raises(ValueError, match=f"game {over.argmax()}.*reset"):
            envs.step(actions)
    options = {"reset_mask": over}
    observations, infos = envs.reset(options=options)
    assert options == {"reset_mask": over}
    np.testing.assert_array_equal(observations[~over], step[0][~over])
    np.testing.assert_array_equal(infos["action_mask"][~over], step[4]["action_mask"][~over])
    assert infos["action_mask"].any(1).all()
    # The unfinished games continue as without the reset.
    twin.reset(seed=77, options=options)
    ours = envs.step(choose(infos["action_mask"], 1))
    theirs = twin.step(choose(infos["action_mask"], 1) * ~over)
    np.testing.assert_array_equal(ours[0][~over], theirs[0][~over])


def test_disabled_requires_a_reset_of_every_finished_game(game):
    envs = SeatVectorEnv(2, game, autoreset_mode=AutoresetMode.DISABLED, seat=0)
    masks = envs.reset(seed=[3, 3])[1]["action_mask"]
    over = np.zeros(2, bool)
    for k in itertools.count():
        if over.any():
            break
        step = envs.step(choose(masks, k))
        over, masks = step[2] | step[3], step[4]["action_mask"]
    assert over.all()  # equal seeds give equal games
    infos = envs.reset(options={"reset_mask": np.array([True, False])})[1]
    np.testing.assert_array_equal(infos["action_mask"].any(1), [True, False])
    with pytest.raises(ValueError, match="game 1 "):
        envs.step(choose(infos["action_mask"], 0))


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("state", [False, True])
def test_games_do_not_depend_on_the_resets_of_others(game, opponent, state):
    """Masked resets without a seed, in two orders, and with fewer environments."""

    def games(num, masks):
        envs = SeatVectorEnv(num, game, OPPONENTS[opponent](game), autoreset_mode="Disabled")
        envs.reset(seed=5)
        position = {"state": game.to_dict(game.new(1, 0)[0])} if state else {}
        if state:
            position["state"].pop("rng", None)
        for mask in masks:
            envs.reset(options={"reset_mask": np.array(mask, bool)[:num], **position})
        before = envs.positions
        return before, *(envs.step(choose(envs.action_masks(), k))[0] for k in range(2))

    here = games(3, [[1, 0, 1], [0, 1, 0], [0, 1, 1]])
    for num, masks in ((3, [[0, 1, 1], [0, 1, 0], [1, 0, 1]]), (2, [[1, 1], [0, 1]])):
        for ours, theirs in zip(here, games(num, masks), strict=True):
            np.testing.assert_array_equal(ours[:num], theirs)


def test_every_masked_reset_starts_another_game():
    envs = SeatVectorEnv(2, "goat_race", autoreset_mode="Disabled")
    streams = []
    for _ in range(3):
        for mask in ([True, False], [False, True]):
            envs.reset(options={"reset_mask": np.array(mask)})
        streams += envs.positions["rng"].tolist()
    assert len(set(streams)) == 6


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_games_that_end_within_a_step_are_reset(game, mode):
    game = boardenvs.make(game.name, max_plies=game.num_players)
    envs = SeatVectorEnv(16, game, autoreset_mode=mode)
    returned = rollout(envs, envs.reset(seed=0), 60)
    ends = np.sum([step[2] | step[3] for step in returned[1:]], 0)
    # Each step plays at least one ply or resets.
    longest = game.max_plies + (mode is AutoresetMode.NEXT_STEP)
    assert (ends >= 60 // longest).all()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_step_before_the_start_is_refused(game, mode):
    envs = SeatVectorEnv(2, game, autoreset_mode=mode)
    with pytest.raises(ValueError, match="reset"):
        envs.step(np.zeros(2, int))
    assert envs.reset(seed=0)[1]["action_mask"].any(1).all()
