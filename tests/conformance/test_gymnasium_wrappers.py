"""Gymnasium's wrappers, compared with a plain environment that plays the same game."""

from __future__ import annotations

from collections import deque

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector

from boardenvs.registration import env_id


def make(name, **arguments):
    return gymnasium.make(env_id(name), illegal="raise", **arguments)


def played_beside(env, plain, seed=0):
    """Play one game in both; yield (observation, reward, over, info) of each at every step."""
    rng = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    raw, raw_info = plain.reset(seed=seed)
    yield (seen, 0.0, False, info), (raw, 0.0, False, raw_info)
    over = False
    while not over:
        assert seen in env.observation_space
        masks = env.get_wrapper_attr("action_masks")()
        np.testing.assert_array_equal(masks, raw_info["action_mask"])
        action = rng.choice(np.flatnonzero(masks))
        seen, reward, terminated, truncated, info = env.step(action)
        raw, raw_reward, raw_terminated, raw_truncated, raw_info = plain.step(action)
        over = terminated or truncated
        assert over == (raw_terminated or raw_truncated)
        yield (seen, reward, over, info), (raw, raw_reward, over, raw_info)


def test_observations_can_be_flattened_and_converted(name):
    env = wrappers.DtypeObservation(wrappers.FlattenObservation(make(name)), np.float32)
    assert env.observation_space.dtype == np.float32
    for (seen, *_), (raw, *_) in played_beside(env, make(name)):
        np.testing.assert_array_equal(seen, raw.ravel())
        assert seen.dtype == np.float32


def test_observations_can_be_stacked(name):
    env = wrappers.FrameStackObservation(make(name), 3)
    last: deque = deque(maxlen=3)
    for (seen, *_), (raw, *_) in played_beside(env, make(name)):
        last.extend([raw] * (3 if not last else 1))
        np.testing.assert_array_equal(seen, last)


def test_episode_statistics_are_recorded(name):
    for seed in range(3):
        env = wrappers.RecordEpisodeStatistics(make(name))
        steps = list(played_beside(env, make(name), seed))
        (_, reward, _, info), _ = steps[-1]
        assert info["episode"]["r"] == reward
        assert info["episode"]["l"] == len(steps) - 1


def test_observations_can_include_the_time(name):
    env = wrappers.TimeAwareObservation(make(name, max_episode_steps=1000), flatten=False)
    plain = make(name, max_episode_steps=1000)
    for k, ((seen, *_), (raw, *_)) in enumerate(played_beside(env, plain)):
        np.testing.assert_array_equal(seen["obs"], raw)
        assert seen["time"] == pytest.approx(k / 1000) or seen["time"] == k


def test_observations_can_be_normalised(name):
    env = wrappers.NormalizeObservation(make(name))
    steps = list(played_beside(env, make(name)))
    assert all(np.isfinite(seen).all() for (seen, *_), _ in steps)
    assert any((seen != raw).any() for (seen, *_), (raw, *_) in steps)


def test_rewards_can_be_transformed(name):
    env = wrappers.TransformReward(make(name), lambda reward: 3 * reward + 1)
    steps = list(played_beside(env, make(name)))[1:]
    assert all(mine[1] == 3 * raw[1] + 1 for mine, raw in steps)


def test_a_time_limit_truncates():
    env = wrappers.TimeLimit(make("gekitai", seat=0), 2)
    env.reset(seed=0)
    ends = []
    for _ in range(2):
        masks = env.get_wrapper_attr("action_masks")()
        _, _, terminated, truncated, _ = env.step(int(masks.argmax()))
        ends.append((terminated, truncated))
    assert ends == [(False, False), (False, True)]


@pytest.mark.parametrize("wrapper", ["RepeatAction", "StickyAction"])
def test_repeating_actions_plays_illegal_ones(wrapper):
    # The wrapper repeats the same square, so it does not suit these games.
    env = getattr(wrappers, wrapper)(make("gomoku"), 2 if wrapper == "RepeatAction" else 0.99)
    env.reset(seed=0)
    square = int(env.get_wrapper_attr("action_masks")().argmax())
    with pytest.raises(ValueError, match="is illegal"):
        any(env.step(square)[2] for _ in range(3))


