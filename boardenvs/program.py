"""What the console programs share: arguments with one-line errors, and a clean way out."""

from __future__ import annotations

import _thread
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
from importlib import _bootstrap
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from boardenvs.checks import printable
from boardenvs.interrupts import NAMES, came, status, stop

__all__ = [
    "ABANDONED",
    "OneLineParser",
    "drop_output",
    "interrupted",
    "leave",
    "loaded",
    "prepare_streams",
    "program_parser",
    "run_program",
]

ABANDONED = "boardenvs-abandoned"
"""Name of the threads that `leave` does not wait for."""
_COMPILED = {ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__}
_LLVM = "llvmlite.binding"
_IMPORT = _bootstrap._find_and_load.__code__  # type: ignore[attr-defined]  # noqa: SLF001 no other
_LATER = 0.01, 1.0  # seconds until a signal is sent again: at first, and at most
_LONGEST = 3.0  # seconds of the processor's time for which an interrupt waits for an import
_IDLE = (0.5, 0.02)  # an import that takes no more of the processor's time than this waits itself
_INTERRUPTED = {128 + getattr(signal, name) for name in NAMES}  # as `interrupts.status` tells
_arrived = False  # whether the program knows that it was interrupted
_met = 0  # how many signals the handler has met
_waited: tuple[float, float, float] | None = None
"""For an import: the processor's time at first, the time of a look at it, and what that showed."""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and end the program with status 2."""
        print(f"{self.prog}: error: {printable(message)}", file=sys.stderr)
        raise SystemExit(2)


def program_parser(game: str, description: str) -> argparse.ArgumentParser:
    """A parser for `python -m boardenvs.<game>`, whose errors are one line."""
    return OneLineParser(
        prog=f"python -m boardenvs.{game}", usage=argparse.SUPPRESS, description=description
    )


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


def loaded() -> None:
    """Undo `boardenvs.interrupts.guard`: from here on signals raise `KeyboardInterrupt`.

    Where Python would lose that, it comes a little later: callbacks and finalizers print it and go
    on, a compiled module that is being imported makes another error of it, and some that call
    back into Python, such as PyTorch's, abort the process. So it waits for any import that is at
    work, though not for long. It waits as well for llvmlite, which would free what it has just
    given to LLVM a second time.
    """
    global _arrived, _waited
    _arrived, _waited = False, None
    for name in NAMES:
        number = getattr(signal, name)
        if signal.getsignal(number) is stop:
            sys.unraisablehook = _unraisable
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _met, _waited  # noqa: PLW0603 as in `interrupted`
    _met += 1
    came(number)
    imports = False
    while frame is not None:
        if frame.f_code in _COMPILED or _is_llvm(frame):
            _interrupt_later()
            return
        imports = imports or frame.f_code is _IMPORT
        frame = frame.f_back
    if imports and _is_at_work():
        _interrupt_later()
        return
    _waited = None
    sys.unraisablehook = _quiet  # what it leaves half-made may fail to be taken apart
    raise KeyboardInterrupt


def _is_llvm(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith(_LLVM)


def _is_at_work() -> bool:
    """Whether an import, for which an interrupt waits, does something, and has not for long."""
    global _waited  # noqa: PLW0603 as in `interrupted`
    now, used = time.monotonic(), time.process_time()
    first, begin, before = _waited or (used, now, used)
    if now - begin >= _IDLE[0]:
        if used - before < _IDLE[1]:
            return False
        begin, before = now, used
    _waited = first, begin, before
    return used - first < _LONGEST


def _unraisable(lost: Any) -> None:
    _quiet(lost)
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)


def _quiet(lost: Any) -> None:
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _interrupt_later()


def _interrupt_later() -> None:
    main, number = threading.main_thread().ident, signal.Signals(status() - 128)
    later, longest = _LATER
    met = _met

    def send() -> None:
        nonlocal later
        # One that comes when Python is about to read or to wait does not wake it, and is lost.
        while True:
            time.sleep(later)
            # Another would meet Python as it leaves, and kill it there.
            if _arrived or _met != met:
                return
            if main is not None and hasattr(signal, "pthread_kill"):
                signal.pthread_kill(main, number)  # wakes it where it waits
            else:
                _thread.interrupt_main(number)
            later = min(2 * later, longest)

    # Not by `threading`, whose locks the interrupted thread may hold.
    _thread.start_new_thread(send, ())


def interrupted() -> int:
    """Take note that a `KeyboardInterrupt` has arrived where it ends the program.

    Returns:
        The exit status, see `boardenvs.interrupts.status`.
    """
    global _arrived  # noqa: PLW0603 of the process, as signals are
    _arrived = True
    return status()


def leave(left: int) -> int:
    """Exit at once if the program was interrupted or a thread named `ABANDONED` still runs.

    Otherwise return the exit status. Python's own exit may crash while a thread still runs the
    code of a network.

    Args:
        left: the exit status; 130 and 143 are those of interrupts.
    """
    if left in _INTERRUPTED or ABANDONED in (thread.name for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):  # nobody reads it, or it is closed
                stream.flush()
        atexit._run_exitfuncs()  # noqa: SLF001 as `multiprocessing` does
        os._exit(left)
    return left


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
    try:
        left = _played(play)
        sys.stdout.flush()
    except OSError as error:
        drop_output()
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"error: {error}", file=sys.stderr)
        return 2
    return left


def _played(play: Callable[[], None]) -> int:
    try:
        loaded()
        play()
    except EOFError:
        print("\nEnd of input, the game is unfinished.")
    except KeyboardInterrupt:
        left = interrupted()
        print("\nInterrupted.")
        return left
    return 0
