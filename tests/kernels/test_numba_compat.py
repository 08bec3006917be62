"""Undocumented parts of Numba: what breaks without them, and what still works."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import boardenvs
from boardenvs.kernels.numba_compat import COMPILES, entry_point

needs_compiler = pytest.mark.skipif(not COMPILES, reason="needs compiled code")


def ran(script, folder, *arguments, **environment):
    """Run a script in a new interpreter and return the finished process."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "OMP"))}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env={**inherited, "NUMBA_NUM_THREADS": "2", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


# -- Effects of missing parts -------------------------------------------------------------

# Too long for LLVM to inline it, and equal for all records.
LONG = "".join(
    f"    bits = (bits * {2 * k + 3} ^ bits >> {k % 7 + 1}) & 0xFFFF\n" for k in range(80)
)
SUMS = f"""
import sys
import numpy as np
from numba import njit
if "without" not in sys.argv:
    from boardenvs.kernels.numba_compat import records_are_named
    records_are_named()

@njit
def value(record):
    bits = record.x
{LONG}
    return record.x if bits != 7 else -1

@njit(cache=True)
def total(records):
    result = 0
    for i in range(len(records)):
        result += value(records[i])
    return result

@njit(cache=True)
def largest(records):
    result = 0
    for i in range(len(records)):
        result = max(result, value(records[i]))
    return result

def records(*fields):
    array = np.zeros(3, [(name, "i8") for name in fields])
    array["x"] = 10
    return array

if "total" in sys.argv:
    print(total(records("x", "y")))
if "largest" in sys.argv:
    print(largest(records("y", "x")))
"""


@pytest.mark.slow
def test_named_records_prevent_a_clash_of_machine_code(tmp_path):
    # In the first two processes, Numba gives both versions of `value` the same name. The third
    # process links the machine code of both.
    (tmp_path / "sums.py").write_text(SUMS)

    def sums(*which):
        return ran("import runpy; runpy.run_path('sums.py')", tmp_path, *which).stdout.split()

    for without, both in ((), ["30", "10"]), (("without",), ["30", "0"]):
        assert sums("total", *without) == ["30"]
        assert sums("largest", *without) == ["10"]
        assert sums("total", "largest", *without) == both
        for file in (tmp_path / "__pycache__").iterdir():
            file.unlink()


@needs_compiler
def test_the_entry_point_makes_small_calls_faster():
    game = boardenvs.make("game112")
    states = game.new(1, 0)
    given = states, game.constants, game.legal(states)
    kernel = game.kernels.legal_games

    def fastest(call):
        best = np.inf
        for _ in range(50):
            began = time.perf_counter()
            for _ in range(100):
                call(*given)
            best = min(best, time.perf_counter() - began)
        return best

    assert fastest(entry_point(kernel, *given)) < 0.8 * fastest(kernel)


PYTHON_THREADS = """
import contextlib
import sys
import threading

import gymnasium
import numpy as np
import agents
import boardenvs
from boardenvs.kernels import threads

game = boardenvs.make("game112")
positions = game.new(400, 0)

def batch():
    batch = boardenvs.BatchEnv(game, 400, 0)
    for _ in range(100):
        batch.step(batch.action_mask.argmax(1))
    return batch.states

def vector():
    envs = gymnasium.make_vec("boardenvs/Game112-v0", 400, opponent="greedy",
                              vectorization_mode="vector_entry_point")
    _, infos = envs.reset(seed=0)
    for _ in range(30):
        infos = envs.step(infos["action_mask"].argmax(1))[-1]
    return envs.unwrapped.positions

def greedy():
    agent = agents.make("greedy", game, seed=0)
    return np.array([agent.act(positions) for _ in range(30)])

def search():
    return agents.make("mcts:20", game, seed=0).act(positions)

def play():
    return [way().tobytes() for way in (batch, vector, greedy, search)]

threads.fix_threads(1)
expected = play()
threads.fix_threads(2)
if not threads._threads.usable():
    sys.exit("no such threads")
if "without" in sys.argv:
    threads._threads.turn = contextlib.nullcontext()
found = []
workers = [threading.Thread(target=lambda: found.append(play())) for _ in range(4)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert found == [expected] * 4
"""


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("layer", ["workqueue", "omp", "tbb"])
def test_python_threads_can_step_at_once_on_any_threading_layer(tmp_path, layer):
    done = ran(PYTHON_THREADS, tmp_path, NUMBA_THREADING_LAYER=layer)
    if done.stderr == "no such threads\n":
        pytest.skip(f"{layer} is not installed")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
@needs_compiler
def test_the_lock_prevents_an_abort_of_python_threads(tmp_path):
    done = ran(PYTHON_THREADS, tmp_path, "without", NUMBA_THREADING_LAYER="workqueue")
    assert done.returncode != 0
    assert "Concurrent access has been detected" in done.stderr


FORK = """
import os
import sys
import warnings
import boardenvs
from boardenvs.kernels import threads

warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)  # Python 3.12, of fork itself
batch = boardenvs.BatchEnv("game112", 64, 0, threads=2)
batch.step([0] * 64)
child = os.fork()
if child == 0:
    if "without" in sys.argv:
        threads._threads._usable = True
    batch.step([1] * 64)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0)
"""


