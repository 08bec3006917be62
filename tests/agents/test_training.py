"""Training: runs from start to card, interrupted and resumed, and the parts they are made of."""

import hashlib
import json
import os
import tomllib
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import agents
import boardenvs
from agents.arena import wilson
from agents.training import run as run_module
from agents.training import settings as settings_module
from agents.training.curve import draw_curve
from agents.training.export import export_policy, versions
from agents.training.opponents import EarlierSelves, LatestSelf
from agents.training.run import TrainingRun
from agents.training.settings import GAMES, Settings, settings_for, settings_from
from agents.training.start import train
from agents.training.vec_env import SB3VecEnv
from boardenvs.files import write_atomically
from boardenvs.vector import SeatVectorEnv

PNG = b"\x89PNG\r\n\x1a\n"
OPPONENTS = ("random", "greedy")


def weights(model):
    return model.policy.state_dict()


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def files(folder):
    return {p.name for p in folder.iterdir()}


# -- A whole run ------------------------------------------------------------------------


def test_what_a_run_leaves(tiny):
    folder = tiny.network.parent
    assert files(folder) == {
        "agent.onnx",
        "agent.json",
        "checkpoint.pt",
        "learning_curve.png",
        "settings.json",
        "tensorboard",
    }
    assert (folder / "learning_curve.png").read_bytes().startswith(PNG)
    # Nothing may be unreadable to others: files begin as temporary ones.
    assert all(p.stat().st_mode & 0o044 for p in folder.iterdir())


def test_the_card(tiny, tiny_settings):
    card = tiny.card
    assert card["game"] == "gekitai"
    assert card["params"] == boardenvs.make("gekitai").params
    assert card["steps"] == 2048
    assert card["seed"] == 3
    assert card["command"] == "the command"
    assert card["settings"] == json.loads(json.dumps(tiny_settings.to_dict()))
    assert card["versions"] == versions()
    assert card["versions"]["torch"] == torch.__version__
    assert card["sha256"] == hashlib.sha256(tiny.network.read_bytes()).hexdigest()
    assert [entry["against"] for entry in card["scores"]] == ["random", "greedy"]
    agent = agents.make(tiny.spec, "gekitai")
    for entry in card["scores"]:
        assert entry["games"] == 20
        again = agents.play_match("gekitai", [agent, entry["against"]], 20, entry["seed"])
        assert (entry["wins"], entry["draws"], entry["losses"]) == (
            again.wins[0],
            again.draws[0],
            again.losses[0],
        )
        assert entry["score"] == pytest.approx(again[0], abs=1e-4)
        assert entry["interval"] == pytest.approx(again.interval(0), abs=1e-4)


def test_the_history(tiny):
    assert [point["steps"] for point in tiny.run.history] == [0, 512, 1024, 1536, 2048]
    for point in tiny.run.history:
        for spec in OPPONENTS:
            found = point[spec]
            assert found["games"] == 10
            wins_and_half_draws = found["score"] * 10
            assert (found["low"], found["high"]) == wilson(wins_and_half_draws, 10)


def test_the_tensorboard_log(tiny):
    events = EventAccumulator(str(tiny.network.parent / "tensorboard"))
    events.Reload()
    tags = events.Tags()["scalars"]
    assert {f"evaluation/score_against_{spec}" for spec in OPPONENTS} <= set(tags)
    assert "train/loss" in tags
    points = events.Scalars("evaluation/score_against_random")
    assert [p.step for p in points] == [0, 512, 1024, 1536, 2048]
    assert [p.value for p in points] == pytest.approx(
        [point["random"]["score"] for point in tiny.run.history]
    )


def test_the_command_of_a_user(tmp_path, tiny_settings, capsys, game):
    run = train(game, tmp_path / "run", 512, 7, "as typed", settings=tiny_settings)
    assert (run.settings.steps, run.model.num_timesteps, run.seed) == (512, 512, 7)
    said = capsys.readouterr()
    assert said.out.splitlines()[:3] == [
        f"the agent: {tmp_path}/run/agent.onnx",
        f"its card: {tmp_path}/run/agent.json",
        f"its learning curve: {tmp_path}/run/learning_curve.png",
    ]
    told = [f"against {spec}: " for spec in OPPONENTS] if game.num_players > 1 else ["alone: "]
    for start, line in zip(told, said.out.splitlines()[3:], strict=True):
        assert line.startswith(f"{start}0.")
        assert line.endswith("20 games)")
    assert f"training {game.name}" in said.err  # the bar
    assert agents.make(f"trained:{tmp_path}/run/agent.onnx", game).card["command"] == "as typed"


