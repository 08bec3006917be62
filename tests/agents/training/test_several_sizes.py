"""One network learns on boards of several sizes, and its file plays all of them."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from board_policies import board_policy

import agents
import boardenvs
from agents.dev import quantise as tool
from agents.dev.__main__ import main as run_program
from agents.networks.export import export_policy, policy_to_onnx
from agents.networks.int8 import int8_template
from agents.networks.onnx_policy import OnnxPolicy
from agents.networks.policy_networks import logits_and_values
from agents.networks.sizes import covered_sizes, free_axes, make_sizes, shares_of
from agents.training import imitation as cloning
from agents.training import start_run
from agents.training.evaluation import SizesEvaluation
from agents.training.imitation import Imitation
from agents.training.run import TrainingRun
from agents.training.self_play import network_writer
from agents.training.self_play.actors import LocalActors
from agents.training.self_play.learner import SelfPlay
from agents.training.selves import PolicyAgent
from agents.training.settings import CloningSettings, GuidedSettings, Settings
from agents.training.start_run import train

SIZES = make_sizes("gomoku", {"win_length": 4}, "board_size", [5, 7])
SIX = boardenvs.make("gomoku", board_size=6, win_length=4)
GUIDED = GuidedSettings(
    steps=600,
    games=24,
    actors=3,
    plies=4,
    simulations=4,
    opponent_share=0.1,
    temperature_plies=4,
    buffer=400,
    warm_up=40,
    batch_size=32,
    reuse=4.0,
    int8=True,
)
SETTINGS = Settings(
    clone=CloningSettings(steps=1000, batch_size=128),
    ppo_steps=0,
    guided=GUIDED,
    num_envs=16,
    rollout=16,
    network="convolutional",
    hidden=(16,),
    channels=8,
    blocks=1,
    evaluate_every=6000,
    evaluation_games=6,
    final_games=8,
)


@pytest.fixture(scope="module", autouse=True)
def _short_rounds():
    """Shorten the rounds of imitated games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cloning, "_GAMES", 64)
        yield


def policy_for(game, like=None):
    policy = board_policy(game, channels=16)
    if like is not None:
        policy.load_state_dict(like.state_dict())
    policy.set_training_mode(False)
    return policy


def positions(game, num=40, seed=0):
    """Return positions of random games after three plies."""
    states, rng = game.new(num, seed), np.random.default_rng(seed)
    for _ in range(3):
        legal = game.legal(states)
        game.play(states, (rng.random(legal.shape) * legal).argmax(1))
        states = states[~game.over(states)]
    return states


def seen_in(game, num=40):
    states = positions(game, num)
    return game.observe(states, states["to_move"])


def judged(network, game, seen, *, fixed=True):
    options = onnxruntime.SessionOptions()
    for axis, size in free_axes(game).items() if fixed else ():
        options.add_free_dimension_override_by_name(axis, size)
    session = onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    return session.run(["logits", "value"], {"observation": seen.astype(np.float32)})


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def weights(policy):
    return {key: value.clone() for key, value in policy.state_dict().items()}


# -- Files ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "several", [SIZES, make_sizes("game112", {}, "board_size", [4, 9])], ids=["board", "row"]
)
def test_the_exported_network_agrees_with_the_policy_on_every_size(several, tmp_path):
    policy = policy_for(several[0])
    path = tmp_path / "agent.onnx"
    export_policy(policy, several, path, {})
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["sizes"] == {
        "board_size": [game.params["board_size"] for game in several]
    }
    for size in covered_sizes(several):
        game = type(several[0])(**{**several[0].params, "board_size": size})
        alone = policy_for(game, policy)
        seen = seen_in(game)
        with torch.no_grad():
            wanted = logits_and_values(alone, torch.from_numpy(seen).float())
        found = judged(path.read_bytes(), game, seen)
        for part, right in zip(found, wanted, strict=True):
            np.testing.assert_allclose(part, right.numpy(), rtol=1e-4, atol=1e-5)
        # Bitwise equal to the file for only this size, and close to it without fixed values.
        for part, other in zip(
            found, judged(policy_to_onnx(alone, (game,)), game, seen), strict=True
        ):
            np.testing.assert_array_equal(part, other)
        for part, other in zip(
            found, judged(path.read_bytes(), game, seen, fixed=False), strict=True
        ):
            np.testing.assert_allclose(part, other, rtol=1e-4, atol=1e-5)
        # As loaded for play.
        states = positions(game)
        np.testing.assert_array_equal(OnnxPolicy(game, path).evaluate(states)[0], found[0])
        agent = agents.make(f"trained:{path}", game)
        np.testing.assert_array_equal(agent.act(states), PolicyAgent(game, policy).act(states))


