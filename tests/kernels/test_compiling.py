"""Compiled kernels: cached on disk, safe with threads and processes, equal to plain Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import boardenvs

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("default_cache_folder")]

PACKAGE = Path(boardenvs.__file__).parent


def run(script, folder, *options, **environment):
    """Return the output of a new interpreter that runs a script in `folder` without errors."""
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run(
        [sys.executable, *options, str(path)],
        cwd=folder,
        env={**os.environ, "NUMBA_NUM_THREADS": "2", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


# -- The cache on disk ----------------------------------------------------------------

USE_KERNELS = """
import numpy as np
import boardenvs

game = boardenvs.make("game112", board_size=3)
states = game.new(2, 0)
for actions in ([0, 0], [2, 0], [5]):  # 1 1 2 wins; a position taken twice loses
    game.play(states[: len(actions)], actions)
print(game.returns(states).tolist(), game.terminated(states).tolist())
"""
STEP_BATCHES = """
for threads in (1, 2):
    boardenvs.BatchEnv(game, 4, 0, threads=threads).step([0, 1, 2, 3])
"""
COUNT_CACHE = """
stats = [kernel.stats for kernel in vars(game.kernels).values() if hasattr(kernel, "stats")]
print(sum(sum(s.cache_hits.values()) for s in stats))
print(sum(sum(s.cache_misses.values()) for s in stats))
print(boardenvs.__file__)
"""


@pytest.fixture
def package(tmp_path):
    """Return a folder with a copy of the package without compiled code."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "boardenvs", ignore=ignore)
    return tmp_path


def use_kernels(package, more=""):
    """Return the results of the copy's rules, its cache hits and its cache misses."""
    out = run(USE_KERNELS + more + COUNT_CACHE, package, PYTHONPATH=str(package))
    said, hits, misses, file = out.splitlines()
    assert file == str(package / "boardenvs" / "__init__.py")
    return said, int(hits), int(misses)


def cached(folder):
    """Return the modification time of each file of cached machine code."""
    return {file: file.stat().st_mtime_ns for file in folder.rglob("*.nbc")}


def test_a_second_process_compiles_nothing(package):
    said, hits, misses = use_kernels(package, STEP_BATCHES)
    files = cached(package)
    assert hits == 0
    assert misses >= 3
    # Includes the code for `STEP_BATCHES`.
    assert {file.parent for file in files} == {package / "boardenvs" / "__pycache__"}
    assert len(files) >= misses + 2
    assert use_kernels(package, STEP_BATCHES) == (said, misses, 0)
    assert cached(package) == files


def test_changed_source_is_compiled_again(package):
    said, _, _ = use_kernels(package)
    assert said == "[[1.0, -1.0], [1.0, -1.0]] [True, True]"
    for file, old, new, expected in [
        (
            "game112/rules.py",
            "(s.cells[i + 2] == 2)",
            "(s.cells[i + 2] == 1)",
            "[[0.0, 0.0], [1.0, -1.0]] [True, True]",
        ),
        (
            "core/outcome.py",
            "_end_with_special(s, seat, -1.0)",
            "_end_with_special(s, seat, -2.0)",
            "[[0.0, 0.0], [2.0, -2.0]] [True, True]",
        ),
        (
            "core/loops.py",
            "    else:\n        forfeit(s)\n    refresh_mask",
            "    else:\n        pass\n    refresh_mask",
            "[[0.0, 0.0], [0.0, 0.0]] [True, False]",
        ),
    ]:
        path = package / "boardenvs" / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))
        said, _, misses = use_kernels(package)
        assert misses > 0
        assert said == expected


# -- Names that a loop uses from the rules -----------------------------------------------

