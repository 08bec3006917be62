"""Parallel calls of a user's function, with a time limit."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence

__all__ = ["call_each"]


def call_each(
    function: Callable[[str], object], prompts: Sequence[str], workers: int, timeout: float | None
) -> list[object]:
    """Return the answer of a function to each prompt.

    Args:
        function: function of one prompt.
        prompts: any number of prompts.
        workers: maximum number of parallel calls, each in its own thread. With 1 worker and no
            timeout, this thread makes all calls.
        timeout: time limit of a call, in seconds; `None` for no limit.

    Raises:
        TimeoutError: a call took longer. It goes on in its thread, because nothing can stop it.
        BaseException: the first exception of a call, after which no other call starts.
    """
    if workers == 1 and timeout is None:
        return [function(prompt) for prompt in prompts]
    todo = list(reversed(list(enumerate(prompts))))
    lock = threading.Lock()
    begun: dict[int, float] = {}
    ended: queue.SimpleQueue[tuple[int, object, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        while True:
            with lock:
                if not todo:
                    return
                place, prompt = todo.pop()
                begun[place] = time.monotonic()
            try:
                ended.put((place, function(prompt), None))
            except BaseException as error:  # noqa: BLE001 raised in the calling thread
                with lock:
                    todo.clear()
                ended.put((place, None, error))

    answers: list[object] = [None] * len(prompts)
    try:
        for _ in range(min(workers, len(prompts))):
            threading.Thread(target=work, daemon=True).start()
        for _ in prompts:
            place, answer, error = _next(ended, begun, lock, timeout)
            if error is not None:
                raise error
            answers[place] = answer
            with lock:
                del begun[place]
    finally:
        with lock:
            todo.clear()
    return answers


def _next(
    ended: queue.SimpleQueue[tuple[int, object, BaseException | None]],
    begun: dict[int, float],
    lock: threading.Lock,
    timeout: float | None,
) -> tuple[int, object, BaseException | None]:
    """Wait for the next finished call; raise `TimeoutError` if one takes too long."""
    while timeout is not None:
        with lock:
            late = time.monotonic() - min(begun.values(), default=time.monotonic()) - timeout
        try:
            return ended.get(timeout=max(-late, 0))
        except queue.Empty:
            if late >= 0:
                raise TimeoutError(f"no answer within {timeout:g} s") from None
    return ended.get()
