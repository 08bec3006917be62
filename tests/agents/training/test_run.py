"""A training run from its start to its card."""

import errno
import hashlib
import importlib.metadata
import json
import os
from dataclasses import replace

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import configure
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.summary.writer.record_writer import RecordWriter
from two_games import on_two_games

import agents
import boardenvs
from agents.arena import wilson
from agents.networks.export import versions
from agents.training.run import TrainingRun
from agents.training.settings import Settings
from agents.training.start_run import train

PNG = b"\x89PNG\r\n\x1a\n"
OPPONENTS = ("random", "greedy")


def weights(model):
    return model.policy.state_dict()


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def files(folder):
    return {p.name for p in folder.iterdir()}


def test_a_run_writes_its_files(tiny):
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
    # Other users must be able to read the files, although they start as temporary files.
    assert all(p.stat().st_mode & 0o044 for p in folder.iterdir())


def test_the_card_describes_the_run(tiny, tiny_settings):
    card = tiny.card
    assert card["game"] == "gekitai"
    assert card["params"] == boardenvs.make("gekitai").params
    assert card["steps"] == tiny.run.best["steps"]
    assert card["seed"] == 3
    assert card["command"] == "the command"
    assert card["settings"] == json.loads(json.dumps(tiny_settings.to_dict()))
    assert card["versions"] == versions()
    assert card["versions"]["torch"] == importlib.metadata.version("torch")
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


def test_the_best_checkpoint_is_the_agent(tiny, gekitai):
    """The agent is the latest checkpoint whose interval reaches that of the highest mean score."""
    points = tiny.run.history
    means = [(p["random"]["score"] + p["greedy"]["score"]) / 2 for p in points]
    low = sum(points[int(np.argmax(means))][name]["low"] for name in OPPONENTS)
    reach = [sum(p[name]["high"] for name in OPPONENTS) >= low for p in points]
    best = len(points) - 1 - reach[::-1].index(True)
    assert tiny.run.best["steps"] == points[best]["steps"]
    assert tiny.run.best["score"] == means[best]
    agent = agents.make(tiny.spec, gekitai)
    states = gekitai.new(8)
    kept = {k: v.clone() for k, v in weights(tiny.run.model).items()}
    try:
        tiny.run.model.policy.load_state_dict(tiny.run.best["policy"])
        np.testing.assert_array_equal(agent.act(states), tiny.run.agent().act(states))
    finally:
        tiny.run.model.policy.load_state_dict(kept)


def test_a_worse_learner_is_not_kept(tmp_path, gekitai, tiny_settings, monkeypatch):
    """The best checkpoint is kept while scores fall and rise again, but not as high."""
    run = TrainingRun(gekitai, replace(tiny_settings, ppo_steps=2048), 0, tmp_path)
    given = iter([0.1, 0.6, 0.2, 0.5, 0.4])
    found = []

    def scores(agent, games, seed):
        found.append(weights(run.model)["action_net.bias"].clone())
        return dict.fromkeys(OPPONENTS, Scored(next(given)))

    monkeypatch.setattr(run.evaluation, "scores", scores)
    run.learn(progress=False)
    assert len(found) == 5
    assert run.best["score"] == pytest.approx(0.6)
    assert torch.equal(run.best["policy"]["action_net.bias"], found[1])
    assert run.best["steps"] == run.history[1]["steps"]


def test_the_latest_checkpoint_that_is_not_clearly_worse_is_kept(
    tmp_path, gekitai, tiny_settings, monkeypatch
):
    """With an error of 0.1, the latest checkpoint whose interval reaches the best one is kept."""
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    run.model.set_logger(configure(str(tmp_path), []))
    given = [0.3, 0.9, 0.75, 0.65, 0.8]
    found = []
    for score in given:
        scores = dict.fromkeys(OPPONENTS, Scored(score, 0.1))
        monkeypatch.setattr(run.evaluation, "scores", lambda *args, scores=scores: scores)
        run.evaluate()
        found.append(given.index(pytest.approx(run.best["score"])))
    assert found == [0, 1, 2, 2, 4]


