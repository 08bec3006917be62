"""Time of a program that steps a batch, when nothing is compiled.

The default is compared with the better of two ways: to compile everything first, and never to
compile. Nobody knows in advance which one is better, since that depends on the number of steps. On one core,
the time is CPU time, so that other programs matter less.
"""

from __future__ import annotations

import json
import math
import statistics
import tempfile
from collections.abc import Sequence

from agents.bench.row import Row
from agents.bench.rows.first_uses import output_of
from agents.bench.run import Bench
from boardenvs.kernels.threads import cores

__all__ = ["cold_loops"]

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