def test_the_same_seed_gives_the_same_weights(tmp_path, gekitai, tiny_settings, tiny):
    runs = []
    for name, seed in (("again", 3), ("other", 4)):
        run = TrainingRun(gekitai, tiny_settings, seed, tmp_path / name)
        run.learn(progress=False)
        runs.append(run)
    again, other = runs
    assert equal(weights(again.model), weights(tiny.run.model))
    assert again.history == tiny.run.history
    assert not equal(weights(other.model), weights(tiny.run.model))
    network = again.finish("another command")
    assert network.read_bytes() == tiny.network.read_bytes()


def test_it_learns(tmp_path, gekitai):
    settings = replace(
        Settings(), steps=40_960, num_envs=128, batch_size=512, hidden=(128,), evaluate_every=50_000
    )
    run = TrainingRun(gekitai, settings, 0, tmp_path)
    run.learn(progress=False)
    before = run.history[0]["random"]
    after = agents.play_match(gekitai, [run.agent(), "random"], 500, seed=2)
    low, _ = after.interval(0)
    print(f"\nfrom {before['score']:.3f} to {after[0]:.3f}, at least {low:.3f}")
    assert low > 0.85
    assert low > before["high"]


# -- Interrupted and resumed ------------------------------------------------------------


@pytest.fixture
def stop_at(monkeypatch):
    """The function that makes runs stop by Ctrl-C at a step; `None` lets them go on."""
    on_step = run_module._Watcher._on_step

    def stop(step):
        def watched(self):
            if step is not None and self.num_timesteps >= step:
                raise KeyboardInterrupt
            return on_step(self)

        monkeypatch.setattr(run_module._Watcher, "_on_step", watched)

    return stop


def test_an_interrupted_run_goes_on(tmp_path, gekitai, tiny_settings, stop_at):
    stop_at(900)
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run.learn(progress=False)
    stopped = run.model.num_timesteps
    assert 900 <= stopped < 1024
    assert not (tmp_path / "agent.onnx").exists()

    stop_at(None)
    again = TrainingRun.resume(tmp_path)
    assert again.model.num_timesteps == stopped
    assert (again.game, again.settings, again.seed) == (gekitai, tiny_settings, 0)
    assert again.history == run.history
    assert equal(weights(again.model), weights(run.model))
    assert len(again.ppo.earlier.selves) == len(run.ppo.earlier.selves) == 3
    assert all(map(equal, again.ppo.earlier.selves, run.ppo.earlier.selves))
    moments = again.model.policy.optimizer.state_dict()["state"]
    for key, value in run.model.policy.optimizer.state_dict()["state"].items():
        assert all(torch.equal(value[k], moments[key][k]) for k in value)

    again.learn(progress=False)
    assert 2048 <= again.model.num_timesteps < 2048 + 256
    steps = [point["steps"] for point in again.history]
    assert steps[: len(run.history)] == [point["steps"] for point in run.history]
    assert steps == sorted(set(steps))
    assert steps[-1] == again.model.num_timesteps
    assert not equal(weights(again.model), weights(run.model))


def test_a_resumed_run_plays_other_games(tmp_path, gekitai, tiny_settings, stop_at):
    stop_at(300)
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    first = run.ppo.env.reset()
    for _ in range(3):
        first = run.ppo.env.step(np.argmax(run.ppo.env.action_masks(), 1))[0]
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run.learn(progress=False)
    again = TrainingRun.resume(tmp_path)
    again.ppo.env.reset()
    for _ in range(3):
        other = again.ppo.env.step(np.argmax(again.ppo.env.action_masks(), 1))[0]
    assert (first != other).any()


