"""Lines on standard error that explain a long wait for code that is not compiled."""

from __future__ import annotations

import collections
import contextlib
import enum
import functools
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

__all__ = ["Uncompiled", "Waits", "waits_for"]

_PATIENCE = 3.0
"""Waiting time (s) after which a line explains the wait."""
_LOADING = 1.0
"""Longest time (s) to load compiled code. A shorter wait needs no line."""


class Uncompiled(enum.Enum):
    """Reasons why a loop runs as plain Python, as lines for a person who waits."""

    MEANWHILE = "boardenvs: running uncompiled while {} is compiled in the background"
    FOR_NOW = "boardenvs: running uncompiled; {} is compiled if this takes longer"
    FOR_GOOD = "boardenvs: running uncompiled and slowly; run 'boardenvs compile {}' first"
    BY_REQUEST = 'boardenvs: running {} uncompiled, since BOARDENVS_INTERPRET is "always"'


class Waits:
    """The waits of this process for the code of one game. Each line is printed once."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._waited = 0.0
        self._uncompiled: dict[Any, float] = collections.defaultdict(float)
        self._said: set[str] = set()

    @property
    def runs_uncompiled(self) -> bool:
        """Whether a loop ran as plain Python and is not compiled since."""
        return bool(self._uncompiled)

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

    def ran_uncompiled(self, loop: Any, seconds: float, how: Uncompiled) -> None:
        """Record that a loop ran as plain Python.

        Args:
            loop: the loop.
            seconds: how long it ran.
            how: why it is not compiled.
        """
        self._uncompiled[loop] += seconds
        self._waited += seconds
        if self._waited >= _PATIENCE:
            self._say(how.value.format(self._what))

    def is_compiled(self, loop: Any) -> None:
        """Record that a loop no longer runs as plain Python."""
        self._uncompiled.pop(loop, None)
        running = {how.value.format(self._what) for how in Uncompiled}
        if self._said & running and sum(self._uncompiled.values()) < _PATIENCE:
            self._say(f"boardenvs: {self._what} is compiled")

    def _say(self, line: str) -> None:
        quiet = os.environ.get("BOARDENVS_INTERPRET") == "0" or sys.stderr is None
        if not quiet and line not in self._said:
            self._said.add(line)
            print(line, file=sys.stderr, flush=True)


@functools.cache
def waits_for(what: str) -> Waits:
    """Return the waits of this process for the code of a game."""
    return Waits(what)
