"""Lines on standard error that explain a long wait for code that is not compiled."""

from __future__ import annotations

import collections
import contextlib
import functools
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

__all__ = ["Waits", "waits_for"]

_PATIENCE = 3.0
"""Waiting time (s) after which a line explains the wait."""
_LOADING = 1.0
"""Longest time (s) to load compiled code. A shorter wait needs no line."""


class Waits:
    """The waits of this process for the code of one game. Each line is printed once."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._waited = 0.0
        self._uncompiled: dict[Any, float] = collections.defaultdict(float)
        self._said: set[str] = set()

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Explain the wait if the block takes long."""
        line = f"Compiling {self._what} for this machine, once: 5 to 40 s ..."
        timer = threading.Timer(max(_LOADING, _PATIENCE - self._waited), self._say, [line])
        timer.daemon = True
        timer.start()
        began = time.perf_counter()
        try:
            yield
        finally:
            timer.cancel()
            self._waited += time.perf_counter() - began

    def ran_uncompiled(self, loop: Any, seconds: float, *, in_background: bool) -> None:
        """Record that a loop ran as plain Python.

        Args:
            loop: the loop.
            seconds: how long it ran.
            in_background: whether another process compiles the loop.
        """
        self._uncompiled[loop] += seconds
        self._waited += seconds
        if self._waited >= _PATIENCE:
            self._say(self._running(in_background=in_background))

    def is_compiled(self, loop: Any) -> None:
        """Record that a loop no longer runs as plain Python."""
        self._uncompiled.pop(loop, None)
        running = {self._running(in_background=True), self._running(in_background=False)}
        if self._said & running and sum(self._uncompiled.values()) < _PATIENCE:
            self._say(f"boardenvs: {self._what} is compiled")

    def _running(self, *, in_background: bool) -> str:
        if in_background:
            return f"boardenvs: running uncompiled while {self._what} is compiled in the background"
        return f"boardenvs: running uncompiled; {self._what} is compiled if this takes longer"

    def _say(self, line: str) -> None:
        quiet = os.environ.get("BOARDENVS_INTERPRET") == "0" or sys.stderr is None
        if not quiet and line not in self._said:
            self._said.add(line)
            print(line, file=sys.stderr, flush=True)


@functools.cache
def waits_for(what: str) -> Waits:
    """Return the waits of this process for the code of a game."""
    return Waits(what)
