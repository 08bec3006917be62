"""Input of `boardenvs engine` from a tournament manager, read as soon as the process starts.

Some managers wait one second at most for the answer to ABOUT. On a busy machine, importing `agents`
takes longer. So this module lies in `boardenvs`, and it answers ABOUT before that import.
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

__all__ = ["Inbox", "about", "open_early", "standard_inbox"]

_FIRST = 0.1
"""Seconds after reading begins in which a line counts as sent when the process started."""
_SHARE = 5
"""A running process gets more than 1 / `_SHARE` of a processor, even on a busy machine."""
_Item = tuple[float, str] | BaseException | None
"""Arrival time and text of a line, an exception that a thread raised, or `None` at the end."""
_early: Inbox | None = None


def about(name: str) -> str:
    """Return the answer to ABOUT of an engine with this name."""
    return f'name="boardenvs {name}", version="{boardenvs.__version__}"'


def open_early(arguments: Sequence[str]) -> None:
    """Begin to read standard input before the arguments of `boardenvs engine` are checked."""
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
    """Return the inbox of standard input."""
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

    Some managers suspend the process before it has read anything. A suspended process uses no
    processor time, so the age is limited to `_SHARE` times the processor time used.
    """
    longest = _SHARE * time.process_time()
    try:
        _, _, fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")
        began = int(fields.split()[19]) / os.sysconf("SC_CLK_TCK")
    except OSError:  # not on Linux
        return longest
    return min(longest, time.clock_gettime(time.CLOCK_BOOTTIME) - began)


class Inbox:
    """Lines in order of arrival, each with its time, read by a thread."""

    def __init__(self, stream: Iterable[str], first_answer: str | None = None) -> None:
        """Begin to read.

        Args:
            stream: the lines that the manager writes.
            first_answer: printed at once for each ABOUT before any other line.
        """
        self.came = time.perf_counter() - _age()
        """Arrival time of the current line by `time.perf_counter`; at first the process's start."""
        self.ready = threading.Event()
        """Set when the work given to `get_ready` has ended, with or without success."""
        self._items: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._begin(lambda: self._read(stream, first_answer))

    def get_ready(self, work: Callable[[], object]) -> None:
        """Do slow first-time work in a thread.

        An empty line is added to the inbox when the work has succeeded.
        """

        def run() -> None:
            try:
                work()
            finally:
                self.ready.set()
            self._items.put((time.perf_counter(), ""))

        self._begin(run)

    def __iter__(self) -> Iterator[str]:
        """Wait for each line and yield it.

        Raises:
            Exception: reading or the work of `get_ready` raised it.
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
            except BaseException as error:  # noqa: BLE001 `__iter__` raises it
                self._items.put(error)

        threading.Thread(target=run, daemon=True).start()

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
