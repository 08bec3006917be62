"""What a tournament manager writes to `boardenvs engine`, read from the process's first moments on.

Imports of the agents take longer than some managers wait. This module needs none of them.
"""

from __future__ import annotations

import io
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import boardenvs
from boardenvs.program import ABANDONED

__all__ = ["Inbox", "about", "open_early", "standard_inbox"]

_FIRST = 0.1
"""Seconds: lines that are read so soon were there before, perhaps from the process's start on."""
_SHARE = 5
"""A process that runs gets more than one part in so many of the time, on a busy machine, too."""
_Item = tuple[float, str] | BaseException | None
"""When a line came, and the line; what was raised; or the end."""
_early: Inbox | None = None


def about(name: str) -> str:
    """Return the answer to ABOUT of an engine that goes by a name."""
    return f'name="boardenvs {name}", version="{boardenvs.__version__}"'


def open_early(arguments: Sequence[str]) -> None:
    """Begin to read, before it is known whether these arguments of `boardenvs engine` are right."""
    global _early  # noqa: PLW0603 of the process, as standard input is
    words = iter(arguments)
    names = []
    for word in words:
        if not word.startswith("-"):
            names.append(word)
        elif "=" not in word:
            next(words, None)  # all options have a value
    _early = _of_standard_input(about(names[1]) if len(names) == 2 else None)


def standard_inbox() -> Inbox:
    """Return the lines of standard input."""
    return _early or _of_standard_input(None)


def _of_standard_input(first_answer: str | None) -> Inbox:
    stream: Iterable[str] = sys.stdin
    if isinstance(stream, io.TextIOWrapper):  # in UTF-8 whatever the locale
        # Not `sys.stdin` itself, which Python could not close at its end while a thread reads.
        number = stream.fileno()
        stream = open(number, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    return Inbox(stream, first_answer)


def _age() -> float:
    """Return how long ago the process began, in seconds.

    Some managers stop the process before it has read anything. This is seen by how little of the
    processor's time has passed, and what lies beyond is left out.
    """
    longest = _SHARE * time.process_time()
    try:
        _, _, fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")
        began = int(fields.split()[19]) / os.sysconf("SC_CLK_TCK")
    except OSError:  # not on Linux
        return longest
    return min(longest, time.clock_gettime(time.CLOCK_BOOTTIME) - began)


class Inbox:
    """Lines in the order in which they came, each with its time; a thread reads them."""

    def __init__(self, stream: Iterable[str], first_answer: str | None = None) -> None:
        """Begin to read.

        Args:
            stream: what the manager writes.
            first_answer: printed at once for each ABOUT before any other line.
        """
        self.came = time.perf_counter() - _age()
        """When the current line came, by `time.perf_counter`; at first the process's start."""
        self.ready = threading.Event()
        """Set when what `get_ready` was given has ended, with or without success."""
        self._items: queue.SimpleQueue[tuple[float, str] | BaseException | None] = (
            queue.SimpleQueue()
        )
        self._begin(lambda: self._read(stream, first_answer))

    def get_ready(self, work: Callable[[], object]) -> None:
        """Do what takes long the first time in a thread; an empty line follows when it is done."""

        def run() -> None:
            try:
                work()
            finally:
                self.ready.set()
            self._items.put((time.perf_counter(), ""))

        self._begin(run)

    def __iter__(self) -> Iterator[str]:
        """Wait for each line.

        Raises:
            Exception: what reading or getting ready raised.
        """
        while (item := self._items.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            self.came, line = item
            yield line

    def _begin(self, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 raised where lines are waited for
                self._items.put(error)

        threading.Thread(target=run, name=ABANDONED, daemon=True).start()

    def _read(self, stream: Iterable[str], first_answer: str | None) -> None:
        started, soon = self.came, time.perf_counter() + _FIRST
        for line in stream:
            now = time.perf_counter()
            if first_answer is not None and line.strip().upper() == "ABOUT":
                print(first_answer, flush=True)
                continue
            if line.strip():
                first_answer = None
            self._items.put((now if now > soon else started, line))
        self._items.put(None)
