"""Ctrl-C and SIGTERM in a program of this package: one line and no traceback, from its first line.

A program is the `boardenvs` command, or a module of `boardenvs` or `agents` that `python -m` runs.
This module imports next to nothing, so that its reign begins early.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["NAMES", "came", "guard", "is_program", "status", "stop"]

NAMES = ("SIGINT", "SIGTERM")
"""The signals that end a program: Ctrl-C, and what `kill` and `timeout` send."""

_last = 2
"""The signal that came last, by default that of Ctrl-C."""


def guard() -> None:
    """Have signals end this process at once, with one line, if it is a program of this package.

    While modules load there is nobody to catch a `KeyboardInterrupt`, and compiled ones make
    other errors of it. `boardenvs.program.loaded` ends this.
    """
    if not _PROGRAM:
        return
    try:
        import signal

        for name in NAMES:
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:  # as it is in the background
                signal.signal(number, stop)
    except KeyboardInterrupt:
        stop()


def stop(number: int = 2, *_: object) -> NoReturn:
    """End this process at once; a handler of signals."""
    try:
        os.write(2, b"\nboardenvs: stopped\n")
    finally:
        os._exit(128 + number)


def came(number: int) -> None:
    """Take note of a signal, for `status`."""
    global _last  # noqa: PLW0603 of the process, as signals are
    _last = number


def status() -> int:
    """The exit status of a program that a `KeyboardInterrupt` ended: 130, or 143 after SIGTERM."""
    return 128 + _last


def is_program() -> bool:
    """Whether this process is one; to be asked while its first modules are imported."""
    # What Python was given ends with the program and its arguments, whatever comes before.
    place = len(sys.orig_argv) - len(sys.argv)
    if place <= 0:  # as in a process that another one spawned
        return False
    program = sys.orig_argv[place]
    if sys.argv[0] == "-m":  # Python's name for a module until it is found
        return program.removeprefix("-m").partition(".")[0] in {"boardenvs", "agents"}
    return os.path.splitext(os.path.basename(program))[0] == "boardenvs"  # noqa: PTH119, PTH122


def end() -> None:
    """Ignore signals from here on: what was to be done is done.

    Python, when it leaves, undoes handlers before it has left; a signal would then be its death.
    """
    import signal

    for name in NAMES:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    # Where an interrupt has passed through `exec` of a text, as modules do that make classes so,
    # Python remembers it until the next such call, and kills itself in the end.
    exec("")


_PROGRAM = is_program()
guard()
if _PROGRAM:
    import atexit

    atexit.register(end)  # the first to be registered is the last to be called
