"""Interrupt every subcommand by Ctrl-C and SIGTERM, at every 50 ms of its first ten seconds.

A round is a signal and a moment. The attack ends after all 400 rounds. Signals after the end of the
program are not counted. Python handles signals until the command's `main` starts. From then on, a
failure is a status other than 130 or 143, a traceback, anything except one line that reports the
interruption, or a program that continues. Rounds depend on timing, so a repeated round may end
differently.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
import pytest
from scenarios import TINY

SIGNALS = (signal.SIGINT, signal.SIGTERM)
MOMENTS = 200
STEP = 0.05  # seconds
PATIENCE = 60  # seconds until a program must end
AT_A_TIME = 4  # programs

# Python runs this file first. It reports when the package handles signals.
TELLS = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            sys.meta_path.remove(self)
            os.write({pipe}, b"!")

if sys.argv[0] == "-m":
    sys.meta_path.insert(0, Finder())
# A test run in the background may hand on that interrupts are ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
"""


EMPTY_BOARD = '{"board": ["' + '", "'.join([15 * "."] * 15) + '"]}'
SUBCOMMANDS = {
    "info": ["info", "pizza_order"],
    "completion": ["completion", "bash"],
    "play": ["play", "gekitai"],
    "play --web": ["play", "gekitai", "--web", "--no-browser"],
    "watch": ["watch", "gekitai", "mcts:20000", "puct:2000", "--seed", "1"],
    "analyse": ["analyse", "gomoku", EMPTY_BOARD, "mcts:100000"],
    "train": ["train", "gekitai", "--settings", "tiny.toml", "--out", "run"],
    "arena": ["arena", "gekitai", "mcts:2000", "greedy", "--workers", "1"],
    "arena --workers": ["arena", "gekitai", "mcts:2000", "greedy", "--workers", "2",
                        "--store", "s.db"],
    "benchmark": ["benchmark", "mcts:2000", "--workers", "1"],
    "benchmark --store": ["benchmark", "greedy", "--workers", "2", "--store", "games"],
    "probe": ["probe", "agents.checking.learners.sb3:maskable_ppo"],
    "curves": ["curves", "--out", "curves.png"],
    "curves --learn": ["curves", "game112", "--learn", "ppo", "--json", "curves.json"],
    "engine": ["engine", "gomoku", "threats"],
    "bench": ["bench", "--quick"],
    "compile": ["compile", "gomoku"],
    "demo": ["demo", "--out", "demo"],
}  # fmt: skip
"""Arguments of each subcommand that make it run for some time, in its own folder."""


def interrupted(folder, arguments, number, moment):
    """Return whether a signal at this moment met the program, and what is wrong afterwards."""
    (folder / "tiny.toml").write_text(TINY.replace("256", "1_000_000"), encoding="utf-8")
    ready, told = os.pipe()
    os.set_blocking(ready, False)
    (folder / "sitecustomize.py").write_text(TELLS.format(pipe=told), encoding="utf-8")
    caches = folder / "kernels" if arguments[0] == "compile" else None
    with (
        (folder / "out").open("wb") as out,
        (folder / "err").open("wb") as err,
        subprocess.Popen(
            [sys.executable, "-m", "agents.command", *arguments],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(folder), str(Path.cwd())]),
                "PYTHONFAULTHANDLER": "1",  # prints the place of a crash
            }
            | ({"NUMBA_CACHE_DIR": str(caches)} if caches else {}),
            pass_fds=[told],
            start_new_session=True,
            cwd=folder,
        ) as process,
    ):
        os.close(told)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        ended = process.poll() is not None
        try:
            guarded = os.read(ready, 1) == b"!"
        except BlockingIOError:
            guarded = False
        os.close(ready)
        process.send_signal(number)
        begin = time.monotonic()
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return True, f"still running after {PATIENCE} s"
        took = time.monotonic() - begin
    err, out = ((folder / name).read_text("utf-8", "replace") for name in ("err", "out"))
    if ended:
        wrong = f"exited before the signal with status {status}: {err[-800:]}" if status else None
        return False, wrong
    wrong = judged(status, number, err, out) if guarded else None
    return True, wrong and f"{wrong} ({took:.2f} s after the signal)"


def judged(status, number, err, out):
    """Return what is wrong with the end of a program, or `None`."""
    if "Traceback" in err or "Exception ignored" in err:
        return f"status {status}: {err[-1500:]}"
    if status == 0:  # the program was about to exit
        return None
    if status != 128 + number:
        return f"status {status}: {err[:1000]} ... {err[-500:]}"
    last = err.rstrip("\n").rpartition("\n")[2]
    told = sum(line.startswith("boardenvs: stopped") for line in err.split("\n"))
    if (told, last.startswith("boardenvs: stopped")) != (1, True) and "Interrupted." not in out:
        return f"the end is not one line: {err[-500:]}"
    return None


def points(attack):
    """Yield seed, signal and moment of each round until all have been tried once."""
    tried = set()
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        point = SIGNALS[rng.integers(2)], int(rng.integers(1, MOMENTS + 1))
        if point not in tried:
            yield seed, *point
        tried.add(point)
        if len(tried) == len(SIGNALS) * MOMENTS:
            return


ATTACKED = [
    pytest.param(
        name,
        id=name.replace(" ", ""),
        marks=pytest.mark.attack(
            f"Ctrl-C and SIGTERM at every 50 ms: {name}", "signals", share=0.25
        ),
    )
    for name in SUBCOMMANDS
]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.takes(4)
@pytest.mark.parametrize("name", ATTACKED)
def test_signals_end_commands_in_one_line(attack, tmp_path, name):
    """Every signal ends the program; several programs run at once, because most only wait."""
    tried = 0

    def one(point):
        seed, number, step = point
        folder = tmp_path / str(seed)
        folder.mkdir()
        met, wrong = interrupted(folder, SUBCOMMANDS[name], number, step * STEP)
        if wrong:
            attack.failed(seed, f"{number.name} after {step * STEP:.2f} s of {name}", wrong)
        shutil.rmtree(folder, ignore_errors=True)
        return met

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        running = set()
        for point in points(attack):
            tried += 1
            running.add(pool.submit(one, point))
            if len(running) == AT_A_TIME:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                attack.count(sum(told.result() for told in done))
        attack.count(sum(told.result() for told in running))
    attack.notes.append(
        f"{tried} of {len(SIGNALS) * MOMENTS} moments, {tried - attack.tried} after its end"
    )


def test_the_attack_covers_every_subcommand():
    """`serve` needs an environment of its own, and its tests interrupt it there."""
    from agents.command import make_parser

    (known,) = (one.choices for one in make_parser()._actions if isinstance(one.choices, dict))
    assert {arguments[0] for arguments in SUBCOMMANDS.values()} == {*known} - {"serve"}


def test_tracebacks_wrong_statuses_and_silence_count_as_failures():
    stopped = "\nboardenvs: stopped\n"
    assert judged(130, signal.SIGINT, stopped, "") is None
    assert judged(143, signal.SIGTERM, stopped, "") is None
    assert judged(130, signal.SIGTERM, stopped, "")
    assert judged(-15, signal.SIGTERM, "", "")
    assert judged(130, signal.SIGINT, "", "")
    assert judged(130, signal.SIGINT, stopped + stopped, "")
    assert judged(130, signal.SIGINT, f"Traceback (most recent call last):{stopped}", "")
