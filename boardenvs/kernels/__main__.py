"""A process that compiles loops for another process, see `boardenvs.kernels.background`."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any

_IDLE = 30.0
"""Seconds without a request after which the process ends."""


def _read(requests: queue.SimpleQueue[Any]) -> None:
    """Read requests until the other process ends, then end this process."""
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    except EOFError:
        os._exit(0)
    except BaseException:  # noqa: BLE001 after a failure, the other process compiles by itself
        os._exit(1)


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process handles Ctrl-C
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    try:
        while True:
            (find, args), signature, file = requests.get(timeout=_IDLE)
            find(*args).compile(signature)
            if not file.exists():
                os._exit(1)
    except queue.Empty:
        os._exit(0)
    finally:
        os._exit(1)  # does not wait for the thread


if __name__ == "__main__":
    _main()
