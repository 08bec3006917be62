"""Work that is shared among threads."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["in_threads"]


def in_threads(work: Callable[[int], object], num: int) -> None:
    """Do `work(0)` to `work(num - 1)` at once: the first here, each other in a thread of its own.

    It pays for work that mostly leaves Python's lock alone, as compiled loops and networks do.

    Raises:
        BaseException: the first that any of them raised, once all have ended.
    """
    failures: list[BaseException] = []

    def run(place: int) -> None:
        try:
            work(place)
        except BaseException as error:  # noqa: BLE001 raised below
            failures.append(error)

    others = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(1, num)]
    for thread in others:
        thread.start()
    run(0)
    for thread in others:
        thread.join()
    if failures:
        raise failures[0]
