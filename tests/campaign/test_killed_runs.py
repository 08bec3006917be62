"""Attacked: training, and an arena with worker processes, by kill -9 at random moments.

A run is killed up to three times, each time the same command goes on, and the last time nobody
kills it. A failure is what it is in `test_kills`: a half file under its real name, a finished game
that is lost or played twice, a command that does not go on, or another result than that of the run
that nobody killed. (Of training that is: all files, to the last step; games under way are given
up, so the weights are not the same.) When a moment falls depends on the machine, so a round may
not show again what it showed.
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
        commands.run(folder, scenario.arguments(folder))  # compiles what is not there yet
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
    """How many kills met the run, and what is wrong after them, if something is."""
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
            return kills, f"going on: status {ran.status}: {ran.told[-500:]}"
        end = scenario.result(folder)
        if kills and isinstance(scenario, Arena) and scenario.lost(folder):
            return kills, "games were lost or played again"
        return kills, None if end == whole else f"it ends as {str(end)[:500]}"
    finally:
        shutil.rmtree(folder)


@pytest.mark.takes(10)
@pytest.mark.attack("kill -9 at random moments: an arena with workers", "kills")
def test_arena(attack, tmp_path):
    kill_at_random(attack, tmp_path, Arena(workers=2, games=400))


@pytest.mark.takes(20)
@pytest.mark.attack("kill -9 at random moments: training", "kills")
def test_train(attack, tmp_path):
    kill_at_random(attack, tmp_path, Train(tmp_path / "tiny.toml"))


def test_a_command_that_runs_out_of_time_says_so(tmp_path):
    with Commands(tmp_path) as commands:
        ran = commands.run(tmp_path, ["info", "game112"], seconds=0)
    assert ran.status == KILLED
    assert "not over after 0 s" in ran.told
