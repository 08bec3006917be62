"""Attack commands by killing them at their file operations.

A kill comes before, within (after half a write) or after an operation that changes a file. All
points are attacked before any is repeated. A failure is an incomplete file under its final name, a
stored game that is lost or repeated, or a command that cannot continue to the same result.
"""

import shutil

import numpy as np
import pytest
from faults import Commands, Kind
from scenarios import Arena, everywhere

KILLS = (Kind.KILL_BEFORE, Kind.KILL_WITHIN, Kind.KILL_AFTER)


def kill_everywhere(attack, tmp_path, scenario):
    with Commands(tmp_path) as commands:
        folder = tmp_path / "whole"
        folder.mkdir()
        commands.warm(*scenario.arguments(folder))
        shutil.rmtree(folder)
        folder.mkdir()
        ran = commands.run(folder, scenario.arguments(folder))
        assert ran.status == 0, ran.told
        whole, operations = scenario.result(folder), ran.count
        assert operations >= 10
        tried = set()
        for seed in attack.rounds():
            rng = np.random.default_rng(seed)
            point = KILLS[rng.integers(3)], int(rng.integers(1, operations + 1))
            if point in tried:
                continue
            tried.add(point)
            if len(tried) == 3 * operations:
                tried.clear()
            wrong = killed(commands, tmp_path / "killed", scenario, whole, *point)
            attack.count()
            if wrong:
                attack.failed(seed, f"{point[0].name} {point[1]} of {operations}", wrong)


def killed(commands, folder, scenario, whole, kind, at):
    """Return what is wrong after a kill, or `None`."""
    folder.mkdir()
    try:
        ran = commands.run(folder, scenario.arguments(folder), kind, at)
        where = f"{ran.operation} {ran.path.removeprefix(str(folder))}"
        if not ran.fired:  # timing of threads changes the number of operations
            return None if ran.status == 0 else f"status {ran.status}: {ran.told}"
        try:
            wrong = scenario.wrong(folder, ran, whole)
        except Exception as error:  # noqa: BLE001 reading an incomplete file may raise anything
            wrong = repr(error)
        if wrong:
            return f"{where}: {wrong}"
        on = commands.run(folder, scenario.again(folder))
        if on.status != 0:
            return f"{where}: continued with status {on.status}: {on.told[-500:]}"
        if isinstance(scenario, Arena) and scenario.lost(folder):
            return f"{where}: games were lost or played again"
        end = scenario.result(folder)
        return None if end == whole else f"{where}: it ends as {str(end)[:500]}"
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("make", everywhere("a kill", "kills"))
def test_a_kill_at_every_file_operation_leaves_readable_files(attack, tmp_path, make):
    kill_everywhere(attack, tmp_path, make(tmp_path))
