"""Compiled loops on disk: nothing that happens to the files stops anybody."""

from __future__ import annotations

import os
import pty
import stat
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("kept_beside_the_code")

TOTAL = """
def total(records):
    result = 0
    for record in records:
        result += record.x
    return result
"""
USE = """
import numpy as np
from numba import njit
from loop import total
from boardenvs.kernel_cache import cached_on_disk

total = njit(total)
cached_on_disk(total, lambda: "the same", "a game")
for fields in ("xy", "yx"):
    records = np.zeros(2, [(name, "i8") for name in fields])
    records["x"] = 21
    print(total(records))
print(sum(total.stats.cache_hits.values()))
"""
COMPILED, LOADED = "42\n42\n0\n", "42\n42\n2\n"


@pytest.fixture
def place(tmp_path):
    """A folder with a function to compile."""
    (tmp_path / "loop.py").write_text(TOTAL)
    return tmp_path


def said(script, folder, **environment):
    """What a fresh interpreter prints for a script, and on standard error; it must end well."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def files(folder):
    """The files of cached code."""
    return sorted(folder.rglob("*.nbc"))


def test_a_second_process_takes_what_the_first_has_compiled(place):
    assert said(USE, place) == (COMPILED, "")
    assert len(files(place)) == 2
    assert {file.parent for file in files(place)} == {place / "__pycache__"}
    assert said(USE, place) == (LOADED, "")


SPOIL = """
import hashlib, pickle
from pathlib import Path
for file in Path("__pycache__").glob("*.nbc"):
    key, payload = pickle.loads(file.read_bytes()[32:])
    content = pickle.dumps((key, ("no", "code")))
    file.write_bytes(hashlib.sha256(content).digest() + content)
"""


@pytest.mark.slow
def test_a_broken_file_is_made_again(place):
    said(USE, place)
    one, other = files(place)
    first, second = one.read_bytes(), other.read_bytes()
    for damage in (
        lambda: one.write_bytes(b""),
        lambda: one.write_bytes(first[:-100]),
        lambda: one.write_bytes(first[:-100] + bytes(100)),
        # Each has the code for the other's records.
        lambda: [one.write_bytes(second), other.write_bytes(first)],
        # Whole files with right checksums, out of which Numba makes nothing.
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
from numba import njit
from boardenvs.kernel_cache import cached_on_disk

me, rounds = int(sys.argv[1]), int(sys.argv[2])
for number in range(rounds):
    source = Path(f"race{number}.py")
    while not source.exists():
        time.sleep(0.001)
    scope = {}
    exec(compile(source.read_text(), str(source.resolve()), "exec"), scope)
    total = njit(scope["total"])
    cached_on_disk(total, lambda: "", "the race")
    fields = ("x", "y") if me else ("y", "x")
    records = np.zeros(2, [(name, "i8") for name in fields])
    records["x"] = 21
    Path(f"here{number}-{me}").touch()
    while not Path(f"here{number}-{1 - me}").exists():
        time.sleep(0.0002)
    assert total(records) == 42
"""


@pytest.mark.slow
def test_two_processes_compile_one_function_for_different_records_at_once(place):
    rounds = 6
    for number in range(rounds):
        (place / f"race{number}.py").write_text(TOTAL)
    (place / "race.py").write_text(RACE)
    for _ in range(2):  # compiled in the first round, taken from the disk in the second
        running = [
            subprocess.Popen([sys.executable, "race.py", str(me), str(rounds)], cwd=place)
            for me in range(2)
        ]
        assert [process.wait(300) for process in running] == [0, 0]
        assert len(files(place)) == 2 * rounds
        for here in place.glob("here*"):
            here.unlink()


@pytest.mark.slow
def test_what_no_source_makes_any_more_is_removed(place):
    said(USE, place)
    before = files(place)
    (place / "loop.py").write_text(TOTAL.replace("result = 0", "result = 1"))
    assert said(USE, place)[0] == "43\n43\n0\n"
    said(USE.replace("the same", "another helper"), place)
    assert len(files(place)) == len(before) == 2
    assert not set(files(place)) & set(before)