@pytest.mark.slow
@needs_compiler
@pytest.mark.skipif(sys.platform != "linux", reason="needs GNU OpenMP")
def test_the_check_of_forks_prevents_the_death_of_a_child(tmp_path):
    assert ran(FORK, tmp_path, NUMBA_THREADING_LAYER="omp").returncode == 0
    done = ran(FORK, tmp_path, "without", NUMBA_THREADING_LAYER="omp")
    assert done.returncode == 1
    assert "fork() called from a process already using GNU OpenMP" in done.stderr


# -- Numba without these parts --------------------------------------------------------------

# Each script renames or removes one part of Numba that the package uses.
RECORDS = """
from numba.core import itanium_mangler, types

def all_types(cls):
    return {cls}.union(*map(all_types, cls.__subclasses__()))

for cls in all_types(types.Type):
    if "mangling_args" in vars(cls):
        cls.args_to_mangle = cls.mangling_args
        del cls.mangling_args
code = itanium_mangler.mangle_type.__code__
names = tuple("args_to_mangle" if n == "mangling_args" else n for n in code.co_names)
itanium_mangler.mangle_type.__code__ = code.replace(co_names=names)
"""
CACHE = """
import numba.core.compiler
del numba.core.compiler.CompileResult._reduce
"""
ENTRY = """
import sys
from numba.core.dispatcher import Dispatcher

def compile(self, sig, original=Dispatcher.compile):
    entry = original(self, sig)
    caller = sys._getframe(1)
    between = "boardenvs.kernels.kernel", "boardenvs.kernels.interpreting"
    while caller.f_globals["__name__"] in between:
        caller = caller.f_back
    return None if "boardenvs" in caller.f_globals["__name__"] else entry

Dispatcher.compile = compile
"""
OPTIONS = """
from numba.core.cpu import CPUTargetOptions
for cls in CPUTargetOptions.__mro__:
    if "no_cfunc_wrapper" in vars(cls):
        del cls.no_cfunc_wrapper
"""
LAYER = """
import numba
numba.config.layer = numba.config.THREADING_LAYER
del numba.config.THREADING_LAYER
"""
ARRAYS = """
import numba.extending
del numba.extending.intrinsic
"""
TBB = """
import importlib.metadata
importlib.metadata.files = lambda name: None
"""
PLAY = """
import hashlib
import boardenvs

digest = hashlib.sha256()
for threads in (None, 2, 1):
    batch = boardenvs.BatchEnv("game112", 6, 0, threads=threads)
    for step in range(40):
        batch.step(batch.action_mask.argmax(1))
        digest.update(batch.states.tobytes())
env = boardenvs.game112_v0.env()
env.reset(seed=0)
for action in (0, 2, 4):
    env.step(action)
digest.update(env.last()[0]["observation"].tobytes())
print(digest.hexdigest())
"""
LACKING = [
    "way into arrays: games step more slowly",
    "way to copy code into its callers: everything is slower",
    "choice of its threading layer: everything runs on one thread",
    "entry point of compiled code: games one at a time are slower",
]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return the output with a complete Numba."""
    done = ran(PLAY, tmp_path_factory.mktemp("whole"))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
@needs_compiler
def test_missing_numba_features_are_reported_once_and_games_still_run(tmp_path, played):
    kept = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    done = ran(OPTIONS + CACHE + LAYER + ENTRY + ARRAYS + PLAY, tmp_path, **kept)
    assert done.returncode == 0, done.stderr
    assert done.stdout == played
    said = done.stderr.splitlines()
    assert all(any(line.endswith(one) for line in said) for one in LACKING)
    assert sum("NUMBA_CACHE_DIR" in line for line in said) == 1
    assert len(said) == len(LACKING) + 1


@pytest.mark.slow
@needs_compiler
@pytest.mark.skipif(sys.platform != "linux", reason="needs GNU OpenMP")
def test_another_threading_layer_is_used_without_tbb(tmp_path, played):
    done = ran(TBB + PLAY + "import numba\nprint(numba.threading_layer())", tmp_path)
    assert (done.stdout, done.stderr) == (f"{played}omp\n", "")


TOTAL = """
import numpy as np
from boardenvs.kernels.kernel import cached_njit

@cached_njit("a sum")
def total(records):
    result = 0
    for i in range(len(records)):
        result += records[i].x
    return result

print(total(np.full(3, 14, [("x", "i8")])), len(total.stats.cache_hits))
"""


@needs_compiler
@pytest.mark.slow
def test_nothing_is_cached_if_the_cache_is_not_safe(tmp_path):
    (tmp_path / "total.py").write_text(TOTAL)
    use = "import total"
    kept = tmp_path / "kept"
    for said in ("42 0\n", "42 1\n"):
        assert ran(use, tmp_path, NUMBA_CACHE_DIR=str(kept)).stdout == said
    files = sorted(kept.iterdir())
    done = ran(RECORDS + use, tmp_path, NUMBA_CACHE_DIR=str(kept))
    assert (done.returncode, done.stdout) == (0, "42 0\n"), done.stderr
    (line,) = done.stderr.splitlines()
    assert "cache of compiled code" in line
    assert sorted(kept.iterdir()) == files
