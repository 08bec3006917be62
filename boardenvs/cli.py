"""What console programs share: arguments with one-line errors, streams, Ctrl-C and SIGTERM."""

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
"""Modules whose callbacks lose an exception. Compiled modules that are imported crash by it."""
_ONE_STOP = 1.0
"""Seconds in which further signals count as the same one: `timeout` sends its signal twice."""
_STOPPED = {128 + signal.SIGINT, 128 + signal.SIGTERM}
_last_signal = -_ONE_STOP
"""When the last signal came, by `time.monotonic`."""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and end the program with status 2."""
        print(f"{self.prog}: error: {printable(message)}", file=sys.stderr)
        raise SystemExit(2)


def program_parser(game: str, description: str) -> argparse.ArgumentParser:
    """Return a parser for `python -m boardenvs.<game>`, whose errors are one line."""
    return OneLineParser(
        prog=f"python -m boardenvs.{game}", usage=argparse.SUPPRESS, description=description
    )


class Terminated(KeyboardInterrupt):
    """What SIGTERM raises after `end_on_signals`."""


def end_on_signals() -> None:
    """Have Ctrl-C and SIGTERM end this program by an exception, which cleans up on its way."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as in the background of a shell
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt`, or exit at once where the exception would be lost."""
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
    """Return the exit status, but exit at once if the program was stopped or leaves daemon threads.

    Python's own exit crashes when such a thread comes back from the code of a network.
    """
    if status in _STOPPED or any(thread.daemon for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):  # nobody reads it, or it is closed
                stream.flush()
        atexit._run_exitfuncs()  # noqa: SLF001 as `multiprocessing` does
        os._exit(status)
    return status


def prepare_streams() -> None:
    """Have standard input and output take whatever is typed and printed, whatever the locale.

    Input that is no text arrives as replacement characters. Output whose encoding lacks a
    character that boards are drawn with becomes UTF-8. A stream that was closed before the
    program began is empty, or forgets what is printed.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 stays open
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 as well
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        "●○".encode(sys.stdout.encoding or "utf-8")  # a buffer in memory has no encoding
    except UnicodeEncodeError:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")


def drop_output() -> None:
    """Forget what is still to be printed: nobody reads it, or it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_program(play: Callable[[], None]) -> int:
    """Play at the keyboard, or print; the end of input or Ctrl-C ends it with a short message.

    Returns:
        The exit status: 0, also if the reader of the output (`head`, say) has gone, 130
        after Ctrl-C, 143 after SIGTERM, 2 if the output cannot be written.
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
