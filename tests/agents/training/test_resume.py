"""Interrupted, resumed and refused training."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

import agents
import boardenvs
from agents.training import imitation
from agents.training import run as run_module
from agents.training.ppo import PPO
from agents.training.run import TrainingRun
from agents.training.settings import CloningSettings, GuidedSettings, Settings
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
    advance = PPO.advance
    monkeypatch.setattr(run_module, "_SAVE_EVERY", 0)
    monkeypatch.setattr(run_module, "_SAVE_SHARE", 1e9)

    def stop(step):
        def watched(self):
            if step is not None and self.steps >= step:
                raise KeyboardInterrupt
            return advance(self)

        monkeypatch.setattr(PPO, "advance", watched)

    return stop


def test_an_interrupted_run_can_be_resumed(tmp_path, gekitai, tiny_settings, stop_at):
    stop_at(900)
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run.learn(progress=False)
    stopped = run.model.num_timesteps
    assert stopped == 1024
    assert not (tmp_path / "agent.onnx").exists()

    stop_at(None)
    again = TrainingRun.resume(tmp_path)
    assert again.model.num_timesteps == stopped
    assert (again.games, again.settings, again.seed) == ((gekitai,), tiny_settings, 0)
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


def small(**changes):
    """Return settings of a run of some seconds with several updates of each part."""
    common = {
        "ppo_steps": 0,
        "num_envs": 16,
        "rollout": 8,
        "batch_size": 64,
        "epochs": 2,
        "hidden": (16,),
        "selves": 2,
        "remember_every": 256,
        "evaluate_every": 700,
        "evaluation_games": 6,
        "final_games": 6,
        "patience": 100,
    }
    return Settings(**{**common, **changes})


CLONE = CloningSettings(steps=2500, learner_share=0.3, opening_plies=2, buffer=1000)
MET = replace(CLONE, opponents=("random", "greedy"), opponent_share=0.5, buffer=0)
GUIDED = GuidedSettings(
    steps=1500, games=12, actors=3, plies=4, simulations=8, warm_up=100, batch_size=32, reuse=4.0
)
VALUES = CloningSettings(agent="latest", steps=2500, position_share=0.5)
BOARD = {"network": "convolutional", "channels": 8, "blocks": 1}
RUNS = {
    "imitation": ("gomoku", small(clone=CLONE, **BOARD)),
    "imitation of a round": ("gomoku", small(clone=MET, **BOARD)),
    "MaskablePPO": ("gekitai", small(ppo_steps=2048)),
    "MaskablePPO after imitation": ("gekitai", small(clone=CLONE, ppo_steps=1500, **BOARD)),
    "MaskablePPO for one player": ("pizza_order", small(ppo_steps=1024)),
    "self-play": ("gomoku", small(guided=GUIDED, **BOARD)),
    "self-play after MaskablePPO": (
        "gekitai",
        small(ppo_steps=256, guided=replace(GUIDED, int8=True, warm_up=1100, reuse=2.0), **BOARD),
    ),
    "values": ("goat_race", small(clone=replace(MET, steps=500), ppo_steps=512, values=VALUES)),
}
"""The name of the game and the settings of each run."""
QUICK = {"MaskablePPO", "imitation"}
SMALL_GAMES = {
    "gomoku": {"board_size": 5, "win_length": 4},
    "goat_race": {"width": 5, "height": 2, "max_plies": 60},
}


def finished_files(run):
    """Finish a run, and return the bytes of its agent and its history."""
    return run.finish("x").read_bytes(), run.history


@pytest.mark.parametrize(
    "name", [pytest.param(k, marks=() if k in QUICK else pytest.mark.slow) for k in RUNS]
)
def test_a_resumed_run_is_the_uninterrupted_run(name, tmp_path, monkeypatch):
    """A run that stops after every third update trains the same agent, byte for byte."""
    monkeypatch.setattr(imitation, "_GAMES", 16)
    game, settings = RUNS[name]
    game = boardenvs.make(game, **SMALL_GAMES.get(game, {}))
    whole = TrainingRun(game, settings, 0, tmp_path / "whole")
    whole.learn(progress=False)
    expected = finished_files(whole)

    monkeypatch.setattr(run_module, "_SAVE_EVERY", 0)
    monkeypatch.setattr(run_module, "_SAVE_SHARE", 1e9)
    updates = []
    for kind in {type(part) for part in whole.parts.values()}:
        monkeypatch.setattr(kind, "advance", stopping(kind.advance, updates))
    run, stops = TrainingRun(game, settings, 0, tmp_path / "cut"), 0
    while True:
        updates.clear()
        try:
            run.learn(progress=False)
        except KeyboardInterrupt:
            stops += 1
            run = TrainingRun.resume(tmp_path / "cut")
        else:
            break
    assert stops >= 2
    assert finished_files(run) == expected


def stopping(advance, updates):
    """Return an `advance` that interrupts its fourth call in the middle."""

    def stopped(part):
        figures = advance(part)
        updates.append(part.name)
        if len(updates) > 3:
            raise KeyboardInterrupt
        return figures

    return stopped


@pytest.mark.slow
def test_a_killed_run_is_the_uninterrupted_run(tmp_path):
    """A run that SIGKILL ends twice and `--resume` continues trains the same agent."""
    settings = tmp_path / "small.toml"
    settings.write_text(
        "ppo_steps = 4000\nnum_envs = 16\nrollout = 16\nevaluate_every = 800\n"
        "evaluation_games = 4\nfinal_games = 4\nhidden = [16]\n",
        encoding="utf-8",
    )
    code = """
import os, signal, sys
from agents.command import main
from sb3_contrib import MaskablePPO
train, until = MaskablePPO.train, int(sys.argv.pop(1))
def dying(self):
    train(self)
    if self.num_timesteps > until:
        os.kill(os.getpid(), signal.SIGKILL)
MaskablePPO.train = dying
sys.exit(main(sys.argv[1:]))
"""

    def run(folder, until, *options):
        words = ["train", "game112", "--settings", str(settings), "--out", str(tmp_path / folder)]
        command = [sys.executable, "-c", code, str(until), *words, *options]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    done = run("whole", 9999)
    assert done.returncode == 0, done.stderr
    assert run("cut", 1300).returncode == -9
    assert run("cut", 2900, "--resume").returncode == -9
    done = run("cut", 9999, "--resume")
    assert done.returncode == 0, done.stderr
    assert "going on from step 2,048 of 4,000" in done.stdout
    whole, cut = (tmp_path / folder / "agent.onnx" for folder in ("whole", "cut"))
    assert cut.read_bytes() == whole.read_bytes()