def test_a_longer_total_is_kept_when_interrupted(tmp_path, gekitai, tiny_settings, stop_at):
    settings = replace(tiny_settings, steps=512)
    TrainingRun(gekitai, settings, 0, tmp_path).learn(progress=False)
    stop_at(800)
    longer = TrainingRun.resume(tmp_path, 1536)
    with pytest.raises(KeyboardInterrupt):
        longer.learn(progress=False)
    stop_at(None)
    again = TrainingRun.resume(tmp_path)
    assert again.settings.steps == 1536
    again.learn(progress=False)
    assert again.model.num_timesteps >= 1536


@pytest.fixture
def finished(tmp_path, gekitai, tiny_settings):
    """The folder of a short run that is over, and the run."""
    folder = tmp_path / "run"
    run = train(gekitai, folder, 256, 1, "first", settings=tiny_settings)
    return folder, run


def test_a_finished_run_is_lengthened(finished, gekitai, capsys):
    folder, first = finished
    run = train(gekitai, folder, 512, command="second", resume=True)
    assert "going on from step 256 of 512" in capsys.readouterr().out
    assert run.model.num_timesteps == 512
    assert not equal(weights(run.model), weights(first.model))
    card = json.loads((folder / "agent.json").read_text(encoding="utf-8"))
    assert (card["steps"], card["settings"]["steps"], card["seed"]) == (512, 512, 1)
    agents.make(f"trained:{folder}/agent.onnx", gekitai)


def test_resuming_a_finished_run_only_measures_it(finished, gekitai):
    folder, first = finished
    before = (folder / "agent.onnx").read_bytes()
    run = train(gekitai, folder, command="again", resume=True)
    assert run.model.num_timesteps == 256
    assert equal(weights(run.model), weights(first.model))
    assert (folder / "agent.onnx").read_bytes() == before


def test_fewer_steps_than_are_done_are_refused(finished, gekitai, refused):
    folder, _ = finished
    with refused("steps"):
        train(gekitai, folder, 100, resume=True)


def test_a_folder_in_use_is_refused(finished, gekitai, refused, tiny_settings):
    folder, _ = finished
    before = {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    with refused("holds a run: --resume it, or name another --out"):
        train(gekitai, folder, 256, settings=tiny_settings)
    (folder / "checkpoint.pt").unlink()
    with refused("holds a run: --resume it, or name another --out"):
        train(gekitai, folder, 256, settings=tiny_settings)
    assert all(p.read_bytes() == data for p, data in before.items() if p.exists())


def test_resuming_another_run_is_refused(finished, gekitai, game112, refused):
    folder, _ = finished
    with refused(r"holds a run of Gekitai\(.*\), not of Game112\("):
        train(game112, folder, resume=True)
    with refused(r"holds a run of Gekitai\(board_size=6.*, not of Gekitai\(board_size=7"):
        train(boardenvs.make("gekitai", board_size=7), folder, resume=True)
    with refused("holds a run with seed 1, not 2"):
        train(gekitai, folder, seed=2, resume=True)


@pytest.mark.parametrize("name", ["checkpoint.pt", "settings.json"])
@pytest.mark.parametrize("damage", [None, b"", b"junk\n", b"{}", b"[]", 0.5, 0.95], ids=repr)
def test_resuming_a_damaged_run_is_refused(finished, gekitai, refused, name, damage):
    folder, _ = finished
    path = folder / name
    data = path.read_bytes()
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(data[: int(damage * len(data))] if isinstance(damage, float) else damage)
    with refused("run holds no run that can go on: ."):
        train(gekitai, folder, resume=True)


def test_a_checkpoint_that_would_run_code_is_refused(finished, gekitai, refused, tmp_path):
    class Malicious:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "harm"),)

    folder, _ = finished
    torch.save({"steps": Malicious()}, folder / "checkpoint.pt")
    with refused("holds no run that can go on: "):
        train(gekitai, folder, resume=True)
    assert not (tmp_path / "harm").exists()


def test_the_checkpoint_of_another_network_is_refused(finished, gekitai, refused):
    folder, _ = finished
    data = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    data["settings"]["hidden"] = [17]
    (folder / "settings.json").write_text(json.dumps(data), encoding="utf-8")
    with refused("holds no run that can go on: "):
        train(gekitai, folder, resume=True)


