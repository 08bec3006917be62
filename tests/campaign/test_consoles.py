"""Attack console programs, `boardenvs play` and `boardenvs analyse` with arbitrary input.

Most sessions call a program's `main` in this process. Their standard input reads the program's
output, so that games continue between lines that the program does not expect. Other sessions run a
subprocess at a pipe or at a terminal, which also receives Ctrl-C and Ctrl-D.

A session fails if it

- ends with an exception or a status other than 0 (end of game or input), 2 (one line on standard
  error, for bad arguments) or 130 (Ctrl-C),
- prints a traceback or a warning,
- needs more than two minutes of CPU time, or half an hour of wall time on a busy machine.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hostile_typing import ODD, Keyboard, Typist
from shrinking import smallest

import boardenvs
from agents.command import main as command
from agents.play.screen import marked

GAMES = list(boardenvs.GAMES)
LONGEST = 120  # seconds of CPU time
PATIENCE = 1800  # seconds, enough for a busy machine
ENCODINGS = ["utf-8", "ascii", "latin-1", "cp1252", "utf-16"]


class TooLongError(BaseException):
    """Not an `Exception`, so that no program catches it by mistake."""


def _too_long(*_):
    raise TooLongError


@contextlib.contextmanager
def at_most(computing, waiting):
    """Raise `TooLongError` in the main thread after these seconds of CPU or of wall time."""
    before = {one: signal.signal(one, _too_long) for one in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, computing)
    signal.setitimer(signal.ITIMER_REAL, waiting)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for one, handler in before.items():
            signal.signal(one, handler)


def session(main, arguments, next_line, encoding, seed):
    """Run a program with a simulated keyboard; `next_line` receives the program's output.

    Returns:
        The fault as text, empty if there is none, and the typed lines.
    """
    keyboard = Keyboard(lambda: next_line(printed.getvalue().decode(errors="replace")))
    stdin = io.TextIOWrapper(io.BufferedReader(keyboard), encoding="utf-8")
    printed, problems = io.BytesIO(), io.StringIO()
    stdout = io.TextIOWrapper(printed, encoding=encoding, write_through=True)
    default = np.random.default_rng
    with (
        pytest.MonkeyPatch.context() as patch,
        at_most(LONGEST, PATIENCE),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", stdout)
        patch.setattr(sys, "stderr", problems)
        # Unseeded generators use the round's seed, so that the round can be repeated.
        patch.setattr(np.random, "default_rng", lambda given=seed: default(given))
        try:
            status = main(list(arguments))
        except SystemExit as stop:
            status = stop.code
        except TooLongError:
            return "timed out", keyboard.typed
        except BaseException as error:  # noqa: BLE001 any error is reported
            return f"{type(error).__name__}: {error}", keyboard.typed
    return fault(status, printed.getvalue(), problems.getvalue().encode()), keyboard.typed


def fault(status, out, err, interrupted=False):
    """Return what is wrong with the end of a session; empty if nothing."""
    if b"Traceback" in out + err or b"Warning" in out + err:
        return f"printed {(out + err)[-300:]!r}"
    if status == 2:
        lines = err.count(b"error: " if interrupted else b"\n")
        return "" if lines == 1 and b"error: " in err else f"status 2 and {lines} lines: {err!r}"
    if status not in ((0, 130) if interrupted else (0,)):
        return f"status {status}, {err[-300:]!r}"
    return "" if not err or interrupted else f"standard error has {err[-300:]!r}"


def one_session(main, arguments, name, seed):
    """Run the session of a seed; return its fault and the smallest lines that reproduce it."""
    rng = np.random.default_rng(seed)
    encoding = str(rng.choice(ENCODINGS, p=[0.6, 0.1, 0.1, 0.1, 0.1]))
    typist = Typist(name, rng)
    wrong, typed = session(main, arguments, typist.line, encoding, seed)
    if not wrong:
        return "", []

    def fails(lines):
        rest = iter(lines)
        return bool(session(main, arguments, lambda _: next(rest, b""), encoding, seed)[0])

    return f"{wrong} (output in {encoding})", smallest(typed, fails)


def program(name):
    return importlib.import_module(f"boardenvs.{name}.__main__").main


def odd_arguments(name, rng):
    """Return arguments of a console program: mostly none, and mostly valid."""
    odd = ["", "0", "-1", "7", "9", "12", "x", "1e3", "²", "٣", "9" * 5000, "-N", "--", "%s", "\n"]
    known = {
        "gekitai": [["-N", "7", "-P", "6"], ["-L", "2"], ["-N", "8", "-L", "4"]],
        "game112": [["5"], ["1"], ["9"]],
        "goat_race": [["--seed", str(rng.integers(100))]],
    }.get(name, [[]])
    if rng.random() < 0.15:
        given = [odd[k] for k in rng.integers(len(odd), size=rng.integers(1, 4))]
        return given if name != "goat_race" else ["--seed", *given]
    if name == "goat_race" or rng.random() < 0.5:
        return known[rng.integers(len(known))]
    return []


@pytest.mark.attack("console programs under hostile input", "sessions", share=2)
def test_console_programs_survive_random_input(attack):
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        for name in GAMES:
            arguments = odd_arguments(name, rng)
            wrong, lines = one_session(program(name), arguments, name, seed)
            attack.count()
            if wrong:
                attack.failed(seed, f"{name} {arguments} {lines!r}", wrong)


def play_arguments(rng):
    """Return a game and the arguments of `boardenvs play`."""
    name = GAMES[rng.integers(len(GAMES))]
    game = boardenvs.make(name)
    opponent = ["random", "greedy", "mcts:5", "puct:5", "first", ""][rng.integers(6)]
    seat = str(rng.choice([*range(game.num_players), -1, 5, 99]))
    arguments = ["play", name, "--seed", str(rng.integers(1000)), "--seat", seat]
    if game.num_players > 1:
        arguments += ["--opponent", opponent]
    if rng.random() < 0.1:
        odd = ["--seed", "--web=x", "9" * 5000, "--opponent", "engine:", ":", "-1", "\0", "--param"]
        arguments += [odd[k] for k in rng.integers(len(odd), size=rng.integers(1, 3))]
    return name, arguments


@pytest.mark.attack("boardenvs play under hostile input", "sessions", share=2)
def test_play_survives_random_input(attack):
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        name, arguments = play_arguments(rng)
        wrong, lines = one_session(command, arguments, name, seed)
        attack.count()
        if wrong:
            attack.failed(seed, f"boardenvs {arguments} {lines!r}", wrong)


def mangled(text, rng):
    """Return a text as bytes after up to three changes."""
    data = bytearray(text.encode())
    for _ in range(rng.integers(4)):
        place, way = int(rng.integers(len(data) + 1)), rng.integers(3)
        if way == 0:
            data[place : place + 1] = rng.bytes(1)
        elif way == 1:
            data[place:place] = ODD[rng.integers(len(ODD))]
        else:
            del data[place : place + int(rng.integers(1, 30))]
    return bytes(data)


def analyse_arguments(rng):
    """Return the arguments of `boardenvs analyse` and its standard input."""
    name = GAMES[rng.integers(len(GAMES))]
    game = boardenvs.make(name)
    state = game.new(1, int(rng.integers(1000)))
    for _ in range(rng.integers(6)):
        if not game.over(state)[0]:
            game.play(state, [rng.choice(np.flatnonzero(game.legal(state)[0]))])
    position = mangled(
        [
            json.dumps(game.to_dict(state[0])),
            f"{game.to_text(state[0])}{game.presentation.turn_line(state[0])}\n",
            marked(game.to_text(state[0]), game.presentation.spans(state[0])),
        ][rng.integers(3)],
        rng,
    )
    agent = ["random", "greedy", "mcts:3", "trained", "nobody", ""][rng.integers(6)]
    more = [[], ["--ply", "1"], ["--to-move", "0"], ["--moves", "99"]][rng.integers(4)]
    if rng.random() < 0.5:
        return ["analyse", name, "-", agent, *more], position
    return ["analyse", name, position.decode(errors="replace"), agent, *more], b""


@pytest.mark.attack("boardenvs analyse of positions that were changed", "positions")
def test_analyse_survives_random_input(attack):
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        arguments, typed = analyse_arguments(rng)
        lines = iter([typed])
        wrong, _ = session(command, arguments, lambda _, rest=lines: next(rest, b""), "utf-8", seed)
        attack.count()
        if wrong:
            attack.failed(seed, f"boardenvs {arguments} {typed!r}", wrong)


# -- Processes ----------------------------------------------------------------------------


def lines_for(name, rng):
    """Return a finite list of lines that ignore the program's output."""
    typist = Typist(name, rng)
    return list(iter(functools.partial(typist.line, ""), b""))


