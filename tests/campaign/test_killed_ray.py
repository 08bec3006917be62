"""Attack games and training on a Ray cluster by killing its processes at random moments.

Each round kills up to three of the processes in which Ray plays. A round fails if the arena has
other results than without Ray, or if training does not finish. Rounds depend on timing, so a
repeated round may end differently.
"""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import boardenvs
from agents.arena import round_robin
from agents.arena.workers import ray_tasks

ray = pytest.importorskip("ray")

pytestmark = [
    pytest.mark.takes(20),
    # Ray leaves closing its sockets and files to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
]

KILLS = 3
"""Number of kills in a round."""
SPECS = ["random", "greedy", "mcts:400"]
GAMES = 40


def parent(pid):
    """Return the ID of a process's parent."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def players():
    """Return the IDs of Ray's worker processes on the node that this process started."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended
            title = (place / "cmdline").read_bytes()
            # Ray exits if one of its agents is missing.
            if (
                title.startswith(b"ray::")
                and b"Agent" not in title
                and parent(parent(place.name)) == os.getpid()
            ):
                found.append(int(place.name))
    return sorted(found)


class Killer(threading.Thread):
    """A thread that kills Ray's worker processes at random moments."""

    def __init__(self, seed, seconds):
        super().__init__(daemon=True)
        self._rng = np.random.default_rng(seed)
        self._waits = self._rng.uniform(0, seconds / KILLS, KILLS)
        self._end = threading.Event()
        self.kills = 0

    def run(self):
        for wait in self._waits:
            if self._end.wait(wait):
                return
            if there := players():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(there[self._rng.integers(len(there))], signal.SIGKILL)
                    self.kills += 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self.join()


@pytest.fixture
def cluster():
    """Start Ray with two cores, independent of the machine."""
    ray.init(num_cpus=2, log_to_driver=False, logging_level="FATAL", include_dashboard=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
@pytest.mark.attack("kill -9 of Ray's processes: an arena", "kills")
def test_a_killed_arena_on_ray_can_be_continued(attack):
    game = boardenvs.make("gekitai")
    here = list(round_robin(game, SPECS, GAMES, 1))
    began = time.monotonic()
    assert list(round_robin(game, SPECS, GAMES, 1, engine=ray_tasks.play)) == here
    seconds = time.monotonic() - began
    for seed in attack.rounds():
        with Killer(seed, seconds) as killer:
            try:
                played = list(round_robin(game, SPECS, GAMES, 1, engine=ray_tasks.play))
            except Exception as error:  # noqa: BLE001 every error is a failure
                attack.failed(seed, f"{killer.kills} kills", f"{type(error).__name__}: {error}")
            else:
                if played != here:
                    attack.failed(seed, f"{killer.kills} kills", f"{played}, not {here}")
        attack.count(killer.kills)


@pytest.mark.usefixtures("cluster")
@pytest.mark.attack("kill -9 of Ray actors: training", "kills")
def test_killed_training_on_ray_can_be_resumed(attack):
    import torch
    from gymnasium import spaces

    from agents.networks.policy_networks import BoardPolicy
    from agents.training.self_play.learner import SelfPlay
    from agents.training.self_play.ray_actors import RayActors
    from agents.training.settings import GuidedSettings

    game = boardenvs.make("gomoku", board_size=5, win_length=4)
    settings = GuidedSettings(
        steps=20_000, games=8, actors=2, plies=4, simulations=8, buffer=300, warm_up=60,
        batch_size=32, reuse=4.0,
    )  # fmt: skip
    for seed in attack.rounds():
        torch.manual_seed(0)
        policy = BoardPolicy(
            spaces.Box(0, 1, game.observation_shape, np.int8),
            spaces.Discrete(game.num_actions),
            lambda left: 1e-3,
            net_arch=[16],
            features_extractor_kwargs={"channels": 16, "blocks": 1},
        )
        actors = []

        def made(*given, actors=actors):
            actors.append(RayActors(ray, *given))
            return actors[-1]

        learner = SelfPlay((game,), (1.0,), policy, settings, 0, ("random", "greedy"), made)
        with Killer(seed, 10) as killer:
            try:
                until = time.monotonic() + 120
                while killer.is_alive() or learner.steps < 600:
                    learner.advance()
                    assert time.monotonic() < until, "no end within two minutes"
            except Exception as error:  # noqa: BLE001 every error is a failure
                attack.failed(seed, f"{killer.kills} kills", f"{type(error).__name__}: {error}")
        for one in actors:  # frees the cores
            one.load_state(one.state())
        attack.count(killer.kills)