def test_resuming_nothing_is_refused(tmp_path, gekitai, refused):
    for folder in (tmp_path, tmp_path / "no"):
        with refused("holds no run that can go on: "):
            train(gekitai, folder, resume=True)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("steps", [0, -1, 1.5, "10"])
def test_a_bad_number_of_steps(tmp_path, gekitai, refused, steps):
    with refused("steps must be a whole number of at least 1, got "):
        train(gekitai, tmp_path, steps)


@pytest.mark.parametrize("seed", [-1, 2**31, 0.5, "1"])
def test_a_bad_seed(tmp_path, gekitai, refused, seed):
    with refused("seed must be a whole number from 0 to 2147483647, got "):
        train(gekitai, tmp_path, 10, seed)
    assert not files(tmp_path)


# -- Files are whole at every moment ----------------------------------------------------


def test_writing(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert files(path.parent) == {"file"}


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (Path, "replace")], ids=str)
@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()], ids=repr)
def test_a_failure_while_writing(tmp_path, monkeypatch, owner, name, error):
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fails(*_args, **_kwargs):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fails)
        with pytest.raises(type(error)):
            write_atomically(path, b"new, and much longer")
    assert path.read_bytes() == b"old"
    assert files(tmp_path) == {"file"}


def test_a_checkpoint_cut_short_leaves_the_old_one(finished, monkeypatch):
    folder, run = finished

    def fails(*_args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(KeyboardInterrupt):
            run.save_checkpoint()
    assert TrainingRun.resume(folder).model.num_timesteps == 256


# -- Opponents --------------------------------------------------------------------------


@pytest.fixture
def learner(gekitai):
    env = SB3VecEnv([SeatVectorEnv(4, gekitai)], 0)
    return MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, seed=0, device="cpu")


def played_out(earlier, reward=0.0):
    """Tell earlier selves that the games under way ended, and as many that began since."""
    for _ in range(2):
        earlier.note(np.ones(4, bool), np.full(4, reward, np.float32))


def nudge(model):
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.add_(0.1)


def test_the_latest_self_is_the_learner(learner, gekitai, live_positions):
    latest = LatestSelf(gekitai)
    latest.attach(learner)
    states = live_positions(gekitai, 10, 0)
    words = np.random.default_rng(0).integers(0, 2**64, len(states), np.uint64)
    drawn = agents.from_sb3(learner, gekitai, temperature=1.0)
    before = latest.choose(states, words)
    np.testing.assert_array_equal(before, drawn.choose(states, words))
    with torch.no_grad():
        learner.policy.action_net.bias[:18] += 100
    after = latest.choose(states, words)
    np.testing.assert_array_equal(after, drawn.choose(states, words))
    assert (before != after).any()


def test_earlier_selves_stay_as_they_were(learner, gekitai, live_positions):
    earlier = EarlierSelves(gekitai, 5, 4, seed=0)
    earlier.attach(learner)
    states = live_positions(gekitai, 10, 0)
    words = np.random.default_rng(0).integers(0, 2**64, len(states), np.uint64)
    before = earlier.choose(states, words)
    with torch.no_grad():
        learner.policy.action_net.bias[:18] += 100
    np.testing.assert_array_equal(earlier.choose(states, words), before)
    earlier.remember()
    played = set()
    for _ in range(40):
        played_out(earlier)
        earlier.draw()
        played.add(tuple(earlier.choose(states, words).tolist()))
    assert len(played) == 2
    assert tuple(before.tolist()) in played


def test_who_plays_stays_until_enough_games_ended(learner, gekitai):
    earlier = EarlierSelves(gekitai, 5, 4, seed=0)
    earlier.attach(learner)
    for _ in range(4):
        nudge(learner)
        earlier.remember()
    playing = []
    for _ in range(30):
        for over in ([1, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 1]):
            playing.append(earlier._playing)
            earlier.note(np.array(over, bool), np.zeros(4, np.float32))
            earlier.draw()
    assert playing[0::3] == playing[1::3] == playing[2::3]
    assert len(set(playing)) == 5