COMMAND = Path(sys.executable).with_name("boardenvs")
# The terminal sends Ctrl-C to the session leader that opens it.
OWN_TERMINAL = 'tty=$1; shift; exec "$@" <> "$tty" >&0 2>&1'


def at_a_pipe(arguments, typed):
    """Return what is wrong with a program whose standard input is a pipe; empty if nothing."""
    with subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            out, err = process.communicate(typed, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return "timed out"
    return fault(process.returncode, out, err)


# Keys by which a terminal stops or ends a program.
KEYS_LEFT_OUT = bytes([0x11, 0x13, 0x1A, 0x1C])


def at_a_terminal(arguments, typed):
    """Return what is wrong with a program at a terminal, given typed lines and Ctrl-D."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        ["sh", "-c", OWN_TERMINAL, "sh", os.ttyname(theirs), *arguments],
        start_new_session=True,
    ) as process:
        os.set_blocking(ours, False)
        typed = typed.translate(None, KEYS_LEFT_OUT)
        seen, until = b"", time.monotonic() + PATIENCE
        try:
            while process.poll() is None:
                if time.monotonic() > until:
                    process.kill()
                    return f"timed out after {seen[-200:]!r}"
                readable, _, _ = select.select([ours], [], [], 0.02)
                if readable:
                    with contextlib.suppress(OSError):  # the program has ended
                        seen += os.read(ours, 1 << 16)
                elif not seen:  # Python handles Ctrl-C itself while it starts
                    continue
                elif typed:
                    with contextlib.suppress(
                        OSError
                    ):  # the buffer is full, or the program has ended
                        typed = typed[os.write(ours, typed[:200]) :]
                else:
                    with contextlib.suppress(OSError):
                        os.write(ours, b"\n\x04")
            with contextlib.suppress(OSError):
                while part := os.read(ours, 1 << 16):
                    seen += part
        finally:
            os.close(ours)
            os.close(theirs)
    return fault(process.returncode, b"", seen, interrupted=True)


@pytest.mark.takes(6)
@pytest.mark.attack("console programs and play as processes, at pipes and terminals", "sessions")
def test_processes_survive_random_input(attack):
    """Repeated rounds may end differently, because keys arrive at other moments."""
    for seed in attack.rounds():
        rng = np.random.default_rng(seed)
        name, play = play_arguments(rng)
        arguments = [sys.executable, "-m", f"boardenvs.{name}"]
        if COMMAND.exists() and rng.random() < 0.5:
            arguments = [str(COMMAND), *(one for one in play if "\0" not in one)]
        way = [at_a_pipe, at_a_terminal][rng.integers(2)]
        lines = lines_for(name, rng)
        if way is at_a_terminal:
            lines = lines[:15]
            lines.insert(int(rng.integers(len(lines) + 1)), b"\x03")
        wrong = way(arguments, b"".join(lines))
        attack.count()
        if wrong:
            less = smallest(lines, lambda some: bool(way(arguments, b"".join(some))))  # noqa: B023
            attack.failed(seed, f"{way.__name__} {arguments[1:]} {less!r}", wrong)


# -- The attacks find planted faults ------------------------------------------------------


def test_the_attack_finds_planted_faults():
    def breaks(_):
        while True:
            if input("? ") == "A1":
                raise KeyError("A1")

    def hangs(_):
        try:
            while True:
                threading.Event().wait(0.01)
        finally:
            sys.stdout.write("over")

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "PATIENCE", 0.5)
        typed = iter([b"x\n", b"A1\n", b"y\n"])
        wrong, lines = session(breaks, [], lambda _: next(typed, b""), "utf-8", 0)
        assert wrong == "KeyError: 'A1'"
        assert lines == [b"x\n", b"A1\n"]
        assert "timed out" in session(hangs, [], lambda _: b"", "utf-8", 0)[0]
    assert smallest(list(range(50)), lambda some: {7, 31} <= set(some)) == [7, 31]
    assert fault(1, b"", b"Traceback (most recent call last):\n")
    assert fault(2, b"", b"two\nlines error: \n")
    assert not fault(2, b"", b"x: error: y\n")
