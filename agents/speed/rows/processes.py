"""New processes: imports, first uses, and programs that step a batch with nothing compiled.

A first use is the time from the start of a process to its first step or move, with imports. "Cold"
means an empty cache of compiled code, "warm" a full one.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agents.speed.row import Row
from agents.speed.run import Bench, Key
from agents.speed.timing import Side, interleaved
from boardenvs.kernels.threads import cores
from boardenvs.registration import env_id

__all__ = ["cold_loops", "first_uses", "importable", "imports", "output_of"]

_IMPORTED = "gymnasium, pettingzoo"
_IMPORT = """
import time
began = time.perf_counter()
import {what}
print(time.perf_counter() - began)
"""

_ENV = """
import boardenvs
env = boardenvs.{game}_v0.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""
_GYM = """
import agents, boardenvs, gymnasium
env = gymnasium.make("{id}", opponent="{opponent}")
observation, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
"""
_VEC = """
import boardenvs, gymnasium
envs = gymnasium.make_vec("{id}", 64, vectorization_mode="vector_entry_point")
observations, infos = envs.reset(seed=0)
envs.step(infos["action_mask"].argmax(1))
"""
_BATCH = """
import boardenvs
batch = boardenvs.BatchEnv("{game}", num_envs=64, seed=0)
batch.step(batch.action_mask.argmax(1))
"""
_MOVE = """
import agents, boardenvs
game = boardenvs.make("{game}")
agents.make("{agent}", game, seed=0).act(game.new(1, seed=0))
"""
_PETTINGZOO = """
import os
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
from pettingzoo.classic import connect_four_v3
env = connect_four_v3.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""
_PGX = """
import jax, pgx
env = pgx.make("connect_four")
init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
state = init(jax.random.split(jax.random.PRNGKey(0), {num}))
jax.block_until_ready(step(state, state.legal_action_mask.argmax(1)))
"""
_OPEN_SPIEL = """
import pyspiel
state = pyspiel.load_game("connect_four").new_initial_state()
state.apply_action(state.legal_actions()[0])
"""
_CLOCK = """
import os, time
print(time.time() - float(os.environ["BENCH_BEGAN"]), time.process_time())
"""


class _Use(NamedTuple):
    """A first use and the peer that it is compared with."""

    what: str
    code: str
    games: tuple[str, ...]
    peer: str = "OpenSpiel connect_four"


_FEW = "gekitai", "goat_race"
_ALL = "gekitai", "gomoku", "game112", "goat_race", "dominoes175", "pizza_order"
_USES = (
    _Use("env() step", _ENV, _ALL, "PettingZoo connect_four"),
    _Use("gym.make step against random", _GYM.replace("{opponent}", "random"), _FEW),
    _Use("make_vec step, N = 64", _VEC, _FEW, "pgx connect_four, N = 64"),
    _Use("BatchEnv step, N = 64", _BATCH, _FEW, "pgx connect_four, N = 64"),
    _Use("move of greedy", _MOVE.replace("{agent}", "greedy"), ("gekitai",)),
    _Use("move of trained", _MOVE.replace("{agent}", "trained"), ("gekitai",)),
    _Use("move of mcts:100", _MOVE.replace("{agent}", "mcts:100"), (*_FEW, "gomoku")),
    _Use("move of puct:50", _MOVE.replace("{agent}", "puct:50"), ("gekitai",)),
)
_PEERS = {
    "PettingZoo connect_four": ("pygame", _PETTINGZOO),
    "pgx connect_four, N = 64": ("pgx", _PGX.format(num=64)),
    "OpenSpiel connect_four": ("pyspiel", _OPEN_SPIEL),
}
"""Import name and program of each peer."""


class _Times(NamedTuple):
    """Seconds from the start of a process to its first step."""

    wall: float
    cpu: float


def _in_new_process(code: str, environment: Mapping[str, str]) -> _Times:
    """Run a program and return the time it took.

    Raises:
        OSError: the program failed.
    """
    began = {"BENCH_BEGAN": repr(time.time())}
    wall, cpu = output_of(code + _CLOCK, {**began, **environment}).split()[-2:]
    return _Times(float(wall), float(cpu))


def output_of(code: str, environment: Mapping[str, str], *arguments: str) -> str:
    """Return what a program prints.

    Raises:
        OSError: the program failed.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise OSError(f"the measured Python process failed: {last}")
    return done.stdout


def imports(bench: Bench) -> list[Row]:
    """Return a row that compares `import boardenvs` with the import of its dependencies."""

    def seconds(what: str) -> float:
        return float(output_of(_IMPORT.format(what=what), {}))

    sides: dict[Key, Side] = {
        (what,): lambda what=what: seconds(what)  # type: ignore[misc]
        for what in ("boardenvs", _IMPORTED)
    }
    found = interleaved(sides, bench.effort.process_rounds)
    against = f"import {_IMPORTED}"
    return [Row("import boardenvs", "", found["boardenvs",], "s", against, found[_IMPORTED,])]