def test_the_hardest_earlier_selves_come_oftenest(learner, gekitai):
    earlier = EarlierSelves(gekitai, 3, 4, seed=0)
    earlier.attach(learner)
    earlier.remember()
    earlier.remember()
    rewards = {0: 1.0, 1: 0.0, 2: -1.0}
    counts = [0, 0, 0]
    for round_ in range(1500):
        played_out(earlier, rewards[earlier._playing])
        earlier.draw()
        if round_ >= 500:
            counts[earlier._playing] += 1
    assert earlier.scores == pytest.approx([1, 0.5, 0], abs=0.1)
    assert 0 < counts[0] < counts[1] / 2 < counts[2] / 4


def test_games_under_way_do_not_count_for_the_next_self(learner, gekitai):
    earlier = EarlierSelves(gekitai, 3, 4, seed=0)
    earlier.attach(learner)
    earlier.note(np.array([True, True, False, False]), np.ones(4, np.float32))
    assert earlier.scores == [0.5]  # these began before this self sat down
    earlier.note(np.array([True, False, False, True]), np.ones(4, np.float32))
    assert earlier.scores == [pytest.approx(0.5 + 0.5 / 200)]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_no_more_earlier_selves_than_asked_for(learner, gekitai, size):
    earlier = EarlierSelves(gekitai, size, 4, seed=0)
    earlier.attach(learner)
    for count in range(2, 12):
        nudge(learner)
        earlier.remember()
        assert len(earlier.selves) == min(size, count)
        assert equal(earlier.selves[-1], weights(learner))  # the newest one always stays
        earlier.draw()


def test_old_selves_thin_out(learner, gekitai):
    earlier = EarlierSelves(gekitai, 6, 4, seed=0)
    earlier.attach(learner)
    born = [weights(learner)["action_net.bias"][0].item()]
    for _ in range(30):
        nudge(learner)
        earlier.remember()
        born.append(weights(learner)["action_net.bias"][0].item())
    ages = [born.index(w["action_net.bias"][0].item()) for w in earlier.selves]
    assert ages == sorted(ages)
    assert ages[3:] == [28, 29, 30]  # only the older half is thinned
    assert ages[0] < 25


# -- Many games as one Stable-Baselines3 environment ------------------------------------


@pytest.fixture
def joined(game):
    greedy = agents.make("greedy", game, seed=0)
    return SB3VecEnv([SeatVectorEnv(3, game), SeatVectorEnv(5, game, opponent=greedy)], seed=1)


def legal_actions(env, rng):
    masks = env.action_masks()
    return np.argmax(rng.random(masks.shape) * masks, 1)


def test_shapes_and_types(joined, game):
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


def test_it_is_its_environments_side_by_side(game):
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


def test_infos_of_games_that_ended(joined):
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


def test_a_game_cut_short_is_marked_for_bootstrapping():
    env = SB3VecEnv([SeatVectorEnv(4, boardenvs.make("gekitai", max_plies=4), seat=0)], seed=0)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(2):
        _, reward, done, infos = env.step(legal_actions(env, rng))
    assert done.all()
    assert not reward.any()
    assert [info["TimeLimit.truncated"] for info in infos] == [True] * 4
    assert [info["episode"]["l"] for info in infos] == [2] * 4


def test_masks_as_maskable_ppo_asks_for_them(joined, game):
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


def test_what_single_games_do_not_offer(joined):
    with pytest.raises(AttributeError, match="only action_masks can be called, not close"):
        joined.env_method("close")
    with pytest.raises(AttributeError, match="cannot be set"):
        joined.set_attr("seat", 1)
    with pytest.raises(AttributeError):
        joined.get_attr("no_such_thing")
    assert not joined.has_attr("no_such_thing")
    assert joined.get_attr("num_envs") == [3] * 3 + [5] * 5
    assert joined.get_attr("num_envs", [0, 7]) == [3, 5]
    assert joined.env_is_wrapped(gymnasium.Wrapper) == [False] * 8
    joined.close()


def test_seeds(game):
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
    assert (played(env) != one).any()  # the seed was for the first reset alone