VECTOR = {
    "flatten": (vector.FlattenObservation, (), lambda seen: seen.reshape(len(seen), -1)),
    "dtype": (vector.DtypeObservation, (np.float32,), lambda seen: seen.astype(np.float32)),
}


def vectors(name, mode, num=4):
    return gymnasium.make_vec(
        env_id(name),
        num_envs=num,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        illegal="raise",
    )


def drawn(masks, rng):
    """Return a random legal action of each game; 0 in finished games."""
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


@pytest.mark.parametrize("kind", VECTOR)
def test_observations_of_vectors_can_be_wrapped(name, kind):
    wrapper, arguments, expected = VECTOR[kind]
    envs = wrapper(vectors(name, AutoresetMode.NEXT_STEP), *arguments)
    plain = vectors(name, AutoresetMode.NEXT_STEP)
    rng = np.random.default_rng(0)
    seen, info = envs.reset(seed=0)
    raw, _ = plain.reset(seed=0)
    for _ in range(30):
        assert seen in envs.observation_space
        np.testing.assert_array_equal(seen, expected(raw))
        assert seen.dtype == expected(raw).dtype
        actions = drawn(info["action_mask"], rng)
        seen, _, _, _, info = envs.step(actions)
        raw, *_ = plain.step(actions)


@pytest.mark.parametrize("kind", VECTOR)
def test_gymnasium_refuses_to_change_observations_of_the_default_autoreset(kind):
    wrapper, arguments, _ = VECTOR[kind]
    with pytest.raises(ValueError, match="Expected autoreset_mode to be NEXT_STEP or DISABLED"):
        wrapper(vectors("game112", AutoresetMode.SAME_STEP), *arguments)


SINCE = tuple(int(part) for part in gymnasium.__version__.split(".")[:2])


def vector_steps(wrapped, plain, num_steps):
    """Play both; yield the results of the wrapper, of the plain vector, and who played a ply."""
    rng = np.random.default_rng(0)
    mode = plain.autoreset_mode
    wrapped.reset(seed=0)
    masks = plain.reset(seed=0)[1]["action_mask"]
    done = np.zeros(plain.num_envs, bool)
    for _ in range(num_steps):
        if mode is AutoresetMode.DISABLED and done.any():
            for envs in (wrapped, plain):
                infos = envs.reset(options={"reset_mask": done.copy()})[1]
            masks, done = infos["action_mask"], np.zeros_like(done)
        actions = drawn(masks, rng)
        result, expected = wrapped.step(actions), plain.step(actions)
        yield result, expected, ~done
        masks = expected[4]["action_mask"]
        if mode is not AutoresetMode.SAME_STEP:
            done = expected[2] | expected[3]


@pytest.mark.parametrize("mode", AutoresetMode)
def test_episode_statistics_and_rewards_of_vectors_can_be_wrapped(name, mode):
    envs = vector.RecordEpisodeStatistics(vectors(name, mode))
    envs = vector.TransformReward(envs, lambda reward: 2 * reward)
    lengths = np.zeros(4, int)
    ended = wrong = 0
    num_steps = 200 if name == "goat_race" else 60
    for result, expected, played in vector_steps(envs, vectors(name, mode), num_steps):
        lengths += played
        for i in np.flatnonzero(expected[2] | expected[3]):
            assert result[1][i] == 2 * expected[1][i]
            assert result[4]["_episode"][i]
            assert result[4]["episode"]["r"][i] == expected[1][i]
            ended += 1
            wrong += result[4]["episode"]["l"][i] != lengths[i]
            lengths[i] = 0
    assert ended
    # The page on other libraries states it.
    assert bool(wrong) == (mode is AutoresetMode.SAME_STEP and SINCE < (1, 4))


