"""A run on a cluster of two nodes: it ends with an agent that beats random, and can go on."""

import copy
import itertools
import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import agents
import boardenvs
from agents.arena.cluster import joined
from agents.command import main
from agents.rllib.folder import read_run
from agents.rllib.settings import ClusterSettings
from agents.training.settings import Settings

pytest.importorskip("ray.rllib")

import ray
from ray import cloudpickle
from ray.cluster_utils import Cluster
from ray.rllib.algorithms.ppo import ppo
from ray.rllib.core.columns import Columns

from agents.rllib.line_ups import LEARNER, earlier
from agents.rllib.run import ClusterRun

# Ray leaves sockets and files of its processes to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
    # Each run in a process registers RLlib's environment anew.
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib:UserWarning"),
]

# The env runners cannot import this module, whose functions they are asked to call.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

GAME = boardenvs.make("gomoku", board_size=5, win_length=3)
SETTINGS = ClusterSettings(
    Settings(
        steps=6000,
        batch_size=256,
        hidden=(64,),
        learning_rate=3e-3,
        remember_every=2000,
        evaluate_every=3000,
        evaluation_games=50,
        final_games=200,
    ),
    plies=1000,
    games=16,
    selves=2,
)


@pytest.fixture(scope="module")
def cluster():
    """Two nodes of one core each."""
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        made.add_node(num_cpus=1)
        made.wait_for_nodes()
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


@pytest.fixture(scope="module")
def finished(cluster, tmp_path_factory):
    """A finished run, and what its processes said before they were let go."""
    folder = tmp_path_factory.mktemp("runs") / "gomoku"
    with joined("training", cluster.address):
        run = ClusterRun(GAME, SETTINGS, 1, folder, 2)
        run.learn(progress=False)
        group = run.algorithm.env_runner_group
        return SimpleNamespace(
            run=run,
            network=run.finish("the command"),
            places=run.places(),
            games=group.foreach_env_runner(games_dealt, local_env_runner=False),
            learner=weights(run.algorithm.get_module(LEARNER)),
            # Copied, since the arrays lie in Ray's memory, which goes with the connection.
            modules=copy.deepcopy(group.foreach_env_runner(all_weights, local_env_runner=False)),
            told=run.algorithm.get_module(LEARNER),
            gradient_steps=int(optimizer(run).state_dict()["state"][0]["step"]),
            learning_rate=optimizer(run).param_groups[0]["lr"],
            stopped=run.stop(),
        )


@pytest.fixture
def connected(cluster):
    """For tests that make runs of their own."""
    with joined("training", cluster.address):
        yield


def optimizer(run):
    return run.algorithm.learner_group._learner.get_optimizer(LEARNER)


def games_dealt(env_runner):
    return env_runner._callbacks[0]._count


def weights(module):
    return {name: value.numpy().copy() for name, value in module.state_dict().items()}


def all_weights(env_runner):
    names = [LEARNER, *(earlier(k) for k in range(SETTINGS.selves))]
    return {name: weights(env_runner.module[name]) for name in names}


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def test_env_runners_play_on_both_nodes(finished, cluster):
    assert sorted(finished.places) == sorted(n.node_id for n in cluster.list_all_nodes())
    assert min(finished.games) > 100


def test_every_env_runner_has_the_learner_and_its_earlier_selves(finished):
    for modules in finished.modules:
        assert same(modules[LEARNER], finished.learner)
        for k in range(SETTINGS.selves):
            assert same(modules[earlier(k)], finished.modules[0][earlier(k)])
            assert not same(modules[earlier(k)], finished.learner)
    assert not same(*(finished.modules[0][earlier(k)] for k in range(2)))


def test_the_learning_rate_falls_to_about_a_tenth(finished):
    assert 0.1 <= finished.learning_rate / SETTINGS.training.learning_rate < 0.2


def test_the_agent_beats_random(finished):
    trained = agents.make(f"trained:{finished.network}", GAME)
    scores = agents.play_match(GAME, [trained, "random"], 200, seed=11)
    assert scores.interval(0)[0] > 0.5, scores


