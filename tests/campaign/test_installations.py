"""Run core tests in restricted installations: no compiler, one core, read-only, not compiled.

Each round runs a test file in a new process under one of these conditions, or with another
installed Python that can import the dependencies. A round fails if the process returns another
status than 0. `.ci/other_versions` uses the network: it tests more Pythons, the newest dependencies
and the lowest declared versions.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 3600  # seconds, enough for a busy machine
CORE = [
    "tests/game112", "tests/envs/test_batch.py", "tests/core/test_bits.py",
    "tests/core/test_chance.py",
    "tests/envs/test_single.py", "tests/envs/test_single_opponents.py",
    "tests/envs/test_single_seeds.py",
    "tests/envs/test_single_start.py", "tests/envs/vector/test_vector.py",
    "tests/envs/vector/test_vector_autoreset.py",
    "tests/envs/vector/test_vector_games.py", "tests/envs/vector/test_vector_opponents.py",
    "tests/envs/vector/test_vector_start.py",
    "tests/test_golden.py",
]  # fmt: skip
RULES = ["tests/game112/test_game112_rules.py", "tests/core/test_bits.py"]
"""Tests that are fast enough without compiled code."""
ONE_CORE = """
import os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
HAS_ALL = "import gymnasium, hypothesis, numba, onnxruntime, pettingzoo, pytest, tqdm, xdist"


@functools.cache
def other_pythons():
    """Return installed interpreters of other versions that can import the dependencies."""
    version = "import sys; print('%d.%d' % sys.version_info[:2])"
    known, found = {f"{sys.version_info[0]}.{sys.version_info[1]}"}, []
    places = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    places += sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))
    for place in filter(None, places):
        told = subprocess.run(
            [place, "-c", f"{version}; {HAS_ALL}"], capture_output=True, text=True, check=False
        )
        number = told.stdout.strip()
        if told.returncode == 0 and number not in known and int(number.split(".")[1]) >= 11:
            known.add(number)
            found.append(str(place))
    return found


def read_only_copy(folder):
    """Return a copy of the package in which even root cannot write compiled code."""
    for package in ("boardenvs", "agents"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    for place in [folder, *(p for p in folder.rglob("*") if p.is_dir())]:
        (place / "__pycache__").write_text("no folder")
    (folder / "home").write_text("no folder")
    # Tests that read standard error do not expect the warning about uncached compiled code.
    silent = "import logging\n\nlogging.getLogger('boardenvs').setLevel('ERROR')\n"
    (folder / "sitecustomize.py").write_text(silent)
    return folder


def ran(condition, test, folder):
    """Run a test file under a condition; return the end of its output and its exit status."""
    python, environment = [sys.executable], dict(os.environ)
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    if condition == "no compiler":
        environment.update(PATH=str(folder), CC="none", CXX="none")
    elif condition == "one core":
        python = [sys.executable, "-c", ONE_CORE]
    elif condition == "NUMBA_DISABLE_JIT=1":
        environment["NUMBA_DISABLE_JIT"] = "1"
    elif condition == "read-only package and home":
        copy = str(read_only_copy(folder / "copy"))
        home = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), f"{copy}/home")
        environment.update(PYTHONPATH=copy, **home)
    else:
        python = [condition]
    command = [*python, "-P", "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", test]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return (done.stdout + done.stderr)[-800:], done.returncode


CONDITIONS = ["no compiler", "one core", "NUMBA_DISABLE_JIT=1", "read-only package and home"]


@pytest.mark.takes(5)
@pytest.mark.attack("installations that lack something", "test files")
def test_every_installation_plays_its_games(attack, tmp_path):
    conditions = CONDITIONS + other_pythons()
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        condition = conditions[rng.integers(len(conditions))]
        some = RULES if condition == "NUMBA_DISABLE_JIT=1" else CORE
        test = some[rng.integers(len(some))]
        folder = tmp_path / str(seed)
        folder.mkdir()
        told, status = ran(condition, test, folder)
        attack.count()
        if status:
            attack.failed(seed, f"{condition}: {test}", f"status {status}: {told}")


@pytest.mark.takes(5)
def test_the_attack_finds_a_planted_fault(tmp_path):
    test = tmp_path / "test_one.py"
    test.write_text("import os\ndef test_one():\n    assert os.environ['CC'] != 'none'\n")
    (tmp_path / "empty").mkdir()
    told, status = ran("no compiler", str(test), tmp_path / "empty")
    assert status == 1
    assert "1 failed" in told
