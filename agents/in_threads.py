"""Functions that run work in several threads."""

from __future__ import annotations

import _thread
import contextlib
from collections.abc import Callable

__all__ = ["LOOK", "StoppedError", "Stopping", "held_locks", "in_threads", "never"]

LOOK = 0.1
"""Seconds after which a waiting thread checks the state of the others."""

Stopping = Callable[[], bool]
"""A function that returns whether the remaining work should stop."""


class StoppedError(Exception):
    """Raised by work that stops early; `in_threads` raises the original cause instead."""


def never() -> bool:
    """Return `False`: a `Stopping` for work that never stops early."""
    return False


def held_locks(num: int) -> list[_thread.LockType]:
    """Return `num` locks in the acquired state."""
    locks = [_thread.allocate_lock() for _ in range(num)]
    for lock in locks:
        lock.acquire()
    return locks


def in_threads(work: Callable[[int, Stopping], object], num: int) -> None:
    """Run `work(0, stopping)` to `work(num - 1, stopping)` at once, all but the first in threads.

    The threads help if the work mostly runs without the GIL, as compiled loops and networks do. The
    function returns only when all threads have ended, also after Ctrl-C: Python would crash if it
    exited while a thread runs a network.

    Args:
        work: a function of an index and a `Stopping`, which it calls from time to time. The
            `Stopping` returns `True` after an exception or an interrupt. An interrupt may occur
            anywhere in the first call, even right after it acquires a lock. So the calls must not
            share locks that others would wait for without a timeout.
        num: number of calls.

    Raises:
        BaseException: the first exception of any call, or an interrupt while waiting.
    """
    failures: list[BaseException] = []
    stop = False
    taken: dict[int, bool] = {}  # whether a thread runs the call; the first entry counts
    ended = [False] * num
    locks = held_locks(num)  # each is released when its call has ended

    def run(place: int) -> None:
        nonlocal stop
        try:
            if taken.setdefault(place, True):
                work(place, lambda: stop)
        except StoppedError:
            pass
        except BaseException as error:  # noqa: BLE001 raised below
            failures.append(error)
            stop = True
        finally:
            ended[place] = True
            locks[place].release()

    begun = 0
    try:
        for place in range(1, num):
            # Not `threading`, which waits until the new thread runs.
            _thread.start_new_thread(run, (place,))
            begun = place
        with contextlib.suppress(StoppedError):
            work(0, lambda: stop)
        for place in range(1, num):
            while not ended[place]:
                locks[place].acquire(timeout=LOOK)
    finally:
        stop = True
        for place in range(1, num):
            # An interrupt may have occurred while a thread started.
            if place <= begun or taken.setdefault(place, False):
                while not ended[place]:
                    try:
                        locks[place].acquire(timeout=LOOK)
                    except BaseException as error:  # noqa: BLE001 another interrupt
                        failures.append(error)
    if failures:
        raise failures[0]
