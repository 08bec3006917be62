"""Many games as one Stable-Baselines3 environment."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from players import other_seats
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

import agents
import boardenvs
from agents.training.vec_env import SB3VecEnv
from boardenvs.envs.vector import SeatVectorEnv


def weights(model):
    return model.policy.state_dict()


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


@pytest.fixture
def joined(game):
    greedy = other_seats(game, agents.make("greedy", game, seed=0))
    return SB3VecEnv([SeatVectorEnv(3, game), SeatVectorEnv(5, game, opponent=greedy)], seed=1)


def legal_actions(env, rng):
    masks = env.action_masks()
    return np.argmax(rng.random(masks.shape) * masks, 1)


def test_arrays_have_the_documented_shapes_and_types(joined, game):
    assert joined.num_envs == 8
    assert joined.action_space == gymnasium.spaces.Discrete(game.num_actions)
    assert joined.observation_space.shape == game.observation_shape
    observation = joined.reset()
    assert observation.shape == (8, *game.observation_shape)
    assert observation.dtype == joined.observation_space.dtype == np.int8
    masks = joined.action_masks()
    assert masks.shape == (8, game.num_actions)
    assert masks.dtype == np.bool_
    observation, reward, done, infos = joined.step(legal_actions(joined, np.random.default_rng(0)))
    assert observation.shape == (8, *game.observation_shape)
    assert (reward.shape, reward.dtype) == ((8,), np.float32)
    assert (done.shape, done.dtype) == ((8,), np.bool_)
    assert len(infos) == 8


def test_the_joined_environment_agrees_with_its_parts(game):
    def make():
        return [SeatVectorEnv(3, game), SeatVectorEnv(5, game)]

    env, parts = SB3VecEnv(make(), seed=11), make()
    expected = [part.reset(seed=11 + k)[0] for k, part in enumerate(parts)]
    np.testing.assert_array_equal(env.reset(), np.concatenate(expected))
    rng = np.random.default_rng(0)
    ended = 0
    while ended <= 10:
        actions = legal_actions(env, rng)
        observation, reward, done, infos = env.step(actions)
        stepped = [part.step(a) for part, a in zip(parts, (actions[:3], actions[3:]), strict=True)]
        np.testing.assert_array_equal(observation, np.concatenate([s[0] for s in stepped]))
        np.testing.assert_array_equal(reward, np.concatenate([s[1] for s in stepped]))
        np.testing.assert_array_equal(done, np.concatenate([s[2] | s[3] for s in stepped]))
        masks = np.concatenate([s[4]["action_mask"] for s in stepped])
        np.testing.assert_array_equal(env.action_masks(), masks)
        for i in np.flatnonzero(done):
            info = stepped[0][4] if i < 3 else stepped[1][4]
            final = info["final_obs"][i if i < 3 else i - 3]
            np.testing.assert_array_equal(infos[i]["terminal_observation"], final)
            ended += 1


def test_infos_of_ended_games_have_the_final_observation(joined):
    rng = np.random.default_rng(0)
    observation = joined.reset()
    lengths = np.zeros(8, int)
    episodes = 0
    while episodes <= 8:
        before = observation
        observation, reward, done, infos = joined.step(legal_actions(joined, rng))
        lengths += 1
        for i, info in enumerate(infos):
            if not done[i]:
                assert info == {}
                assert reward[i] == 0
                continue
            episodes += 1
            assert info.keys() == {"terminal_observation", "TimeLimit.truncated", "episode"}
            assert info["TimeLimit.truncated"] is False
            assert info["episode"]["r"] == reward[i]
            assert info["episode"]["l"] == lengths[i]
            assert info["episode"]["t"] >= 0
            assert (info["terminal_observation"] != before[i]).any()
            lengths[i] = 0


def test_a_truncated_game_is_marked_for_bootstrapping():
    env = SB3VecEnv([SeatVectorEnv(4, boardenvs.make("gekitai", max_plies=4), seat=0)], seed=0)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(2):
        _, reward, done, infos = env.step(legal_actions(env, rng))
    assert done.all()
    assert not reward.any()
    assert [info["TimeLimit.truncated"] for info in infos] == [True] * 4
    assert [info["episode"]["l"] for info in infos] == [2] * 4


def test_changes_of_infos_do_not_reach_the_next_step(joined):
    rng = np.random.default_rng(0)
    joined.reset()
    infos = joined.step(legal_actions(joined, rng))[-1]
    for k, info in enumerate(infos):
        info["mine"] = k
    later = joined.step(legal_actions(joined, rng))[-1]
    assert [info["mine"] for info in infos] == [*range(8)]
    assert not any("mine" in info for info in later)


@pytest.mark.parametrize(
    ("envs", "listeners", "said"),
    [
        (list, {}, r"^envs .*without wrappers, got \[\]"),
        (lambda: SeatVectorEnv(2, "game112"), {}, "^envs must be a list .*, got Seat"),
        (
            lambda: [RecordEpisodeStatistics(SeatVectorEnv(2, "game112"))],
            {},
            "^envs .*without wrappers, got .*RecordEpisode",
        ),
        (
            lambda: [SeatVectorEnv(2, "game112", autoreset_mode=AutoresetMode.NEXT_STEP)],
            {},
            "^envs .*SAME_STEP.*, got .*NEXT_STEP",
        ),
        (
            lambda: [SeatVectorEnv(2, name) for name in ("game112", "gekitai")],
            {},
            "^envs .*one game, got Game112.* and Gekitai",
        ),
        (lambda: [SeatVectorEnv(2, "game112")], {1: print}, "index of listeners .*, got 1"),
    ],
)
def test_environments_that_cannot_be_joined_are_refused(envs, listeners, said, refused):
    with refused(said):
        SB3VecEnv(envs(), listeners=listeners)


def test_masks_are_available_to_maskable_ppo(joined, game):
    joined.reset()
    assert is_masking_supported(joined)
    assert joined.has_attr("action_masks")
    np.testing.assert_array_equal(get_action_masks(joined), joined.action_masks())
    some = joined.env_method("action_masks", indices=[6, 1])
    np.testing.assert_array_equal(some, joined.action_masks()[[6, 1]])
    np.testing.assert_array_equal(
        joined.env_method("action_masks", indices=2), joined.action_masks()[[2]]
    )
    assert joined.action_masks().shape == (joined.num_envs, game.num_actions)
    assert joined.action_masks().any(1).all()


@pytest.mark.parametrize("turned", [False, True])
def test_bad_actions_are_refused_before_any_game_is_played(turned):
    game = boardenvs.make("gekitai")
    views = game.symmetries() if turned else None
    env = SB3VecEnv([SeatVectorEnv(3, game), SeatVectorEnv(5, game)], seed=1, views=views)
    env.reset()
    before = [one.positions for one in env.envs]
    for actions, said in (
        ([0] * 9, "actions must be 8"),
        ([0] * 7, "actions must be 8"),
        ([0.0] * 8, "actions must be 8"),
        ([-1] * 8, "action.* -1"),
        ([0] * 7 + [game.num_actions], f"action.* {game.num_actions}"),
    ):
        with pytest.raises(ValueError, match=said):
            env.step(actions)
    assert all(
        np.array_equal(one.positions, old) for one, old in zip(env.envs, before, strict=True)
    )


def test_unsupported_methods_and_attributes_raise(joined):
    with pytest.raises(AttributeError, match=r"method_name .*got 'close'"):
        joined.env_method("close")
    with pytest.raises(AttributeError, match=r"set_attr .*got 'seat'"):
        joined.set_attr("seat", 1)
    with pytest.raises(AttributeError):
        joined.get_attr("no_such_thing")
    assert not joined.has_attr("no_such_thing")
    assert joined.get_attr("num_envs") == [3] * 3 + [5] * 5
    assert joined.get_attr("num_envs", [0, 7]) == [3, 5]
    assert joined.env_is_wrapped(gymnasium.Wrapper) == [False] * 8
    joined.close()


def test_seed_determines_the_games(game):
    def played(env):
        seen = [env.reset()]
        rng = np.random.default_rng(0)
        seen += [env.step(legal_actions(env, rng))[0] for _ in range(12)]
        return np.array(seen)

    def make(seed):
        return SB3VecEnv([SeatVectorEnv(6, game), SeatVectorEnv(6, game)], seed)

    one, again, other = played(make(5)), played(make(5)), played(make(6))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
    assert (one[:, :6] != one[:, 6:]).any()
    env = make(None)
    env.seed(5)
    np.testing.assert_array_equal(played(env), one)
    assert (played(env) != one).any()  # the seed applies only to the first reset


def test_maskable_ppo_trains_on_it_and_never_moves_illegally(game):
    env = SB3VecEnv([SeatVectorEnv(4, game, illegal="raise")], seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, seed=0, device="cpu")
    before = {k: v.clone() for k, v in model.policy.state_dict().items()}
    model.learn(256)
    assert model.num_timesteps == 256
    assert not equal(before, model.policy.state_dict())
    assert len(model.ep_info_buffer) > 0
