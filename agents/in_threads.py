"""Work that is shared among threads."""

from __future__ import annotations

import _thread
import contextlib
from collections.abc import Callable

__all__ = ["LOOK", "StoppedError", "Stopping", "held_locks", "in_threads", "never"]

LOOK = 0.1
"""Seconds after which a thread that waits for others looks itself how things stand."""

Stopping = Callable[[], bool]
"""Whether what has not been done yet need not be done any more."""


class StoppedError(Exception):
    """Raised by work that has seen that it is to stop; `in_threads` raises what was the cause."""


def never() -> bool:
    """Of work that nobody stops, see `Stopping`."""
    return False


def held_locks(num: int) -> list[_thread.LockType]:
    """Return `num` locks that are held: a thread that waits for one goes on once it is released."""
    locks = [_thread.allocate_lock() for _ in range(num)]
    for lock in locks:
        lock.acquire()
    return locks


def in_threads(work: Callable[[int, Stopping], object], num: int) -> None:
    """Do `work(0, stopping)` to `work(num - 1, stopping)` at once, all but the first in threads.

    It pays for work that mostly leaves Python's lock alone, as compiled loops and networks do.
    All have ended when it ends, also by Ctrl-C: were Python left while another thread is in a
    network's code, that would be a crash.

    Args:
        work: told its place and a function that says whether it is to stop: one has raised
            something, or there was an interrupt. It looks now and then. An interrupt may meet the
            first anywhere, also as it has just got a lock, so it shares none with the others for
            which these would wait for ever.
        num: how many.

    Raises:
        BaseException: the first that any of them raised, or that came while they were waited for.
    """
    failures: list[BaseException] = []
    stop = False
    taken: dict[int, bool] = {}  # whether a thread does it; the first to say so decides
    ended = [False] * num
    locks = held_locks(num)  # each released when one has ended

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
            # Not by `threading`, which waits until the other runs.
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
            # An interrupt may have come while a thread began.
            if place <= begun or taken.setdefault(place, False):
                while not ended[place]:
                    try:
                        locks[place].acquire(timeout=LOOK)
                    except BaseException as error:  # noqa: BLE001 another interrupt
                        failures.append(error)
    if failures:
        raise failures[0]
