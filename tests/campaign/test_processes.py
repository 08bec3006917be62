"""Run compiled code in several processes and threads at once, also with an empty cache.

Tiny kernels: pairs of processes compile a function at the same moment, for equal or different
records, and load it from disk afterwards. Threads of a program compile at once. Real kernels: games
run in child processes (fork, spawn, forkserver), threads, Stable-Baselines3's SubprocVecEnv,
Gymnasium's AsyncVectorEnv, workers of a PyTorch DataLoader and this process.

A failure is another result, an exit status other than 0, output on standard error, an incomplete
file, or a file that the next process cannot load. Rounds depend on timing, so a repeated round may
end differently.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from process_ways import WAYS

PATIENCE = 1200  # seconds, enough for a busy machine
SOURCES = 10
"""Number of functions that a pair of processes compiles."""

TOTAL = "def total(records):\n    result = {number}\n    for one in records:\n        result += one.x\n    return result\n"  # noqa: E501
RACE = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import numpy as np
from boardenvs.kernels import cached_njit

me, loads, same, threads, rounds = map(int, sys.argv[1:])
hits = 0
for number in range(rounds):
    source = Path(f"race{number}.py")
    scope = {"__name__": f"race{number}"}  # code without a module is never loaded
    exec(compile(source.read_text(), str(source.resolve()), "exec"), scope)
    total = cached_njit("the race")(scope["total"])
    fields = ("x", "y") if me or same else ("y", "x")
    records = np.zeros(2, [(name, "i8") for name in fields])
    records["x"] = 21
    Path(f"here{loads}-{number}-{me}").touch()
    while not Path(f"here{loads}-{number}-{1 - me}").exists():
        time.sleep(0.0002)
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(lambda _: total(records), range(threads)))
    assert found == [42 + number] * threads, found
    hits += sum(total.stats.cache_hits.values())
print(hits)
"""


def finished(commands, folder, **environment):
    """Run commands at once; return output, errors and status of each."""
    running = [
        subprocess.Popen(
            [sys.executable, *command],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        for command in commands
    ]
    left = []
    for process in running:
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += "\ntimed out"
        left.append((out.strip(), err.strip(), process.returncode))
    return left


def race(folder, same, threads):
    """Return what is wrong after two processes compiled and two others loaded; empty if nothing."""
    for number in range(SOURCES):
        (folder / f"race{number}.py").write_text(TOTAL.format(number=number))
    (folder / "race.py").write_text(RACE)
    for loads in (0, 1):
        told = [str(int(one)) for one in (loads, same, threads, SOURCES)]
        both = [["race.py", str(me), *told] for me in (0, 1)]
        left = finished(both, folder, NUMBA_CACHE_DIR=str(folder))
        for out, err, status in left:
            if status or err:
                return f"status {status}: {err[-500:]}"
            if loads and int(out) < SOURCES:
                return f"{out} of {SOURCES} were loaded"
        if found := list(folder.rglob("*.tmp")):
            return f"temporary files are left: {found}"
        files = list(folder.rglob("*.nbc"))
        if len(files) != (1 if same else 2) * SOURCES:
            return f"{len(files)} files of {SOURCES} functions"
    return ""


@pytest.mark.takes(6)
@pytest.mark.attack("processes and threads that compile a tiny kernel at once", "kernels")
def test_processes_share_tiny_kernels(attack, tmp_path):
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        same, threads = bool(rng.integers(2)), int(rng.integers(1, 5))
        folder = tmp_path / str(seed)
        folder.mkdir()
        wrong = race(folder, same, threads)
        attack.count(2 * SOURCES)  # compiled and loaded
        if wrong:
            attack.failed(seed, f"same records: {same}, {threads} threads each", wrong)


NEEDS = {"data_loader": "torch", "subproc_vec_env": "stable_baselines3"}
PROGRAM = str(Path(__file__).parent / "tools" / "process_ways.py")


@pytest.mark.takes(6)
@pytest.mark.attack("fork, spawn, forkserver, threads, workers of others", "programs")
def test_processes_share_real_kernels(attack, tmp_path):
    """Real kernels give the same results; every fifth round runs two ways with an empty cache."""
    ways = sorted(WAYS)
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        empty = seed % 5 == 0
        chosen = [ways[k] for k in rng.choice(len(ways), size=1 + empty, replace=False)]
        for way in chosen:
            if way in NEEDS:
                pytest.importorskip(NEEDS[way])
        place = {"NUMBA_CACHE_DIR": str(tmp_path / str(seed))} if empty else {}
        commands = [[PROGRAM, way, str(seed)] for way in chosen]
        for way, (out, err, status) in zip(
            chosen, finished(commands, tmp_path, **place), strict=True
        ):
            attack.count()
            if (out, err, status) != ("right", "", 0):
                told = f"{out} status {status} {err[-500:]}"
                attack.failed(seed, f"{way}, {'an empty' if empty else 'a full'} cache", told)


def test_the_attack_finds_a_planted_fault(tmp_path, monkeypatch):
    (tmp_path / "ends.py").write_text("import sys\nprint('half', file=sys.stderr)\nsys.exit(3)\n")
    assert finished([["ends.py"]] * 2, tmp_path) == [("", "half", 3)] * 2
    broken = RACE.replace("[42 + number]", "[41 + number]")
    monkeypatch.setitem(globals(), "RACE", broken)
    monkeypatch.setitem(globals(), "SOURCES", 1)
    assert "AssertionError" in race(tmp_path, same=True, threads=1)