IN_TWO_FILES = """
from boardenvs.kernel_cache import cached_njit
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


def test_a_change_of_what_is_called_in_another_file_is_noticed(tmp_path):
    (tmp_path / "total.py").write_text(IN_TWO_FILES)
    for helper, printed in (
        (HELPER, "42 0\n"),
        (HELPER.replace("* k", "+ k"), "34 0\n"),
        (HELPER.replace("* k", "+ k"), "34 1\n"),
    ):
        (tmp_path / "helper.py").write_text(helper)
        assert said("import total", tmp_path) == (printed, "")


COMPILED_SO = """
import sys
import numpy as np
import boardenvs.compiling
from boardenvs.game112 import rules
from boardenvs.loops import legal_games

how = boardenvs.compiling.how_compiled()
boardenvs.compiling.how_compiled = lambda: how + sys.argv[1]
game = boardenvs.make("game112")
legal = legal_games.bound_to(rules)
legal(np.zeros(1, game.state_dtype), game.constants, np.zeros((1, game.num_actions), np.bool_))
print(len(how), sum(legal.stats.cache_hits.values()))
"""


def test_what_was_compiled_in_another_way_is_compiled_anew(place):
    found = []
    for way in ("", "", " otherwise"):
        done = subprocess.run(
            [sys.executable, "-c", COMPILED_SO, way],
            cwd=place,
            env={**os.environ, "NUMBA_CACHE_DIR": str(place / "kept")},
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        length, hits = map(int, done.stdout.split())
        assert length > 8
        found.append(hits)
    assert found == [0, 1, 0]


def test_others_may_read_what_one_has_compiled(place):
    old = os.umask(0o022)
    try:
        said(USE, place)
    finally:
        os.umask(old)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files(place)} == {0o644}


# Root may write anywhere, but not below a file.
def without_a_place(place):
    """The environment of a process whose package and home are no folders to write to."""
    for name in ("__pycache__", "home"):
        (place / name).write_text("no folder")
    return dict.fromkeys(("HOME", "XDG_CACHE_HOME"), str(place / "home"))


@pytest.mark.slow
def test_without_a_place_to_write_it_compiles_and_says_so_once(place):
    out, error = said(USE + USE, place, **without_a_place(place))
    assert out == 2 * COMPILED
    (line,) = error.splitlines()
    assert "NUMBA_CACHE_DIR" in line
    assert "can be written to" in line


def test_another_place_can_be_named(place):
    environment = {**without_a_place(place), "NUMBA_CACHE_DIR": str(place / "elsewhere")}
    assert said(USE, place, **environment) == (COMPILED, "")
    assert len(files(place / "elsewhere")) == 2


FULL = """
import errno
from pathlib import Path

def write_bytes(self, data):
    raise OSError(errno.ENOSPC, "No space left on device")

Path.write_bytes = write_bytes
"""


def test_a_full_disk_stops_nobody(place):
    out, error = said(FULL + USE, place)
    assert out == COMPILED
    (line,) = error.splitlines()
    assert "No space left on device" in line
    assert files(place) == []
    assert list(place.rglob("*.tmp")) == []


@pytest.mark.slow
def test_a_terminal_is_told_that_something_is_compiled_and_a_file_is_not(place):
    def seen():
        ours, theirs = pty.openpty()
        command = [sys.executable, "-c", USE]
        process = subprocess.Popen(
            command, cwd=place, stdout=subprocess.PIPE, stderr=theirs, text=True
        )
        os.close(theirs)
        out, _ = process.communicate(timeout=300)
        try:
            return out, os.read(ours, 10_000).decode()
        except OSError:  # nothing was written, and nobody will
            return out, ""
        finally:
            os.close(ours)

    assert seen() == (COMPILED, "compiling a game, once ...\r\n")
    assert seen() == (LOADED, "")
