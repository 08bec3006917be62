"""What a new process waits for: the import, and the first step with kernels cached."""

from __future__ import annotations

import subprocess
import sys

from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, interleaved
from boardenvs.registration import env_id

__all__ = ["first_steps", "imports"]

_PEERS = "gymnasium, pettingzoo"
_WARM = "Numba's import, a warm step"

_IMPORT = """
import time
began = time.perf_counter()
import {what}
print(time.perf_counter() - began)
"""

# Making the environment and its reset count as well: they come before any step.
_FIRST = """
import time, gymnasium, boardenvs

def timed(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began

def load():
    import numba

def step():
    env = gymnasium.make("{what}")
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))

numba, first, warm = (timed(work) for work in (load, step, step))
print(numba + first, numba + warm)
"""


def _in_new_process(code: str, what: str) -> list[float]:
    """The numbers that a program prints.

    Raises:
        OSError: it fails.
    """
    command = [sys.executable, "-W", "ignore", "-c", code.format(what=what)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise OSError(f"a new Python process could not be measured: {last}")
    return [float(number) for number in done.stdout.split()]


def imports(bench: Bench) -> list[Row]:
    """`import boardenvs` beside what it stands on, in new processes."""
    sides: dict[Key, Side] = {
        (what,): lambda what=what: _in_new_process(_IMPORT, what)[0]  # type: ignore[misc]
        for what in ("boardenvs", _PEERS)
    }
    found = interleaved(sides, bench.effort.process_rounds)
    against = f"import {_PEERS}"
    return [Row("import boardenvs", "", found["boardenvs",], "s", against, found[_PEERS,])]


def first_steps(bench: Bench) -> list[Row]:
    """The first step of `gym.make` in a new process, each game in its own."""
    warm: dict[str, float] = {}

    def first(name: str) -> float:
        # One process tells both figures: they differ by the first use alone.
        whole, warm[name] = _in_new_process(_FIRST, env_id(name))
        return whole

    sides: dict[Key, Side] = {}
    for name in bench.effort.process_games:
        sides[name,] = lambda name=name: first(name)  # type: ignore[misc]
        sides[name, _WARM] = lambda name=name: warm[name]  # type: ignore[misc]
    found = interleaved(sides, bench.effort.process_rounds)
    measure = "first step in a new process"
    return [
        Row(measure, name, found[name,], "s", _WARM, found[name, _WARM])
        for name in bench.effort.process_games
    ]