def test_the_int8_network_agrees_with_the_policy_on_every_size():
    policy = policy_for(SIZES[0])
    free = policy_to_onnx(policy, SIZES)
    seen = [seen_in(game, 200) for game in SIZES]
    version = int8_template(free, seen)
    for game in (*SIZES, SIX):
        one = seen_in(game)
        (logits, values), (near, near_values) = judged(free, game, one), judged(
            version.network, game, one
        )  # fmt: skip
        assert not np.array_equal(logits, near)
        assert np.abs(logits - near).max() < 0.15 * np.ptp(logits)
        assert np.abs(values - near_values).max() < 0.05
    # Fixed values make no difference if ranges are equal.
    alone = int8_template(policy_to_onnx(policy_for(SIZES[1], policy), (SIZES[1],)), seen[1])
    both = int8_template(free, seen[1:])
    for found, wanted in zip(
        judged(both.network, SIZES[1], seen[1]),
        judged(alone.network, SIZES[1], seen[1]),
        strict=True,
    ):
        np.testing.assert_array_equal(found, wanted)
    assert version.with_weights(policy.state_dict()) == version.network


# -- Learning ---------------------------------------------------------------------------


def guided(settings=GUIDED, seed=0, shares=None):
    policy, opponents = policy_for(SIZES[0]), ["random", "greedy"]
    return SelfPlay(SIZES, shares_of(SIZES, shares), policy, settings, seed, opponents)


def test_each_actor_plays_one_size():
    for shares, games in (({}, [12, 12]), ({"5": 3}, [18, 6])):
        actors = LocalActors(SIZES, shares_of(SIZES, shares), GUIDED, 0, ["random"])
        found = Counter()
        for size, actor in zip(actors._sizes, actors._actors, strict=True):
            assert actor._games.game == SIZES[size]
            found[size] += len(actor._games.states)
        assert [found[0], found[1]] == games
        assert len(actors._actors) == GUIDED.actors
    one_actor = LocalActors(SIZES, shares_of(SIZES), replace(GUIDED, actors=1), 0, [])
    assert one_actor._sizes == [0, 1]


def test_more_sizes_than_games_are_refused(refused):
    with refused("guided.games .*2.* got 1$"):
        guided(replace(GUIDED, games=1))


def test_gradient_steps_follow_the_shares_of_the_sizes(monkeypatch):
    learner = guided(shares={"5": 3})
    while not all(map(len, learner.fitter.buffers)):
        learner.advance()
    fitted = Counter()
    monkeypatch.setattr(learner.fitter, "step", lambda size, *_: fitted.update([size]) or {})
    learner._owed = 400
    learner._learn()
    assert fitted[0] + fitted[1] == 400
    assert abs(fitted[0] - 300) < 40  # 4.6 standard deviations
    assert [len(buffer.samples) for buffer in learner.fitter.buffers] == [300, 100]


def test_a_restored_learner_continues_bit_for_bit(tmp_path, monkeypatch):
    monkeypatch.setattr(network_writer, "_SEEN", 100)
    whole, same, other = guided(), guided(), guided(seed=1)
    for each in (whole, same, other):
        for _ in range(5):
            each.advance()
    assert equal(weights(whole.policy), weights(same.policy))
    assert not equal(weights(whole.policy), weights(other.policy))
    torch.save(whole.state(), tmp_path / "state.pt")
    figures = [whole.advance() for _ in range(4)]
    assert any("policy_loss" in each for each in figures)
    assert whole._writer._int8 is not None
    other.load_state(torch.load(tmp_path / "state.pt", weights_only=True))
    assert [other.advance() for _ in range(4)] == figures
    assert equal(weights(other.policy), weights(whole.policy))


