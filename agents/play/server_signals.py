"""Signals that stop a server."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn

__all__ = ["ended_by_signals"]


@contextlib.contextmanager
def ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Stop the server on a signal, and raise the signal again after this context.

    uvicorn handles signals only while it runs; an earlier interrupt would leave its coroutine
    unawaited.
    """
    caught: list[int] = []

    def end(number: int, frame: Any) -> None:
        caught.append(number)
        server.should_exit = True

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # there is no SIGHUP on Windows
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in dict.fromkeys(caught):
        if before[number] is signal.SIG_DFL:  # raising it would skip the cleanup
            raise SystemExit(128 + number)
        signal.raise_signal(number)
