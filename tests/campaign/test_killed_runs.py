"""Attack training, and an arena with worker processes, by `kill -9` at random moments.

Each round kills a run up to three times and continues it with the same command, the last time
without a kill. Failures are those of `test_kills`: an incomplete file under its final name, a lost
or repeated game, a command that cannot continue, or another result than without kills. For
training, only the files and the number of steps are compared, because unfinished games are
abandoned and the weights differ. Rounds depend on timing, so a repeated round may end differently.
"""

import shutil

import numpy as np
import pytest
from faults import Commands
from scenarios import Arena, Train

KILLED = -9


def kill_at_random(attack, tmp_path, scenario):
    with Commands(tmp_path) as commands:
        folder = tmp_path / "whole"
        folder.mkdir()
        commands.run(folder, scenario.arguments(folder))  # compiles missing functions
        shutil.rmtree(folder)
        folder.mkdir()
        ran = commands.run(folder, scenario.arguments(folder))
        assert ran.status == 0, ran.told
        whole, seconds = scenario.result(folder), ran.seconds
        for seed in attack.rounds():
            moments = np.random.default_rng(seed).uniform(0, seconds, 3)
            kills, wrong = killed(commands, tmp_path / "killed", scenario, whole, moments)
            attack.count(kills)
            if wrong:
                attack.failed(seed, f"after {moments.round(3).tolist()} s", wrong)


def killed(commands, folder, scenario, whole, moments):
    """Return the number of kills that met the run, and what is wrong afterwards, or `None`."""
    folder.mkdir()
    kills, arguments = 0, scenario.arguments(folder)
    try:
        for moment in moments:
            ran = commands.run(folder, arguments, seconds=moment)
            if ran.status != KILLED:
                break
            kills += 1
            wrong = scenario.wrong(folder, ran, whole)
            if wrong:
                return kills, wrong
            arguments = scenario.again(folder)
        else:
            ran = commands.run(folder, arguments)
        if ran.status != 0:
            return kills, f"continued with status {ran.status}: {ran.told[-500:]}"
        end = scenario.result(folder)
        if kills and isinstance(scenario, Arena) and scenario.lost(folder):
            return kills, "games were lost or played again"
        return kills, None if end == whole else f"it ends as {str(end)[:500]}"
    finally:
        shutil.rmtree(folder)


@pytest.mark.takes(10)
@pytest.mark.attack("kill -9 at random moments: an arena with workers", "kills")
def test_a_killed_arena_can_be_continued(attack, tmp_path):
    kill_at_random(attack, tmp_path, Arena(workers=2, games=400))


@pytest.mark.takes(20)
@pytest.mark.attack("kill -9 at random moments: training", "kills")
def test_a_killed_training_run_can_be_resumed(attack, tmp_path):
    kill_at_random(attack, tmp_path, Train(tmp_path / "tiny.toml"))


def test_a_command_that_times_out_is_reported(tmp_path):
    with Commands(tmp_path) as commands:
        ran = commands.run(tmp_path, ["info", "game112"], seconds=0)
    assert ran.status == KILLED
    assert "not over after 0 s" in ran.told