def test_one_network_learns_every_size():
    """Imitation on several sizes learns each size, and as often as the settings say."""
    policy = policy_for(SIZES[0])
    teachers = [agents.make("greedy", game, 0) for game in SIZES]
    settings = CloningSettings(steps=6_000, batch_size=128, learning_rate=1e-2)
    clone = Imitation(SIZES, shares_of(SIZES), policy, settings, 0, teachers)
    learned = Counter()
    step = clone.fitter.step
    clone.fitter.step = lambda size, *rest: learned.update([size]) or step(size, *rest)

    def agreements():
        found = []
        for game in SIZES:
            states = positions(game, 200, 5)
            wanted = agents.make("greedy", game, 0).act(states)
            found.append((PolicyAgent(game, policy).act(states) == wanted).mean())
        return np.array(found)

    before = agreements()
    clone.advance()  # measures the length of games
    learned.clear()
    while clone.steps < settings.steps:
        clone.advance()
    assert learned[0] / (learned[0] + learned[1]) == pytest.approx(0.5, abs=0.08)
    assert (agreements() > before + 0.1).all()


# -- Runs -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return the folder of a short finished run, and the run."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    return folder, train(SIZES, folder, None, 3, "as typed", settings=SETTINGS)


def test_a_run_writes_scores_of_each_size(finished):
    folder, run = finished
    card = json.loads((folder / "agent.json").read_text(encoding="utf-8"))
    assert card["params"]["board_size"] == [5, 6, 7]
    assert card["sizes"] == {"board_size": [5, 7]}
    about = [(entry["params"], entry["against"]) for entry in card["scores"]]
    assert about == [
        ({"board_size": size}, spec) for size in (5, 7) for spec in ("random", "greedy")
    ]
    for size in (5, 6, 7):
        game = boardenvs.make("gomoku", board_size=size, win_length=4)
        network = agents.make(f"trained:{folder}/agent.onnx", game)
        search = agents.make(f"puct:4:{folder}/agent.onnx", game)
        assert agents.play_match(game, [network, search], 2, 0).games == 2
        for entry in card["scores"]:
            if entry["params"] == {"board_size": size}:
                again = agents.play_match(game, [network, entry["against"]], 8, entry["seed"])
                assert entry["score"] == pytest.approx(again[0], abs=1e-4)
    point = run.history[-1]
    for spec in ("random", "greedy"):
        each = [found[spec]["score"] for found in point["sizes"].values()]
        assert point[spec]["score"] == pytest.approx(np.mean(each))
        assert point[spec]["games"] == 2 * SETTINGS.evaluation_games
        assert point[spec]["low"] < point[spec]["score"] + 1e-9 <= point[spec]["high"] + 2e-9
    assert list(point["sizes"]) == ["5", "7"]


def test_an_interrupted_run_ends_like_an_uninterrupted_one(finished, tmp_path):
    _, whole = finished
    run = TrainingRun(SIZES, SETTINGS, 3, tmp_path)
    advance = SelfPlay.advance

    def interrupted(self):
        if self.steps >= 300:
            raise KeyboardInterrupt
        return advance(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SelfPlay, "advance", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run.learn(progress=False)
    again = TrainingRun.resume(tmp_path)
    assert again.games == SIZES
    assert again.parts["guided"].steps <= run.parts["guided"].steps
    again.learn(progress=False)
    assert equal(weights(again.model.policy), weights(whole.model.policy))
    assert again.history == whole.history


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ppo_steps": 9}, r"ppo_steps .*got 9 for Gomoku\(board_size=\[5, 7\]"),
        ({"network": "plain"}, "network .*got 'plain'"),
        ({"shares": {"6": 1}}, "shares .*board_size=5,7, got '6'$"),
        ({"shares": {"5": 0}}, "shares.*'5'.*got 0$"),
        ({"shares": {"5": "much"}}, "shares.*'5'.*got 'much'$"),
        ({"clone": CloningSettings(agent="exact:9")}, "exact"),
    ],
)
def test_settings_for_one_size_are_refused(changes, said, tmp_path, refused):
    with refused(said):
        TrainingRun(SIZES, replace(SETTINGS, **changes), 0, tmp_path)


