"""Work that is shared among threads."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["in_threads"]


def in_threads(work: Callable[[int], object], num: int) -> None:
    """Do `work(0)` to `work(num - 1)` at once: the first here, each other in a thread of its own.

    It pays for work that mostly leaves Python's lock alone, as compiled loops and networks do.
    All have ended when it ends, also by Ctrl-C: were Python left while another thread is in a
    network's code, that would be a crash.

    Raises:
        BaseException: the first that any of them raised, or that came while they were waited for.
    """
    failures: list[BaseException] = []
    ended = [threading.Event() for _ in range(1, num)]
    taken: dict[int, bool] = {}  # whether a thread does it; the first to say so decides

    def run(place: int) -> None:
        try:
            work(place)
        except BaseException as error:  # noqa: BLE001 raised below
            failures.append(error)

    def run_beside(place: int) -> None:
        try:
            if taken.setdefault(place, True):
                run(place)
        finally:
            ended[place - 1].set()

    begun = 0
    try:
        for place in range(1, num):
            threading.Thread(target=run_beside, args=(place,), daemon=True).start()
            begun = place
        run(0)
    finally:
        for place, event in enumerate(ended, 1):
            # An interrupt may have come while a thread began.
            if place <= begun or taken.setdefault(place, False):
                _wait(event, failures)
    if failures:
        raise failures[0]


def _wait(event: threading.Event, failures: list[BaseException]) -> None:
    """Wait, whatever comes; `Thread.join` may take a thread for ended after an interrupt."""
    while not event.is_set():
        try:
            event.wait()
        except BaseException as error:  # noqa: BLE001 raised when all have ended
            failures.append(error)