# A game whose helpers have the same names as global names of the loops.
SHADOWED = """
import importlib
import sys
from pathlib import Path

import numpy as np

import agents
import boardenvs
from boardenvs.game112 import Game112
from boardenvs.kernels.binding import Hook

SEARCH = ("tree", "descent", "backup", "outputs", "rollouts", "puct_loops", "solving.exact_search")
MODULES = [
    "boardenvs.core.loops",
    "agents.players.greedy",
    *(f"agents.search.{name}" for name in SEARCH),
]
own = importlib.import_module("boardenvs.game112.rules")
helpers = []
for name in MODULES:
    module = importlib.import_module(name)
    own_names = {n: one for n, one in vars(module).items() if not n.startswith("__")}
    names = {n for n, one in own_names.items() if not isinstance(one, Hook)}
    helpers += sorted(names - set(vars(own)) - set(helpers))
assert {"act", "restart", "expand", "select", "write_outputs", "settle"} <= set(helpers)
package = Path("shadowed")
package.mkdir()
poison = "".join(f"def {name}(*given): return given[0]\\n" for name in helpers)
source = Path(own.__file__).read_text(encoding="utf-8")
(package / "rules.py").write_text(source + poison, encoding="utf-8")
(package / "__init__.py").write_text(
    "from boardenvs.game112 import Game112\\n"
    "class Shadowed(Game112):\\n"
    "    name = 'shadowed'\\n"
)
sys.path.insert(0, ".")
from shadowed import Shadowed


def played(game):
    batch = boardenvs.BatchEnv(game, 3, 0)
    seen = []
    for step in range(12):
        seen.append((batch.observation.tolist(), batch.action_mask.tolist()))
        batch.step(batch.action_mask.argmax(1))
    states = batch.states[:2].copy()
    uniform = {"decisive_rollouts": False}  # decisive moves are known of 112 alone
    for spec, options in (("greedy", {}), ("mcts:30", uniform), ("exact", {})):
        agent = agents.make(spec, game, seed=0, **options)
        seen.append([agent.act(states).tolist() for _ in range(2)])
    return seen


size = {"board_size": 4}
assert played(Shadowed(**size)) == played(Game112(**size))
print(Shadowed().rules.__name__)
"""


def test_a_helper_of_the_rules_does_not_replace_a_helper_of_a_loop(tmp_path):
    assert run(SHADOWED, tmp_path, NUMBA_DISABLE_JIT="1") == "shadowed.rules\n"


PLACES = """
import inspect
from boardenvs.core import loops

for loop in (loops.play_out, loops.step_game, loops.start_games):
    function = loop.bound_to("boardenvs.game112.rules")
    print(inspect.getsourcelines(function) == inspect.getsourcelines(loop.function))
"""


@pytest.mark.parametrize("disabled", ["0", "1"])
def test_bound_loops_keep_their_source_location(tmp_path, disabled):
    """Bound loops keep their source location for Numba, tracebacks, debuggers and coverage."""
    assert run(PLACES, tmp_path, NUMBA_DISABLE_JIT=disabled) == "True\n" * 3


# -- Threads and processes ------------------------------------------------------------

TWO_THREADS = """
import threading
import numpy as np
import boardenvs

game = boardenvs.make("gekitai")
NUM, STEPS = 300, 40


def play(threads, results, key, barrier):
    batch = boardenvs.BatchEnv(game, NUM, 0, threads=threads)
    barrier.wait()
    for step in range(STEPS):
        batch.step(np.argmax(batch.action_mask * ((np.arange(36) * 7 + step) % 37), 1))
        game.legal(game.new(50, step))
    results[key] = batch.states.tobytes()


results = {}
play(1, results, "expected", threading.Barrier(1))
barrier = threading.Barrier(4)
workers = [
    threading.Thread(target=play, args=(1 + key % 2, results, key, barrier)) for key in range(4)
]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert len(results) == 5
assert all(result == results["expected"] for result in results.values())
print("the same")
"""


def test_python_threads_can_use_kernels_at_once(tmp_path):
    """Serial and parallel kernels may run in several threads, even for the first time."""
    assert run(TWO_THREADS, tmp_path) == "the same\n"


