"""Input of `boardenvs engine` from a tournament manager, read as soon as the process starts.

Some managers wait at most one second for the answer to ABOUT. On a busy machine, importing `agents`
takes longer. So this module is in `boardenvs` and answers ABOUT before that import.
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
"""Seconds after the start of reading in which lines count as sent at the process's start."""
_SHARE = 5
"""A running process gets more than 1 / `_SHARE` of a processor, even on a busy machine."""
_Item = tuple[float, str] | BaseException | None
"""Arrival time and text of a line, an exception that a thread raised, or `None` at the end."""
_early: Inbox | None = None


def about(name: str) -> str:
    """Return the answer to ABOUT of an engine with this name."""
    # The program has no single country, and Gomocup's form requires one.
    author = 'author="boardenvs", country="international"'
    return f'name="boardenvs {name}", version="{boardenvs.__version__}", {author}'


def open_early(arguments: Sequence[str]) -> None:
    """Start to read standard input before the arguments of `boardenvs engine` are checked."""
    global _early  # noqa: PLW0603 a process has one standard input
    words = iter(arguments)
    names = []
    for word in words:
        if not word.startswith("-"):
            names.append(word)
        elif "=" not in word:
            next(words, None)  # every option has a value
    _early = _of_standard_input(about(names[1]) if len(names) == 2 else None)


def standard_inbox() -> Inbox:
    """Return the inbox of standard input."""
    return _early or _of_standard_input(None)


def _of_standard_input(first_answer: str | None) -> Inbox:
    stream: Iterable[str] = sys.stdin
    if isinstance(stream, io.TextIOWrapper):  # UTF-8 for every locale
        # Python cannot close `sys.stdin` at exit while a thread reads it.
        number = stream.fileno()
        stream = open(number, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    return Inbox(stream, first_answer)


def _age() -> float:
    """Return the time since the start of the process, in seconds.

    Some managers suspend the process before it has read anything. A suspended process uses no
    processor time, so the result is at most `_SHARE` times the processor time.
    """
    longest = _SHARE * time.process_time()
    try:
        _, _, fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")
        began = int(fields.split()[19]) / os.sysconf("SC_CLK_TCK")
    except OSError:  # not on Linux
        return longest
    return min(longest, time.clock_gettime(time.CLOCK_BOOTTIME) - began)


class Inbox:
    """Lines that a thread reads, each with its arrival time."""

    def __init__(self, stream: Iterable[str], first_answer: str | None = None) -> None:
        """Start to read.

        Args:
            stream: lines from the manager.
            first_answer: printed at once for each ABOUT before any other line.
        """
        self.came = time.perf_counter() - _age()
        """Arrival time of the current line by `time.perf_counter`, at first the process's start."""
        self.ready = threading.Event()
        """Set when the work given to `get_ready` has ended, with or without success."""
        self._items: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._begin(lambda: self._read(stream, first_answer))

    def get_ready(self, work: Callable[[], object]) -> None:
        """Run slow first-time work in a thread. If it succeeds, add an empty line to the inbox."""

        def run() -> None:
            try:
                work()
            finally:
                self.ready.set()
            self._items.put((time.perf_counter(), ""))

        self._begin(run)

    def __iter__(self) -> Iterator[str]:
        """Yield each line when it arrives.

        Raises:
            Exception: an exception of the reading or of the work of `get_ready`.
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
