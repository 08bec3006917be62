"""Compiled loops on disk: games also run with damaged, missing or unwritable files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("default_cache_folder")]

TOTAL = """
def total(records):
    result = 0
    for record in records:
        result += record.x
    return result
"""
USE = """
import numpy as np
from loop import total
from boardenvs.kernels import cached_njit

total = cached_njit("a game")(total)
for fields in ("xy", "yx"):
    records = np.zeros(2, [(name, "i8") for name in fields])
    records["x"] = 21
    print(total(records))
print(sum(total.stats.cache_hits.values()))
"""
COMPILED, LOADED = "42\n42\n0\n", "42\n42\n2\n"


@pytest.fixture
def place(tmp_path):
    """Return a folder with a function to compile."""
    (tmp_path / "loop.py").write_text(TOTAL)
    return tmp_path


def said(script, folder, **environment):
    """Return standard output and standard error of a script that ends without errors."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def files(folder):
    """Return the files of cached code."""
    return sorted(folder.rglob("*.nbc"))


def test_a_second_process_loads_the_compiled_code(place):
    assert said(USE, place) == (COMPILED, "")
    assert len(files(place)) == 2
    assert {file.parent for file in files(place)} == {place / "kept"}
    assert said(USE, place) == (LOADED, "")


SPOIL = """
import hashlib, pickle
from pathlib import Path
for file in Path("kept").glob("*.nbc"):
    content = pickle.dumps(("no", "code"))
    file.write_bytes(hashlib.sha256(file.name.encode() + content).digest() + content)
"""


PARTS = """
import sys
print("numba.np.linalg" in sys.modules)
"""
NAMED = """
from boardenvs.kernels import cache
symbols = cache.outer_symbols
cache.outer_symbols = lambda library: [*symbols(library), "one_that_only_a_part_of_numba_knows"]
"""


@pytest.mark.parametrize("patch", ["", NAMED])
def test_numbas_compiler_is_imported_only_if_needed(place, patch):
    assert said(patch + USE + PARTS, place) == (COMPILED + "True\n", "")
    assert said(USE + PARTS, place) == (f"{LOADED}{bool(patch)}\n", "")


def test_a_broken_file_is_compiled_again(place):
    said(USE, place)
    one, other = files(place)
    first, second = one.read_bytes(), other.read_bytes()
    for damage in (
        lambda: one.write_bytes(b""),
        lambda: one.write_bytes(first[:-100]),
        lambda: one.write_bytes(first[:-100] + bytes(100)),
        # The files of the two records are exchanged.
        lambda: [one.write_bytes(second), other.write_bytes(first)],
        # Complete files with correct checksums that Numba cannot load.
        lambda: said(SPOIL, place),
    ):
        damage()
        out, error = said(USE, place)
        assert error == ""
        assert out.splitlines()[:2] == ["42", "42"]
        assert int(out.splitlines()[2]) < 2
    assert said(USE, place) == (LOADED, "")


RACE = """
import sys
import time
from pathlib import Path

import numpy as np
from boardenvs.kernels import cached_njit

me, rounds = int(sys.argv[1]), int(sys.argv[2])
for number in range(rounds):
    source = Path(f"race{number}.py")
    while not source.exists():
        time.sleep(0.001)
    scope = {"__name__": f"race{number}"}
    exec(compile(source.read_text(), str(source.resolve()), "exec"), scope)
    total = cached_njit("the race")(scope["total"])
    fields = ("x", "y") if me else ("y", "x")
    records = np.zeros(2, [(name, "i8") for name in fields])
    records["x"] = 21
    Path(f"here{number}-{me}").touch()
    while not Path(f"here{number}-{1 - me}").exists():
        time.sleep(0.0002)
    assert total(records) == 42
"""


def test_two_processes_can_compile_one_function_for_different_records(place):
    rounds = 6
    for number in range(rounds):
        (place / f"race{number}.py").write_text(TOTAL)
    (place / "race.py").write_text(RACE)
    for _ in range(2):  # compiled in the first round, loaded in the second
        running = [
            subprocess.Popen(
                [sys.executable, "race.py", str(me), str(rounds)],
                cwd=place,
                env={**os.environ, "NUMBA_CACHE_DIR": str(place / "kept")},
            )
            for me in range(2)
        ]
        assert [process.wait(300) for process in running] == [0, 0]
        assert len(files(place)) == 2 * rounds
        for here in place.glob("here*"):
            here.unlink()


def test_files_of_changed_source_are_removed(place):
    said(USE, place)
    before = files(place)
    (place / "loop.py").write_text(TOTAL.replace("result = 0", "result = 1"))
    assert said(USE, place)[0] == "43\n43\n0\n"
    assert len(files(place)) == len(before) == 2
    assert not set(files(place)) & set(before)


IN_TWO_FILES = """
from boardenvs.kernels.kernel import cached_njit
from helper import worth

@cached_njit("a game")
def total(num):
    result = 0
    for k in range(num):
        result += worth(k)
    return result

print(total(4), sum(total.stats.cache_hits.values()))
"""
HELPER = "from numba import njit\nTIMES = 7\n@njit\ndef worth(k): return TIMES * k\n"


def test_a_change_of_a_called_function_in_another_file_is_noticed(tmp_path):
    (tmp_path / "total.py").write_text(IN_TWO_FILES)
    for helper, printed in (
        (HELPER, "42 0\n"),
        (HELPER.replace("* k", "+ k"), "34 0\n"),
        (HELPER.replace("* k", "+ k"), "34 1\n"),
    ):
        (tmp_path / "helper.py").write_text(helper)
        assert said("import total", tmp_path) == (printed, "")


def test_other_users_can_read_compiled_files(place):
    old = os.umask(0o022)
    try:
        said(USE, place)
    finally:
        os.umask(old)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files(place)} == {0o644}


# Root can write to any folder, but cannot create files below a file.
def test_without_a_writable_folder_code_is_compiled_with_one_warning(place):
    (place / "file").write_text("no folder")
    nowhere = {"NUMBA_CACHE_DIR": str(place / "file" / "kept")}
    out, error = said(USE + USE, place, **nowhere)
    assert out == 2 * COMPILED
    (line,) = error.splitlines()
    assert "NUMBA_CACHE_DIR" in line
    assert "cannot be written to" in line


READ_ONLY = """
import errno, tempfile

def no_file(**_):
    raise OSError(errno.EROFS, "Read-only file system")

tempfile.TemporaryFile = no_file
"""


def test_code_is_loaded_from_a_folder_that_cannot_be_written_to(place):
    said(USE, place)
    assert said(READ_ONLY + USE, place) == (LOADED, "")


FULL = """
import errno
from pathlib import Path

def write_bytes(self, data):
    raise OSError(errno.ENOSPC, "No space left on device")

Path.write_bytes = write_bytes
"""


def test_a_full_disk_is_reported_and_code_still_runs(place):
    out, error = said(FULL + USE, place)
    assert out == COMPILED
    (line,) = error.splitlines()
    assert "No space left on device" in line
    assert files(place) == []
    assert list(place.rglob("*.tmp")) == []


def test_a_long_compilation_prints_one_line(place):
    at_once = "from boardenvs.kernels import waits; waits._PATIENCE = waits._LOADING = 0.0\n"
    out, line = said(at_once + USE, place, BOARDENVS_INTERPRET="1")
    assert out == COMPILED
    assert line.startswith("Compiling a game")
    assert line.count("\n") == 1
    assert said(USE, place, BOARDENVS_INTERPRET="1") == (LOADED, "")