def first_uses(bench: Bench) -> list[Row]:
    """Return rows that compare each first use, cold and warm, with a peer, in wall and CPU time."""
    cpu: dict[Key, list[float]] = {}

    def turn(key: Key, code: str, *, cold: bool) -> float:
        with tempfile.TemporaryDirectory() as empty:
            cache = {"NUMBA_CACHE_DIR": empty} if cold else {}
            times = _in_new_process(code, {"BOARDENVS_INTERPRET": "1", **cache})
        cpu.setdefault(key, []).append(times.cpu)
        return times.wall

    sides: dict[Key, Side] = {}
    for use, game in _uses(bench):
        code = use.code.format(game=game, id=env_id(game))
        _in_new_process(code, {"BOARDENVS_INTERPRET": "0"})  # fills the cache
        for state in ("cold", "warm"):
            key = use.what, game, state
            sides[key] = lambda key=key, code=code: turn(key, code, cold=key[2] == "cold")  # type: ignore[misc]
    for peer in {use.peer for use, _ in _uses(bench)}:
        package, code = _PEERS[peer]
        if bench.peer(peer, "bench", lambda package=package: importable(package)):  # type: ignore[misc]
            sides[peer,] = lambda peer=peer, code=code: turn((peer,), code, cold=False)  # type: ignore[misc]
    wall = interleaved(sides, bench.effort.process_rounds)
    processor = {key: statistics.median(found[1:]) for key, found in cpu.items()}
    rows = []
    for use, game in _uses(bench):
        for state in ("cold", "warm"):
            key, measure = (use.what, game, state), f"first {use.what}, {state}"
            for unit, values in (("s", wall), ("CPU s", processor)):
                against = values.get((use.peer,))
                rows.append(Row(measure, game, values[key], unit, use.peer, against))
    return rows


def importable(package: str) -> bool:
    """Return `True` if a package is installed.

    Raises:
        ImportError: the package is not installed.
    """
    if importlib.util.find_spec(package) is None:
        raise ImportError(name=package)
    return True


def _uses(bench: Bench) -> list[tuple[_Use, str]]:
    """Return each use with each of its games that the run measures."""
    games = bench.effort.process_games
    return [(use, game) for use in _USES for game in use.games if game in games]


# -- Cold loops -----------------------------------------------------------------------------

_STEPS = """
import json, os, sys, time
num, seconds, cores = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
points = list(map(int, sys.argv[5:]))
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
clock = time.process_time if cores == 1 else time.perf_counter
began = clock()
import numpy as np
import boardenvs
players = {"num_players": 4} if sys.argv[1] == "goat_race" else {}
batch = boardenvs.BatchEnv(boardenvs.make(sys.argv[1], **players), num, seed=0)
rng = np.random.default_rng(0)
marks = {}
for step in range(1, points[-1] + 1):
    mask = batch.action_mask
    batch.step((rng.random(mask.shape) * mask).argmax(1))
    if step in points:
        marks[step] = clock() - began
    if clock() - began > seconds and step >= points[0]:
        break
marks[step] = clock() - began
print(json.dumps(sorted(marks.items())))
"""
"""Program that prints pairs of a number of steps and the seconds until then. It ends after a number
of seconds, but not before the first pair."""
_WAYS = {"default": "1", "compiled first": "0", "never compiled": "always"}
"""Value of BOARDENVS_INTERPRET for each way."""
_PLAIN_SECONDS = 3.0
"""Time of a program that never compiles. The rest of its steps is extrapolated."""
_LONG = 2.0
"""Programs whose better way takes less (s) are left out of the geometric mean."""


def _marks(
    game: str, num: int, way: str, num_cores: int, points: Sequence[int]
) -> dict[int, float]:
    """Return the seconds until each of some numbers of steps, with an empty cache.

    Raises:
        OSError: the program failed.
    """
    seconds = _PLAIN_SECONDS if way == "never compiled" else math.inf
    arguments = [game, str(num), str(seconds), str(num_cores), *map(str, points)]
    with tempfile.TemporaryDirectory() as empty:
        environment = {"NUMBA_CACHE_DIR": empty, "BOARDENVS_INTERPRET": _WAYS[way]}
        printed = output_of(_STEPS, environment, *arguments)
    found: list[tuple[int, float]] = json.loads(printed)
    (steps_before, early), (steps, late) = [(0, 0.0), *found][-2:]
    each = (late - early) / (steps - steps_before)
    return {n: dict(found).get(n, late + (n - steps) * each) for n in points}


def cold_loops(bench: Bench) -> list[Row]:
    """Return rows for one and two cores, numbers of games and numbers of steps.

    The default is compared with the better of two ways: to compile everything first, and never to
    compile. Nobody knows in advance which one is better, since that depends on the number of steps.
    On one core, the time is CPU time, which depends less on other programs.

    The last rows are the geometric means of the ratios of all programs whose better way is long.
    """
    rows, points = [], bench.effort.cold_steps
    for num_cores in (1, 2)[: cores()]:
        ratios = []
        for game in bench.effort.process_games:
            for num in bench.effort.cold_envs:
                rounds = [
                    {way: _marks(game, num, way, num_cores, points) for way in _WAYS}
                    for _ in range(bench.effort.process_rounds)
                ]
                for steps in points:
                    value, *others = (
                        statistics.median(found[way][steps] for found in rounds) for way in _WAYS
                    )
                    better = min(others)
                    if better > _LONG:
                        ratios.append(value / better)
                    measure = f"cold BatchEnv, N = {num:,}, {steps:,} steps, {_cores(num_cores)}"
                    rows.append(Row(measure, game, value, "s", "the better way", better))
        if ratios:
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            for what, ratio in (("mean", mean), ("highest", max(ratios))):
                measure = f"cold BatchEnv, {what} ratio above {_LONG:g} s, {_cores(num_cores)}"
                rows.append(Row(measure, "", ratio, "times", "the better way", 1.0))
    return rows


def _cores(number: int) -> str:
    return "one core" if number == 1 else "two cores"
