"""Interrupted, resumed and refused training."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import agents
import boardenvs
from agents.training import run as run_module
from agents.training.run import TrainingRun
from agents.training.self_play.learner import GuidedLearner
from agents.training.settings import GuidedSettings, Settings
from agents.training.start_run import train


def weights(model):
    return model.policy.state_dict()


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def files(folder):
    return {p.name for p in folder.iterdir()}


@pytest.fixture
def stop_at(monkeypatch):
    """Return the function that interrupts runs at a step; `None` lets them continue."""
    on_step = run_module._Watcher._on_step

    def stop(step):
        def watched(self):
            if step is not None and self.num_timesteps >= step:
                raise KeyboardInterrupt
            return on_step(self)

        monkeypatch.setattr(run_module._Watcher, "_on_step", watched)

    return stop


def test_an_interrupted_run_can_be_resumed(tmp_path, gekitai, tiny_settings, stop_at):
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
    settings = replace(tiny_settings, ppo_steps=512)
    TrainingRun(gekitai, settings, 0, tmp_path).learn(progress=False)
    stop_at(800)
    longer = TrainingRun.resume(tmp_path, 1536)
    with pytest.raises(KeyboardInterrupt):
        longer.learn(progress=False)
    stop_at(None)
    again = TrainingRun.resume(tmp_path)
    assert again.settings.ppo_steps == 1536
    again.learn(progress=False)
    assert again.model.num_timesteps >= 1536


def test_a_finished_run_can_be_extended(finished, gekitai, capsys):
    folder, first = finished
    run = train(gekitai, folder, 512, command="second", resume=True)
    assert "going on from step 256 of 512" in capsys.readouterr().out
    assert run.model.num_timesteps == 512
    assert not equal(weights(run.model), weights(first.model))
    card = json.loads((folder / "agent.json").read_text(encoding="utf-8"))
    assert (card["steps"], card["settings"]["ppo_steps"], card["seed"]) == (
        run.best["steps"],
        512,
        1,
    )
    agents.make(f"trained:{folder}/agent.onnx", gekitai)


def test_resuming_a_finished_run_only_evaluates_it(finished, gekitai):
    folder, first = finished
    before = (folder / "agent.onnx").read_bytes()
    run = train(gekitai, folder, command="again", resume=True)
    assert run.model.num_timesteps == 256
    assert equal(weights(run.model), weights(first.model))
    assert (folder / "agent.onnx").read_bytes() == before


def test_fewer_steps_than_completed_are_refused(finished, gekitai, refused):
    folder, _ = finished
    with refused("steps"):
        train(gekitai, folder, 100, resume=True)


def test_a_folder_in_use_is_refused(finished, gekitai, refused, tiny_settings):
    folder, _ = finished
    before = {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    with refused("run .*--resume.*--out"):
        train(gekitai, folder, 256, settings=tiny_settings)
    (folder / "checkpoint.pt").unlink()
    with refused("run .*--resume.*--out"):
        train(gekitai, folder, 256, settings=tiny_settings)
    assert all(p.read_bytes() == data for p, data in before.items() if p.exists())


def test_resuming_another_run_is_refused(finished, gekitai, game112, refused):
    folder, _ = finished
    with refused(r"run of Gekitai\(.*Game112\("):
        train(game112, folder, resume=True)
    with refused(r"run of Gekitai\(board_size=6.*Gekitai\(board_size=7"):
        train(boardenvs.make("gekitai", board_size=7), folder, resume=True)
    with refused("seed must be 1.*got 2"):
        train(gekitai, folder, seed=2, resume=True)


@pytest.mark.parametrize("name", ["checkpoint.pt", "settings.json"])
@pytest.mark.parametrize("damage", [None, b"", b"[]", 0.95], ids=repr)
def test_resuming_a_damaged_run_is_refused(finished, gekitai, refused, name, damage):
    folder, _ = finished
    path = folder / name
    data = path.read_bytes()
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(data[: int(damage * len(data))] if isinstance(damage, float) else damage)
    with refused(f"no run that can be resumed: .*{name}"):
        train(gekitai, folder, resume=True)


def test_a_checkpoint_that_would_run_code_is_refused(finished, gekitai, refused, tmp_path):
    class Malicious:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "harm"),)

    folder, _ = finished
    torch.save({"steps": Malicious()}, folder / "checkpoint.pt")
    with refused("no run that can be resumed"):
        train(gekitai, folder, resume=True)
    assert not (tmp_path / "harm").exists()


def test_the_checkpoint_of_another_network_is_refused(finished, gekitai, refused):
    folder, _ = finished
    data = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    data["settings"]["hidden"] = [17]
    (folder / "settings.json").write_text(json.dumps(data), encoding="utf-8")
    with refused("no run that can be resumed"):
        train(gekitai, folder, resume=True)


def test_resuming_a_missing_run_is_refused(tmp_path, gekitai, refused):
    for folder in (tmp_path, tmp_path / "no"):
        with refused("no run that can be resumed"):
            train(gekitai, folder, resume=True)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("steps", [0, -1, 1.5, "10"])
def test_a_bad_number_of_steps_is_refused(tmp_path, gekitai, refused, steps):
    with refused("steps .*got "):
        train(gekitai, tmp_path, steps)


@pytest.mark.parametrize("seed", [-1, 2**31, 0.5, "1"])
def test_a_bad_seed_is_refused(tmp_path, gekitai, refused, seed):
    with refused("seed .*got "):
        train(gekitai, tmp_path, 10, seed)
    assert not files(tmp_path)


SEARCHING = Settings(
    ppo_steps=512,
    num_envs=16,
    rollout=16,
    network="convolutional",
    hidden=(16,),
    channels=8,
    blocks=1,
    evaluate_every=400,
    evaluation_games=10,
    final_games=20,
    guided=GuidedSettings(
        steps=1200, games=32, plies=4, simulations=8, full_share=1.0, warm_up=100, batch_size=64
    ),
)


@pytest.mark.slow
def test_an_interrupted_search_guided_part_continues_bit_for_bit(tmp_path):
    """Search-guided training continues bit for bit after an interruption."""
    game = boardenvs.make("gomoku", board_size=5, win_length=4)
    whole = TrainingRun(game, SEARCHING, 0, tmp_path / "whole")
    whole.learn(progress=False)
    assert whole.model.num_timesteps == 512
    assert whole.guided.steps >= 1200
    assert whole.steps == whole.history[-1]["steps"]

    run = TrainingRun(game, SEARCHING, 0, tmp_path / "cut")
    advance = GuidedLearner.advance

    def interrupted(self):
        if self.steps >= 500:
            raise KeyboardInterrupt
        return advance(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GuidedLearner, "advance", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run.learn(progress=False)
    again = TrainingRun.resume(tmp_path / "cut")
    assert again.guided.steps == run.guided.steps >= 500
    again.learn(progress=False)
    assert equal(weights(again.model), weights(whole.model))
    assert again.history == whole.history
    assert again.best["steps"] == whole.best["steps"]
    card = json.loads(again.finish("x").with_suffix(".json").read_text(encoding="utf-8"))
    assert card["settings"]["guided"]["simulations"] == 8


@pytest.mark.slow
def test_a_killed_run_continues_from_its_last_checkpoint(tmp_path):
    """A run that was killed during an update continues from its last checkpoint."""
    code = f"""
import os, signal
from pathlib import Path
import boardenvs
from dataclasses import replace
from agents.training.self_play.learner import GuidedLearner
from agents.training.settings import GuidedSettings
from agents.training.settings import Settings
from agents.training.run import TrainingRun
from agents.training.settings import Settings
run = TrainingRun(
    boardenvs.make("gekitai"),
    Settings(ppo_steps=50_000, num_envs=16, rollout=16, hidden=(16,), evaluate_every=512,
             evaluation_games=4, selves=3),
    0, Path({str(tmp_path / "run")!r}),
)
train = type(run.model).train
def dying(self):
    if self.num_timesteps > 1500:
        os.kill(os.getpid(), signal.SIGKILL)
    train(self)
type(run.model).train = dying
run.learn(progress=False)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    again = TrainingRun.resume(tmp_path / "run", 1536)
    assert 1024 <= again.steps <= 1500
    assert [point["steps"] for point in again.history][-1] == again.steps
    again.learn(progress=False)
    assert again.steps >= 1536