def test_maskable_ppo_trains_on_it_and_never_moves_illegally(game):
    env = SB3VecEnv([SeatVectorEnv(4, game, illegal="raise")], seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, seed=0, device="cpu")
    before = {k: v.clone() for k, v in model.policy.state_dict().items()}
    model.learn(256)
    assert model.num_timesteps == 256
    assert not equal(before, model.policy.state_dict())
    assert len(model.ep_info_buffer) > 0


# -- Settings, export and curve ---------------------------------------------------------


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_value_that_differs_has_its_sentence(path):
    game = boardenvs.make(path.stem)
    lines = path.read_text(encoding="utf-8").splitlines()
    for above, line in zip(["", *lines], lines, strict=False):
        if line and not line.startswith(("#", "[")):
            assert above.startswith("# "), f"{path.name}: nothing is said of {line!r}"
            assert above.endswith((".", ";")) or len(above) > 20
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for condition in (key for key in tables if "=" in key):
        assert condition.partition("=")[0] in game.params
        settings_from(tables[condition])
    default = Settings().to_dict()
    for key, value in tables.items():
        if "=" not in key:
            assert default[key] != value, f"{path.name}: {key} is the default"


def test_settings_for_parameters(tmp_path, monkeypatch, gekitai):
    monkeypatch.setattr(settings_module, "GAMES", tmp_path)
    assert settings_for(gekitai) == Settings()
    (tmp_path / "gekitai.toml").write_text('steps = 7\nhidden = [8]\n["board_size=7"]\nsteps = 9\n')
    assert settings_for(gekitai) == replace(Settings(), steps=7, hidden=(8,))
    seven = boardenvs.make("gekitai", board_size=7)
    assert settings_for(seven) == replace(Settings(), steps=9, hidden=(8,))
    assert settings_for(seven, steps=3).steps == 3


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"step": 5}, "there is no setting 'step'"),
        ({"network": "deep"}, "network must be plain or convolutional, got 'deep'"),
        ({"opponents": {}}, "opponents must have shares above 0"),
        ({"opponents": {"random": 0}}, "opponents must have shares above 0"),
    ],
)
def test_bad_settings(values, told, refused):
    with refused(told):
        settings_from(values)


def test_settings_of_games():
    gekitai = boardenvs.make("gekitai")
    assert settings_for(gekitai) != Settings()
    assert settings_for(gekitai, steps=5) == replace(settings_for(gekitai), steps=5)
    assert json.loads(json.dumps(Settings().to_dict()))["hidden"] == [256, 256]


def test_a_quarter_of_the_games_against_each_kind(tmp_path, gekitai, tiny_settings):
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    assert [env.num_envs for env in run.ppo.env.envs] == [4, 4, 4, 4]
    assert run.model.env is run.ppo.env
    assert not files(tmp_path)  # nothing is written before it learns


def test_the_rate_falls_to_a_tenth(tmp_path, gekitai, tiny_settings):
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    schedule = run.model.lr_schedule
    assert schedule(1.0) == pytest.approx(1e-3)
    assert schedule(0.0) == pytest.approx(1e-4)


def test_export_of_any_policy(learner, gekitai, tmp_path):
    path = tmp_path / "some" / "where.onnx"
    export_policy(learner.policy, gekitai, path, {"steps": 0, "note": "untrained"})
    agent = agents.make(f"trained:{path}", gekitai)
    assert agent.card["note"] == "untrained"
    assert files(path.parent) == {"where.onnx", "where.json"}
    states = gekitai.new(5)
    np.testing.assert_array_equal(agent.act(states), agents.from_sb3(learner, gekitai).act(states))


@pytest.mark.parametrize("points", [0, 1, 3])
def test_the_curve(points):
    found = {"score": 0.5, "low": 0.4, "high": 0.6, "games": 10}
    history = [{"steps": 1000 * k, "random": found, "greedy": found} for k in range(points)]
    picture = draw_curve("title", history, OPPONENTS, 1000)
    assert picture.startswith(PNG)
    width, height = (int.from_bytes(picture[k : k + 4], "big") for k in (16, 20))
    assert (width, height) == (960, 600)