def test_settings_only_for_several_sizes_are_refused_for_one(tmp_path, refused):
    with refused("shares .*Gomoku.*board_size=6"):
        TrainingRun(SIX, replace(SETTINGS, shares={"6": 1}), 0, tmp_path)


def test_the_evaluation_uses_an_agent_for_each_size():
    evaluation = SizesEvaluation(SIZES, ["random"], 0)
    players = [agents.make("greedy", game, 0) for game in SIZES]
    point = evaluation.point(players, 10, 0)
    assert point["sizes"]["5"]["random"]["games"] == 10
    assert evaluation.mean(point) == point["random"]["score"] > 0.5
    assert [e["params"] for e in evaluation.entries(players, 4, 0)] == [
        {"board_size": 5}, {"board_size": 7}
    ]  # fmt: skip


def test_one_int8_network_serves_all_sizes(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "_FASTER", 0.0)
    monkeypatch.setattr(tool, "_LEAST_SCORE", 0.0)
    for suffix in (".onnx", ".json"):
        source = (finished[0] / "agent.onnx").with_suffix(suffix)
        (tmp_path / source.name).write_bytes(source.read_bytes())
    path = tmp_path / "agent.onnx"
    small = ["--games", "6", "--simulations", "4"]
    monkeypatch.setattr(tool, "_ROUNDS", 1)
    monkeypatch.setattr(tool, "_CALIBRATION", 200)
    short = tool.quantise
    monkeypatch.setattr(
        tool, "quantise", lambda *a, **k: short(*a, **k, positions=64, seconds=0.002)
    )
    assert run_program(["quantise", str(path), *small]) == 0
    entry = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["int8"]
    assert [one["params"] for one in entry["sizes"]] == [{"board_size": 5}, {"board_size": 7}]
    assert entry["agreement"]["positions"] == 64
    assert entry["score"]["games"] == 6 == sum(one["score"]["games"] for one in entry["sizes"])
    for size in (5, 6, 7):
        game = boardenvs.make("gomoku", board_size=size, win_length=4)
        search = agents.make(f"puct:4:{path}", game)
        assert search.path.name == "agent.int8.onnx"
        assert search.act(game.new(3)).shape == (3,)


# -- The command ------------------------------------------------------------------------


def test_the_command_trains_on_several_sizes(monkeypatch, tmp_path, capsys):
    from agents.command import main

    def command(*words):
        status = main([str(word) for word in words])
        return status, *capsys.readouterr()

    short = replace(SETTINGS, clone=replace(SETTINGS.clone, steps=100), guided=None)
    asked = []
    monkeypatch.setattr(start_run, "settings_for", lambda game: asked.append(game) or short)
    monkeypatch.chdir(tmp_path)
    words = "train", "gomoku", "-p", "win_length=4", "-p", "board_size=7,5"
    status, out, _ = command(*words, "--out", "run")
    assert status == 0
    assert asked == [SIZES]
    lines = out.splitlines()
    assert [line.partition(":")[0] for line in lines[3:]] == [
        f"against {spec}, board_size={size}" for size in (5, 7) for spec in ("random", "greedy")
    ]
    card = json.loads(Path("run", "agent.json").read_text(encoding="utf-8"))
    assert card["command"] == "boardenvs train gomoku -p win_length=4 -p board_size=7,5 --out run"

    status, out, _ = command(*words, "--out", "run", "--resume")
    assert status == 0
    card = json.loads(Path("run", "agent.json").read_text(encoding="utf-8"))
    assert "-p board_size=5,7 -p win_length=4 --steps " in card["command"]

    for more, said in (
        (["--resume", "--out", "run", "-p", "board_size=5,6"], "board_size=5,7 -p win_length=4'?"),
        (["--resume", "--out", "run", "-p", "board_size=5"], "board_size=5,7 -p win_length=4'?"),
        (["-p", "board_size=5,99"], "got 99"),
    ):
        status, out, err = command(*words, *more)
        assert (status, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1


def test_training_on_several_sizes_on_a_cluster_is_refused(refused):
    from agents.training.self_play.ray_actors import RayActors

    with refused("one board size.*--engine local"):
        RayActors(None, SIZES, shares_of(SIZES), GUIDED, 0, [])
