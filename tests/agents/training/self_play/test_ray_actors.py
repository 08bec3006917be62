"""Search-guided training on a Ray cluster: equal agents, and lost actors."""

import functools
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from gymnasium import spaces

import boardenvs
from agents.command import main
from agents.networks.policy_networks import BoardPolicy
from agents.training.self_play.actors import LocalActors
from agents.training.self_play.learner import SelfPlay
from agents.training.self_play.ray_actors import RayActors
from agents.training.settings import GuidedSettings

ray = pytest.importorskip("ray")

# Ray leaves closing its sockets and files to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
]

GAME = boardenvs.make("gomoku", board_size=5, win_length=4)
SETTINGS = GuidedSettings(
    steps=20_000,
    games=8,
    actors=1,
    plies=4,
    simulations=8,
    opponent_share=0.25,
    buffer=300,
    warm_up=60,
    batch_size=32,
    reuse=4.0,
)
ON_RAY = functools.partial(RayActors, ray)


@pytest.fixture
def connected(cluster):
    ray.init(address=cluster[0].address, log_to_driver=False, logging_level="ERROR")
    return cluster


@pytest.fixture
def one_core():
    ray.init(num_cpus=1, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def policy():
    torch.manual_seed(0)
    return BoardPolicy(
        spaces.Box(0, 1, GAME.observation_shape, np.int8),
        spaces.Discrete(GAME.num_actions),
        lambda left: 1e-3,
        net_arch=[16],
        features_extractor_kwargs={"channels": 16, "blocks": 1},
    )


def learner(actors, opponents=("random", "greedy")):
    return SelfPlay((GAME,), (1.0,), policy(), SETTINGS, 0, opponents, actors)


def equal(one, other):
    theirs = other.policy.state_dict()
    return all(torch.equal(value, theirs[key]) for key, value in one.policy.state_dict().items())


@pytest.mark.usefixtures("one_core")
def test_a_single_remote_actor_gives_the_same_agent_as_a_local_one():
    there, here = learner(ON_RAY), learner(LocalActors)
    for _ in range(10):
        assert there.advance() == here.advance()
    assert there.steps == here.steps > 200
    assert equal(there, here)
    assert not equal(here, learner(LocalActors))


@pytest.mark.usefixtures("connected")
def test_actors_play_during_learning_and_a_killed_actor_loses_only_its_games():
    one = learner(ON_RAY)
    one.advance()
    actors = one._actors
    assert actors.ahead
    assert len(actors._playing) == 2  # started again before the network learned
    (victim, *_) = actors._playing.values()
    ray.kill(victim)
    before = one.steps
    for _ in range(8):
        one.advance()
    assert one.steps > before + 8 * SETTINGS.plies
    assert actors._number == 3
    assert victim not in [*actors._free, *actors._playing.values()]


def test_actors_follow_lost_and_new_nodes(connected):
    made, node = connected
    one = learner(ON_RAY)
    for _ in range(3):
        one.advance()
    made.remove_node(node)
    for _ in range(8):
        one.advance()
    node = made.add_node(num_cpus=1)
    made.wait_for_nodes()
    before = one.steps
    for _ in range(8):
        one.advance()
    assert one.steps > before
    assert one._actors.cores() == 2
    assert one._actors.ahead


@pytest.mark.usefixtures("one_core")
def test_a_restored_learner_continues_with_new_games(tmp_path):
    one = learner(ON_RAY)
    for _ in range(6):
        one.advance()
    torch.save(one.state(), tmp_path / "state.pt")
    state = torch.load(tmp_path / "state.pt", weights_only=True)
    one._actors.load_state(one._actors.state())  # frees the core
    for actors in (LocalActors, ON_RAY):
        again = learner(actors)
        again.load_state(state)
        assert equal(again, one)
        again.advance()
        assert again.steps > one.steps
        assert len(again.fitter.buffers[0]) >= len(one.fitter.buffers[0])


def test_a_failing_opponent_ends_training_in_one_line(own_module, refused, request):
    own_module(
        "breaking",
        """
from agents import Agent

class Breaking(Agent):
    def choose(self, states, words):
        raise RuntimeError("no idea")
""",
    )
    request.getfixturevalue("one_core")  # now that the module exists
    with refused("RuntimeError: no idea"):
        one = learner(ON_RAY, ["breaking:Breaking"])
        for _ in range(3):
            one.advance()


@pytest.mark.slow
def test_a_killed_learner_continues_from_its_checkpoint(tmp_path):
    """`--resume` continues a `boardenvs train --engine ray` that was killed by kill -9."""
    settings = tmp_path / "small.toml"
    settings.write_text(
        """
ppo_steps = 0
evaluate_every = 200
evaluation_games = 4
final_games = 4
network = "convolutional"
hidden = [8]
channels = 8
blocks = 1
[guided]
steps = 3000
games = 8
actors = 1
plies = 4
simulations = 4
warm_up = 50
batch_size = 32
reuse = 1.0
""",
        encoding="utf-8",
    )
    dying = f"""
import os, signal
from agents.training.self_play.learner import SelfPlay
from agents.command import main
advance = SelfPlay.advance
def until(self):
    if self.steps > 700:
        os.kill(os.getpid(), {int(signal.SIGKILL)})
    return advance(self)
SelfPlay.advance = until
main()
"""
    words = ["train", "gekitai", "--engine", "ray", "--out", str(tmp_path / "run")]
    fresh = [*words, "--settings", str(settings)]
    done = subprocess.run(
        [sys.executable, "-c", dying, *fresh], check=False, capture_output=True, env=os.environ
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    main = "from agents.command import main; main()"
    again = subprocess.run(
        [sys.executable, "-c", main, *words, "--resume", "--steps", "1200"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert again.returncode == 0, again.stderr
    assert "going on from step" in again.stdout
    assert (tmp_path / "run" / "agent.onnx").exists()


def test_settings_without_search_guided_self_play_are_refused(tmp_path, capsys):
    words = ["train", "pizza_order", "--engine", "ray", "--out", str(tmp_path / "run")]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "[guided]" in told
    assert "PizzaOrder(" in told
    assert not (tmp_path / "run").exists()