class Scored:
    """Scores of a match without games."""

    games = 10

    def __init__(self, score, margin=0.01):
        self.score = score
        self.margin = margin

    def __getitem__(self, seat):
        return self.score

    def interval(self, seat):
        return self.score - self.margin, self.score + self.margin


def test_a_run_ends_early_without_improvement(tmp_path, gekitai, tiny_settings, monkeypatch):
    settings = replace(tiny_settings, ppo_steps=50_000, evaluate_every=256, patience=3)
    run = TrainingRun(gekitai, settings, 0, tmp_path)
    given = [0.1, 0.2, 0.3, 0.25, 0.1, 0.2]
    asked = []

    def scores(agent, games, seed):
        asked.append(run.steps)
        return dict.fromkeys(OPPONENTS, Scored(given[len(asked) - 1]))

    monkeypatch.setattr(run.evaluation, "scores", scores)
    run.learn(progress=False)
    assert len(asked) == 6
    assert run.stale
    assert run.best["steps"] == asked[2]
    again = TrainingRun.resume(tmp_path)
    assert again.stale
    again.learn(progress=False)  # nothing is left to do
    assert again.steps == run.steps


def test_the_history_has_every_evaluation(tiny):
    assert [point["steps"] for point in tiny.run.history] == [0, 512, 1024, 1536, 2048]
    for point in tiny.run.history:
        for spec in OPPONENTS:
            found = point[spec]
            assert found["games"] == 10
            wins_and_half_draws = found["score"] * 10
            assert (found["low"], found["high"]) == wilson(wins_and_half_draws, 10)


def test_the_tensorboard_log_has_the_scores(tiny):
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


@on_two_games
def test_train_prints_the_files_and_the_command_to_play(tmp_path, tiny_settings, capsys, game):
    run = train(game, tmp_path / "run", 512, 7, "as typed", settings=tiny_settings)
    assert (run.settings.ppo_steps, run.model.num_timesteps, run.seed) == (512, 512, 7)
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
    assert f"training {game.name}" in said.err  # the progress bar
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


@pytest.mark.slow
def test_training_beats_random(tmp_path, gekitai):
    settings = replace(
        Settings(),
        ppo_steps=40_960,
        num_envs=128,
        batch_size=512,
        hidden=(128,),
        evaluate_every=50_000,
    )
    run = TrainingRun(gekitai, settings, 0, tmp_path)
    run.learn(progress=False)
    before = run.history[0]["random"]
    after = agents.play_match(gekitai, [run.agent(), "random"], 500, seed=2)
    low, _ = after.interval(0)
    print(f"\nfrom {before['score']:.3f} to {after[0]:.3f}, at least {low:.3f}")
    assert low > 0.85
    assert low > before["high"]


def test_each_kind_of_opponent_plays_a_quarter_of_the_games(tmp_path, gekitai, tiny_settings):
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    assert [env.num_envs for env in run.ppo.env.envs] == [4, 4, 4, 4]
    assert run.model.env is run.ppo.env
    assert not files(tmp_path)  # no file is written before it learns


def test_the_learning_rate_falls_to_a_tenth(tmp_path, gekitai, tiny_settings):
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    rates = []
    while run.ppo.steps < tiny_settings.ppo_steps:
        run.ppo.advance()
        rates.append(run.model.policy.optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([1e-3 - k / 8 * 9e-4 for k in range(1, 9)])


def test_unwritable_tensorboard_files_end_a_run_with_one_error(
    tmp_path, gekitai, tiny_settings, monkeypatch, capsys
):
    def full(self, data):
        if run.steps:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, data)

    write = RecordWriter.write
    run = TrainingRun(gekitai, tiny_settings, 0, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RecordWriter, "write", full)
        with pytest.raises(OSError, match=r"No space left on device: .*tensorboard"):
            run.learn(progress=False)
    assert "Traceback" not in capsys.readouterr().err
    assert TrainingRun.resume(tmp_path).steps <= run.steps