def test_the_network_is_the_module(finished, live_positions):
    states = live_positions(GAME, 10, 0)
    seen = GAME.observe(states, states["to_move"])
    logits, values = agents.make(f"trained:{finished.network}", GAME).evaluate(states)
    given = {
        Columns.OBS: {
            "observations": torch.as_tensor(seen),
            "action_mask": torch.ones((len(states), GAME.num_actions), dtype=torch.int8),
        }
    }
    found = finished.told.forward_inference(given)
    expected = found[Columns.ACTION_DIST_INPUTS].numpy()
    np.testing.assert_allclose(logits, expected, rtol=1e-3, atol=1e-4)
    expected = finished.told.compute_values(given).detach().numpy()
    np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-4)


def test_card_and_curve(finished):
    card = json.loads(finished.network.with_suffix(".json").read_text())
    assert (card["engine"], card["game"], card["params"]) == ("ray", "gomoku", GAME.params)
    assert (card["seed"], card["command"]) == (1, "the command")
    assert card["steps"] == finished.run.progress.steps >= SETTINGS.training.steps
    assert card["settings"]["env_runners"] == 2
    assert card["settings"]["training"]["learning_rate"] == 3e-3
    assert card["versions"]["ray"] == ray.__version__
    assert [(entry["against"], entry["games"]) for entry in card["scores"]] == [
        ("random", 200),
        ("greedy", 200),
    ]
    assert (finished.run.folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert len(finished.run.progress.history) == 3


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of the finished run's folder, to go on in."""
    return Path(shutil.copytree(finished.run.folder, tmp_path / "copy"))


@pytest.mark.usefixtures("connected")
def test_going_on_from_a_checkpoint(finished, copied):
    run = ClusterRun.resume(read_run(copied, 7000), 0)
    try:
        assert (run.progress.steps, run.progress.history) == (
            finished.run.progress.steps,
            finished.run.progress.history,
        )
        assert same(weights(run.algorithm.get_module(LEARNER)), finished.learner)
        here = run.algorithm.env_runner_group.local_env_runner
        assert all(same(v, finished.modules[0][k]) for k, v in all_weights(here).items())
        moments = optimizer(run).state_dict()["state"]
        assert moments
        assert all(int(one["step"]) == finished.gradient_steps for one in moments.values())
        run.learn(progress=False)
        assert run.progress.steps >= 7000
        assert read_run(run.folder).progress.steps == run.progress.steps
        assert not same(weights(run.algorithm.get_module(LEARNER)), finished.learner)
    finally:
        run.stop()


@pytest.mark.usefixtures("connected")
def test_an_env_runner_lost_in_mid_run(copied):
    run = ClusterRun.resume(read_run(copied, 12_000), 2)
    group = run.algorithm.env_runner_group
    ray.kill(group._worker_manager.actors()[1], no_restart=False)
    run.learn(progress=False)
    modules = group.foreach_env_runner(all_weights, local_env_runner=False)
    games = group.foreach_env_runner(games_dealt, local_env_runner=False)
    assert group.num_remote_worker_restarts() == 1
    run.stop()
    assert run.progress.steps >= 12_000
    assert len(games) == 2
    assert min(games) > 20
    assert all(same(modules[0][name], modules[1][name]) for name in modules[0])


def test_the_command_goes_on(finished, cluster, copied, capsys):
    params = ["-p", "board_size=5", "-p", "win_length=3"]
    asked = ["--engine", "ray", "--address", cluster.address, "--resume", "--out", str(copied)]
    assert main(["train", "gomoku", *params, *asked, "--steps", "7000"]) == 0
    told = capsys.readouterr().out
    assert f"going on from step {finished.run.progress.steps:,} of 7,000" in told
    assert "env runners: 2, on 2 nodes" in told
    assert "against random: " in told
    card = json.loads((copied / "agent.json").read_text())
    assert card["command"] == (
        "boardenvs train gomoku -p board_size=5 -p win_length=3 -p max_plies=25 "
        "--engine ray --steps 7000 --seed 1"
    )


@pytest.mark.usefixtures("connected")
def test_the_same_run_from_the_same_seed(tmp_path):
    def learned(seed):
        few = replace(SETTINGS.training, steps=800, evaluation_games=10)
        run = ClusterRun(GAME, replace(SETTINGS, training=few), seed, tmp_path / "again", 0)
        run.learn(progress=False)
        run.stop()
        return run.progress.steps, weights(run.algorithm.get_module(LEARNER))

    steps, first = learned(3)
    assert learned(3)[0] == steps
    assert same(learned(3)[1], first)
    assert not same(learned(4)[1], first)


def compiled(env_runner):
    """For how many kinds of arguments each of the game's kernels is compiled in this process."""
    kernels = vars(env_runner.env.unwrapped.envs[0].unwrapped.game.kernels)
    return {name: len(k.overloads) for name, k in kernels.items() if hasattr(k, "overloads")}


@pytest.mark.usefixtures("connected")
def test_env_runners_compile_before_they_are_asked_for_games(tmp_path):
    run = ClusterRun(GAME, SETTINGS, 1, tmp_path / "run", 1)
    (before,) = run.algorithm.env_runner_group.foreach_env_runner(compiled, local_env_runner=False)
    run.algorithm.train()
    (after,) = run.algorithm.env_runner_group.foreach_env_runner(compiled, local_env_runner=False)
    run.stop()
    assert before == after
    assert before.keys() >= {"start_game", "take_ply", "observe_games"}
    assert min(before.values()) >= 1


@pytest.fixture
def silent(monkeypatch):
    """The function that lets RLlib get no games at the given calls, as where all come too late."""
    sample = ppo.synchronous_parallel_sample
    calls = itertools.count(1)

    def put(when):
        def sampled(**options):
            return ([], []) if next(calls) in when else sample(**options)

        monkeypatch.setattr(ppo, "synchronous_parallel_sample", sampled)
        return calls

    return put


@pytest.mark.usefixtures("connected")
def test_iterations_without_games(tmp_path, silent):
    few = replace(SETTINGS.training, steps=1200, evaluation_games=10)
    calls = silent({1, 2, 4})
    run = ClusterRun(GAME, replace(SETTINGS, training=few), 3, tmp_path / "run", 0)
    run.learn(progress=False)
    run.stop()
    assert next(calls) > 5
    assert 1200 <= run.progress.steps < 2200
    assert read_run(run.folder).progress.steps == run.progress.steps


def test_no_games_at_all(finished, cluster, copied, silent, capsys):
    calls = silent(range(1000))
    params = ["-p", "board_size=5", "-p", "win_length=3"]
    asked = ["--engine", "ray", "--address", cluster.address, "--resume", "--out", str(copied)]
    assert main(["train", "gomoku", *params, *asked, "--steps", "7000"]) == 2
    assert next(calls) == 4
    assert capsys.readouterr().err.endswith(
        "boardenvs: error: training on Ray failed: no env runner sent any games, 3 times in a row, "
        "with 300 seconds for it\n"
    )
    assert read_run(copied).progress.steps == finished.run.progress.steps


@pytest.mark.usefixtures("connected")
def test_a_damaged_checkpoint(copied, refused):
    saved = read_run(copied)
    for part in saved.checkpoint.rglob("module_state.pkl"):
        part.write_bytes(b"")
    with refused("is damaged: "):
        ClusterRun.resume(saved, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--address", "127.0.0.1:1"], "there is no Ray cluster at 127.0.0.1:1"),
        (["--steps", "0"], "steps must be a whole number of at least 1, got 0"),
        (["--seed", "-1"], "seed must be a whole number from 0"),
        (["--resume"], "holds no run that can go on"),
    ],
)
def test_what_the_command_refuses(tmp_path, capsys, arguments, said):
    out = ["--out", str(tmp_path / "run")]
    assert main(["train", "gekitai", "--engine", "ray", *out, *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--resume", "--steps", "10"], "holds a run of .* steps already, got 10"),
        (["--resume", "--seed", "2"], "holds a run with seed 1, not 2"),
        ([], "holds a run: --resume it, or name another --out"),
    ],
)
def test_what_does_not_fit_the_run(copied, capsys, arguments, said):
    params = ["-p", "board_size=5", "-p", "win_length=3"]
    asked = ["--engine", "ray", "--out", str(copied), *arguments]
    assert main(["train", "gomoku", *params, *asked]) == 2
    assert re.fullmatch(f"boardenvs: error: .*{said}\n", capsys.readouterr().err)
    assert main(["train", "gekitai", "--engine", "ray", "--out", str(copied), "--resume"]) == 2
    assert "holds a run of Gomoku(" in capsys.readouterr().err
