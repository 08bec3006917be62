"""Threads of loops: TBB is always used if installed, and measurements choose their number."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys

import numpy as np
import pytest

from boardenvs.envs.batch import BatchEnv
from boardenvs.kernels import threads as numba_threads
from boardenvs.kernels.tuner import ThreadTuner

# -- Choice of the number, on a simulated machine -----------------------------------------


class Machine:
    """A simulated machine whose loop takes `cost(threads)` nanoseconds per game."""

    def __init__(self, most, plies, games=1000):
        self.tuner = ThreadTuner(most, plies)
        self.games = games
        self.spent = 0.0
        self.timed = 0
        self.used = []

    def run(self, calls, cost):
        """Run some calls and return the mean nanoseconds per game."""
        before = self.spent
        for _ in range(calls):
            took = self.games * cost(self.tuner.threads)
            self.used.append(self.tuner.threads)
            self.spent += took
            if self.tuner.is_timed():
                self.timed += 1
                self.tuner.took(self.games, int(took))
        return (self.spent - before) / calls / self.games


def table(**costs):
    """Return the function from a number of threads to its cost."""
    return lambda threads: costs[f"t{threads}"]


def test_the_fastest_number_of_threads_is_found_and_kept():
    for costs, best in [
        ({"t1": 400, "t2": 210}, 210),
        ({"t1": 400, "t2": 430}, 400),
        ({"t1": 400, "t2": 900}, 400),
        ({"t1": 400, "t2": 210, "t4": 130, "t8": 500}, 130),
        ({"t1": 400, "t2": 210, "t4": 130, "t8": 70}, 70),
        ({"t1": 100, "t2": 210, "t4": 230, "t8": 500}, 100),
    ]:
        machine = Machine(int(list(costs)[-1][1:]), 4096)
        machine.run(500, table(**costs))
        assert machine.run(5000, table(**costs)) < 1.04 * best


@pytest.mark.parametrize("times", [1.5, 5, 100])
def test_useless_threads_cost_less_than_four_percent(times):
    """Threads that never pay off cost little, even if they take a hundred times as long."""
    machine = Machine(2, 4096)
    machine.run(3, table(t1=100, t2=100 * times))
    assert machine.run(200_000, table(t1=100, t2=100 * times)) < 1.04 * 100


def test_a_core_taken_and_released_by_another_program_is_noticed():
    quiet, busy = table(t1=100, t2=55), table(t1=105, t2=160)
    machine = Machine(2, 4096)
    assert machine.run(3000, quiet) < 1.04 * 55
    machine.run(300, busy)
    assert machine.run(3000, busy) < 1.04 * 105
    machine.run(3000, quiet)
    assert machine.run(3000, quiet) < 1.04 * 55


def test_threads_with_rare_long_waits_are_judged_by_their_mean():
    rng = np.random.default_rng(0)

    def cost(threads):
        return 100 if threads == 1 else (3000 if rng.random() < 0.05 else 60)  # mean 207

    machine = Machine(2, 4096)
    machine.run(1000, cost)
    assert machine.run(30_000, cost) < 1.12 * 100


def test_one_slow_call_does_not_change_the_number_of_threads():
    machine = Machine(2, 4096)
    machine.run(1000, table(t1=100, t2=50))
    machine.run(1, lambda _: 1e7)  # a pause of ten seconds
    machine.run(200, table(t1=100, t2=50))
    assert machine.run(1000, table(t1=100, t2=50)) < 1.04 * 50


def test_a_small_batch_stays_on_one_thread():
    machine = Machine(2, 300, games=300)
    machine.run(100_000, table(t1=70, t2=1))  # 21 microseconds per call
    assert set(machine.used) == {1}
    assert machine.timed < 1000


def test_a_few_long_games_finally_get_threads():
    machine = Machine(2, 300, games=300)
    machine.run(2000, table(t1=10_000, t2=6000))  # three milliseconds per call
    assert machine.used[0] == 1
    assert machine.used[-1] == 2


def test_only_a_few_calls_are_timed_in_the_long_run():
    machine = Machine(2, 4096)
    machine.run(100, table(t1=100, t2=55))
    before = machine.timed
    machine.run(10_000, table(t1=100, t2=55))
    assert machine.timed - before < 3000


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, np.inf),
        ({"cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n"}, 0.5),
        ({"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}, np.inf),
        ({}, np.inf),
    ],
)
def test_the_quota_of_a_control_group_limits_the_cores(tmp_path, monkeypatch, files, cores):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert numba_threads._quota_of(tmp_path) == cores
    monkeypatch.setattr(numba_threads, "_quota", lambda: cores)
    assert 1 <= numba_threads.cores() <= max(1, cores)


def test_a_fixed_number_of_threads_is_the_default(fixed_threads, monkeypatch):
    asked = []
    monkeypatch.setattr(numba_threads._threads, "usable", lambda: bool(asked.append("threads")))
    fixed_threads(1)
    batch = BatchEnv("game112", 4096, 0)
    batch.step(batch.action_mask.argmax(1))
    assert asked == []
    fixed_threads(2)
    few = BatchEnv("game112", 4, 0)
    few.step([0, 0, 0, 0])
    assert asked
    for bad in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match=r"^num "):
            fixed_threads(bad)


def test_games_do_not_depend_on_measured_times(fixed_threads):
    def rollout():
        batch = BatchEnv("game112", 1500, 3)
        for step in range(150):
            batch.step(np.argmax(batch.action_mask * ((np.arange(18) * 7 + step) % 37), 1))
        return batch.states.tobytes()

    fixed_threads(None)
    measured = rollout()
    fixed_threads(1)
    assert rollout() == measured


# -- Threading layers of all entry points --------------------------------------------------


def _has_tbb():
    try:
        return importlib.metadata.version("tbb") is not None
    except importlib.metadata.PackageNotFoundError:
        return False


needs_tbb = pytest.mark.skipif(not _has_tbb(), reason="needs TBB")

BATCH = """
import boardenvs
batch = boardenvs.BatchEnv("game112", 4096)
batch.step(batch.action_mask.argmax(1))
"""
VECTOR = """
import gymnasium
envs = gymnasium.make_vec("boardenvs:boardenvs/Game112-v0", 4096,
                          vectorization_mode="vector_entry_point")