@pytest.mark.parametrize("mode", AutoresetMode)
def test_observations_of_vectors_can_be_normalised_only_in_next_step(mode):
    plain = vectors("gekitai", mode)
    if mode is not AutoresetMode.NEXT_STEP:
        with pytest.raises((ValueError, AssertionError)):
            vector.NormalizeObservation(vectors("gekitai", mode))
        return
    seen = [plain.reset(seed=0)[0].astype(float)]
    for result, expected, _ in vector_steps(
        vector.NormalizeObservation(vectors("gekitai", mode)), vectors("gekitai", mode), 60
    ):
        seen.append(expected[0].astype(float))
        both = np.concatenate(seen)
        normal = (seen[-1] - both.mean(0)) / np.sqrt(both.var(0) + 1e-8)
        np.testing.assert_allclose(result[0], normal, atol=0.05)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_normalised_rewards_of_vectors_carry_a_reward_into_the_next_game(mode):
    envs = vector.NormalizeReward(vectors("gekitai", mode), gamma=1.0)
    first = np.zeros(4, bool)  # whether the next ply is the first of a later game
    carried = []
    for _, expected, played in vector_steps(envs, vectors("gekitai", mode), 100):
        begun = first & played & (expected[1] == 0)
        carried.extend(envs.accumulated_reward[begun] != 0)
        first = (first & ~played) | expected[2] | expected[3]
    since = {AutoresetMode.SAME_STEP: (1, 4), AutoresetMode.DISABLED: (1, 3)}
    carries = mode is AutoresetMode.NEXT_STEP or since[mode] > SINCE
    assert len(carried) > 10
    assert np.mean(carried) > 0.8 if carries else not any(carried)


@pytest.mark.filterwarnings("ignore:.*autoreset mode is same-step:UserWarning")
@pytest.mark.parametrize("mode", AutoresetMode)
def test_videos_of_vectors_have_all_positions_in_next_step(tmp_path, mode):
    pytest.importorskip("moviepy")
    pytest.importorskip("resvg_py")
    shown = gymnasium.make_vec(
        env_id("gekitai"),
        num_envs=4,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
        render_mode="rgb_array",
        render_size=64,
    )
    envs = vector.RecordVideo(
        shown, str(tmp_path / "videos"), episode_trigger=lambda _: True, record_first_only=True
    )
    frames = []

    def stop():
        frames.append(len(envs.recorded_frames))
        envs.recorded_frames, envs.recording, envs._video_name = [], False, None

    envs.stop_recording = stop  # counts pictures and writes no file
    plies, lengths = 0, []
    for _, expected, played in vector_steps(envs, vectors("gekitai", mode), 80):
        plies += played[0]
        if (expected[2] | expected[3])[0]:
            lengths.append(plies)
            plies = 0
    envs.close()
    assert len(lengths) > 3
    more = np.subtract(frames[: len(lengths)], lengths)
    if mode is AutoresetMode.NEXT_STEP:
        assert (more == 1).all()  # the start and a picture for each ply
    elif mode is AutoresetMode.SAME_STEP:
        assert (more == 0).all()  # without the last position
    else:
        assert (more >= 1).all()
        assert (more > 1).any()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_infos_of_vectors_can_become_lists(mode):
    envs = vector.DictInfoToList(vectors("gekitai", mode))
    for result, expected, _ in vector_steps(envs, vectors("gekitai", mode), 30):
        over = expected[2] | expected[3]
        for i, info in enumerate(result[4]):
            np.testing.assert_array_equal(info["action_mask"], expected[4]["action_mask"][i])
            final = mode is AutoresetMode.SAME_STEP and over[i]
            assert ("final_obs" in info) == final


def test_normalised_rewards_pay_equal_wins_differently():
    env = wrappers.NormalizeReward(make("game112"))
    wins = set()
    for seed in range(40):
        rewards = [(mine[1], raw[1]) for mine, raw in played_beside(env, make("game112"), seed)]
        wins |= {float(mine) for mine, raw in rewards if raw == 1}
    assert len(wins) > 3
    assert max(wins) > 2 * min(wins)


def test_a_distribution_needs_ones_for_the_mask_of_a_finished_game():
    torch = pytest.importorskip("torch")

    def masked(masks):
        logits = torch.where(torch.as_tensor(masks) == 1, 0.0, -torch.inf)
        # Importing TorchRL disables the check.
        return torch.distributions.Categorical(logits=logits, validate_args=True)

    envs = gymnasium.make_vec(
        env_id("game112"),
        4,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.NEXT_STEP,
        illegal="raise",
    )
    _, infos = envs.reset(seed=0)
    torch.manual_seed(0)
    raised = 0
    for _ in range(60):
        masks = infos["action_mask"].copy()
        if not masks.any(1).all():
            with pytest.raises(ValueError, match="logits"):
                masked(masks)
            raised += 1
        masks[~masks.any(1)] = 1
        _, _, _, _, infos = envs.step(masked(masks).sample().numpy())
    assert raised > 3