PROCESSES = """
import multiprocessing
import sys
import warnings

import numpy as np
import boardenvs

warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # Python 3.12, of fork itself


def play(threads):
    game = boardenvs.make("gekitai")
    batch = boardenvs.BatchEnv(game, 64, 0, threads=threads)
    for step in range(20):
        batch.step(np.argmax(batch.action_mask * ((np.arange(36) * 7 + step) % 37), 1))
    return batch.states.tobytes()


if __name__ == "__main__":
    expected = play(1)
    assert play(2) == expected  # this process now has Numba's threads
    for method in multiprocessing.get_all_start_methods():
        pool = multiprocessing.get_context(method).Pool(2)
        results = pool.map(play, [1, 1, 2, 2], chunksize=1)
        pool.close()  # a terminated worker would leave Numba's lock behind, with a warning
        pool.join()
        assert results == [expected] * 4, method
        print(method)
    assert play(2) == expected
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and forkserver")
def test_a_process_with_threads_can_start_others(tmp_path):
    """Children of all start methods may use serial and parallel kernels."""
    methods = run(PROCESSES, tmp_path).split()
    assert {"spawn", "forkserver", "fork"} <= set(methods)


# -- Without compilation --------------------------------------------------------------

DIGEST = """
import hashlib
import random

import numpy as np
import boardenvs
from numba.core import config



def add(states):
    for field in game.state_dtype.names:
        digest.update(states[field].tobytes())


print(bool(config.DISABLE_JIT))
for name in boardenvs.GAMES:
    game = boardenvs.make(name)
    digest = hashlib.sha256()
    states = game.new(3, 11)
    rng = random.Random(11)
    while len(states):
        for seat in range(game.num_players):
            digest.update(game.observe(states, seat).tobytes())
            add(game.conceal(states, seat, np.random.default_rng(seat)))
        masks = game.legal(states)
        digest.update(masks.tobytes())
        actions = [rng.choice(np.flatnonzero(mask).tolist()) for mask in masks]
        game.play(states, actions)
        add(states)
        for state in states:
            assert game.from_dict(game.to_dict(state)) == state
            digest.update(game.to_text(state).encode())
        states = states[~game.over(states)]
    masks = np.zeros(game.num_actions, bool)
    states = game.new(20, 5)
    game.kernels.play_out(states, game.constants, np.arange(20, dtype=np.uint64), masks)
    add(states)
    states = game.new(6, 5)
    masks = game.legal(states)
    illegal = (~masks).argmax(1)
    game.play(states, illegal)
    add(states)
    for threads in (1, 2):
        batch = boardenvs.BatchEnv(game, 6, 3, threads=threads)
        for step in range(60):
            batch.step(np.argmax(batch.action_mask * ((np.arange(game.num_actions) + step) % 7), 1))
            add(batch.states)
            digest.update(batch.observation.tobytes())
    print(name, digest.hexdigest())
"""


def test_plain_python_plays_the_same_games_without_a_warning(tmp_path):
    compiled = run(DIGEST, tmp_path, "-W", "error", NUMBA_DISABLE_JIT="0").splitlines()
    plain = run(DIGEST, tmp_path, "-W", "error", NUMBA_DISABLE_JIT="1").splitlines()
    assert (compiled[0], plain[0]) == ("False", "True")
    assert len(plain) == 1 + len(boardenvs.GAMES)
    assert plain[1:] == compiled[1:]


SEATS = """
import hashlib

import boardenvs
from boardenvs.envs.single import SeatEnv
from boardenvs.envs.vector import SeatVectorEnv

for name in boardenvs.GAMES:
    digest = hashlib.sha256()
    env, envs = SeatEnv(name), SeatVectorEnv(3, name)
    over = True
    seen, infos = envs.reset(seed=5)
    for step in range(60):
        if over:
            observation, info = env.reset(seed=step)
        action = int(info["action_mask"].nonzero()[0][step % info["action_mask"].sum()])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        told = reward, terminated, truncated, info["seat"]
        digest.update(repr([(type(one), one) for one in told]).encode())
        digest.update(observation.tobytes() + info["action_mask"].tobytes())
        seen, rewards, ended, cut, infos = envs.step(infos["action_mask"].argmax(1))
        for array in (seen, rewards, ended, cut, infos["action_mask"], infos["seat"]):
            digest.update(str(array.dtype).encode() + array.tobytes())
    print(name, digest.hexdigest())
"""


def test_plain_python_returns_the_same_observations(tmp_path):
    compiled = run(SEATS, tmp_path, "-W", "error", NUMBA_DISABLE_JIT="0").splitlines()
    plain = run(SEATS, tmp_path, "-W", "error", NUMBA_DISABLE_JIT="1").splitlines()
    assert len(plain) == len(boardenvs.GAMES)
    assert plain == compiled