seen, infos = envs.reset(seed=0)
envs.step(infos["action_mask"].argmax(1))
"""
ASKED_FIRST = """
import numba
import boardenvs
game = boardenvs.make("game112")
game.new(1, 0)
numba.get_num_threads()  # which makes Numba choose
"""
# Searches use Python threads; later loops must still use TBB.
SEARCH = (
    """
import agents
import boardenvs
game = boardenvs.make("game112")
agents.make("mcts:2", game, seed=0).act(game.new(1024, 0))
"""
    + BATCH
)
TRAINING = """
import boardenvs
from pathlib import Path
from agents.training.run import TrainingRun
from agents.training.settings import Settings

settings = Settings(ppo_steps=1024, num_envs=1024, rollout=1, batch_size=1024, epochs=1,
                    hidden=(16,), selves=1, evaluate_every=4096, evaluation_games=10,
                    final_games=10)
TrainingRun(boardenvs.make("game112"), settings, 0, Path("run")).learn(progress=False)
"""
TELL = """
import numba
print(numba.threading_layer())
"""


def layer_after(script, folder, **environment):
    """Return the threading layer in a new process after a script, in a user's environment."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "OMP"))}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**inherited, "NUMBA_NUM_THREADS": "2", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@needs_tbb
@pytest.mark.slow
@pytest.mark.parametrize("way", [BATCH, VECTOR, ASKED_FIRST, SEARCH, TRAINING])
def test_threads_use_tbb_if_it_is_installed(tmp_path, way):
    assert layer_after(way + TELL, tmp_path) == ["tbb"]


# With one core, no thread has taken the task that started TBB's threads.
FORKS = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import boardenvs
batch = boardenvs.BatchEnv("game112", 64, threads=2)
batch.step(batch.action_mask.argmax(1))
if os.fork() == 0:
    os._exit(0)
os.wait()
"""


@needs_tbb
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs sched_setaffinity")
def test_a_process_that_forks_on_one_core_ends(tmp_path):
    assert layer_after(FORKS + TELL, tmp_path) == ["tbb"]


TELLING_AGENT = """
import os
from pathlib import Path

import numba
import boardenvs


class Telling:
    deterministic = True

    def __init__(self, game):
        self.game = game

    def act(self, states):
        batch = boardenvs.BatchEnv(self.game, 2048, 0)
        batch.step(batch.action_mask.argmax(1))
        numba.get_num_threads()  # a worker has one thread, and starts none by itself
        Path(f"layer-{os.getpid()}").write_text(numba.threading_layer())
        return self.game.legal(states).argmax(1)


def make(game, seed):
    return Telling(game)
"""


@pytest.mark.slow
@needs_tbb
def test_workers_of_an_arena_use_tbb(tmp_path):
    (tmp_path / "telling.py").write_text(TELLING_AGENT)
    arguments = ["arena", "game112", "telling:make", "random", "--games", "4", "--workers", "2"]
    (tmp_path / "arena.py").write_text(
        f"from agents.command import main\nif __name__ == '__main__':\n    main({arguments})\n"
    )
    layer_after("import runpy; runpy.run_path('arena.py', run_name='__main__')", tmp_path)
    told = {path.read_text() for path in tmp_path.glob("layer-*")}
    assert told == {"tbb"}
