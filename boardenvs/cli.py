"""Helpers of console programs: arguments with one-line errors, streams, Ctrl-C and SIGTERM."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NoReturn

from boardenvs.core.checks import printable

__all__ = [
    "OneLineParser",
    "Terminated",
    "drop_output",
    "end_on_signals",
    "exit_status",
    "leave",
    "prepare_streams",
    "program_parser",
    "run_program",
]

_LOSING = ("importlib.", "_frozen_importlib", "llvmlite.")
"""Modules whose callbacks lose exceptions. An exception during some imports crashes Python."""
_ONE_STOP = 1.0
"""Seconds in which further signals are ignored, since `timeout` sends its signal twice."""
_STOPPED = {128 + signal.SIGINT, 128 + signal.SIGTERM}
_last_signal = -_ONE_STOP
"""Time of the last signal, by `time.monotonic`."""


class OneLineParser(argparse.ArgumentParser):
    """An argument parser with one-line errors."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with status 2."""
        print(f"{self.prog}: error: {printable(message)}", file=sys.stderr)
        raise SystemExit(2)


def program_parser(game: str, description: str) -> argparse.ArgumentParser:
    """Return a parser for `python -m boardenvs.<game>` with one-line errors."""
    return OneLineParser(
        prog=f"python -m boardenvs.{game}", usage=argparse.SUPPRESS, description=description
    )


class Terminated(KeyboardInterrupt):
    """The exception that SIGTERM raises after `end_on_signals`."""


def end_on_signals() -> None:
    """Make Ctrl-C and SIGTERM raise an exception, so that the program cleans up and ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # shells ignore it for background jobs
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt`, or exit at once if a callback would lose the exception."""
    global _last_signal
    before, _last_signal = _last_signal, time.monotonic()
    if _last_signal - before < _ONE_STOP:
        return
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(_LOSING):
            os.write(2, b"\nboardenvs: stopped\n")
            os._exit(128 + number)
        frame = frame.f_back
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def exit_status(stop: KeyboardInterrupt) -> int:
    """Return the exit status of a stopped program: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)


def leave(status: int) -> int:
    """Return the exit status, but exit at once after a signal or if daemon threads are running.

    Python's own exit crashes if such a thread returns from the code of a network.
    """
    if status in _STOPPED or any(thread.daemon for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):  # the reader has gone, or it is closed
                stream.flush()
        atexit._run_exitfuncs()  # noqa: SLF001 as `multiprocessing` does
        os._exit(status)
    return status


def prepare_streams() -> None:
    """Make standard input and output work with every locale.

    Invalid input becomes replacement characters. If the encoding of the output lacks a character
    of the boards, the output becomes UTF-8. If a stream was closed before the program began, the
    input is empty and the output is discarded.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 stays open
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 as well
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        "●○".encode(sys.stdout.encoding or "utf-8")  # in-memory buffers have no encoding
    except UnicodeEncodeError:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")


def drop_output() -> None:
    """Discard the remaining output, since its reader has gone or it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_program(play: Callable[[], None]) -> int:
    """Run a console program. The end of input and Ctrl-C end it with a short message.

    Returns:
        The exit status: 130 after Ctrl-C, 143 after SIGTERM, 2 if the output cannot be written,
        otherwise 0, also if the reader of the output (such as `head`) has gone.
    """
    prepare_streams()
    end_on_signals()
    try:
        status = _played(play)
        sys.stdout.flush()
    except OSError as error:
        drop_output()
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"error: {error}", file=sys.stderr)
        return 2
    return status


def _played(play: Callable[[], None]) -> int:
    try:
        play()
    except EOFError:
        print("\nEnd of input, the game is unfinished.")
    except KeyboardInterrupt as stop:
        print("\nInterrupted.")
        return exit_status(stop)
    return 0
