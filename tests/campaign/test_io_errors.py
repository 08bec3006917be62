"""Attack commands whose file operations fail.

An operation fails with EIO, ENOSPC or EACCES, or writes half of the data. It fails once or from
then on. All points are attacked before any is repeated. A failure is

- a traceback, or a status other than 0 and 2,
- a message that is not one line or does not name the cause and a file,
- an incomplete file,
- an error or another result when the same command continues without faults.
"""

import errno
import os
import shutil

import numpy as np
import pytest
from faults import CHANGE, READ, Commands, Kind
from scenarios import everywhere

ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, 0)
"""Error numbers; 0 means half a write."""
BY_SQLITE = {
    errno.EIO: ("disk I/O error", "unable to open database"),
    errno.ENOSPC: ("disk is full", "disk I/O error", "unable to open database"),
    errno.EACCES: ("unable to open database", "disk I/O error", "readonly", "locked"),
}
"""SQLite's messages, which do not distinguish all errors."""


def fail_everywhere(attack, tmp_path, scenario):
    with Commands(tmp_path) as commands:
        folder = tmp_path / "whole"
        folder.mkdir()
        commands.warm(*scenario.arguments(folder))
        shutil.rmtree(folder)
        folder.mkdir()
        ran = commands.run(folder, scenario.arguments(folder), classes=CHANGE | READ)
        assert ran.status == 0, ran.told
        whole, operations = scenario.result(folder), ran.count
        tried = set()
        for seed in attack.rounds():
            rng = np.random.default_rng(seed)
            error, for_good = ERRORS[rng.integers(4)], bool(rng.integers(2))
            point = error, for_good, int(rng.integers(1, operations + 1))
            if point in tried:
                continue
            tried.add(point)
            if len(tried) == 8 * operations:
                tried.clear()
            wrong = failing(commands, tmp_path / "failing", scenario, whole, *point)
            attack.count()
            if wrong:
                name = errno.errorcode.get(error, "short write")
                case = f"{name}{' for good' * for_good} {point[2]} of {operations}"
                attack.failed(seed, case, wrong)


def failing(commands, folder, scenario, whole, error, for_good, at):
    """Return what is wrong after a failed operation, or `None`."""
    folder.mkdir()
    try:
        kind = Kind.FAIL if error else Kind.SHORT_WRITE
        given = {"error": error, "for_good": for_good, "classes": CHANGE | READ}
        ran = commands.run(folder, scenario.arguments(folder), kind, at, **given)
        where = f"{ran.operation} {ran.path.removeprefix(str(folder))}"
        wrong = wrong_end(ran, error, folder)
        if wrong:
            return f"{where}: {wrong}"
        if ran.status == 0:
            end = scenario.result(folder)
            return None if end == whole else f"{where}: it ends as {str(end)[:500]}"
        wrong = scenario.wrong(folder, ran, whole)
        if wrong:
            return f"{where}: {wrong}"
        on = commands.run(folder, scenario.again(folder))
        if on.status != 0:
            return f"{where}: continued with status {on.status}: {on.told[-500:]}"
        end = scenario.result(folder)
        return None if end == whole else f"{where}: continued, it ends as {str(end)[:500]}"
    finally:
        shutil.rmtree(folder)


def wrong_end(ran, error, folder):
    """Return what is wrong with the end of a command, or `None`."""
    if "Traceback" in ran.told or "Exception" in ran.told:
        return ran.told[-1500:]
    if ran.status == 0:
        return None
    if ran.status != 2:
        return f"status {ran.status}: {ran.told[-500:]}"
    lines = [line for line in ran.told.splitlines() if line.startswith("boardenvs: error: ")]
    if len(lines) != 1 or not ran.told.endswith(f"{lines[0]}\n"):
        return f"the end is not one line: {ran.told[-500:]}"
    causes = (os.strerror(error), *BY_SQLITE[error]) if error else ()
    if ran.operation == "lock":
        causes += ("locking protocol", "database is locked")
    if not any(cause in lines[0] for cause in causes):
        return f"the cause is not named: {lines[0]}"
    if str(folder) not in lines[0]:
        return f"no file is named: {lines[0]}"
    return None


@pytest.mark.parametrize("make", everywhere("an error", "errors"))
def test_every_file_operation_can_fail(attack, tmp_path, make):
    fail_everywhere(attack, tmp_path, make(tmp_path))
