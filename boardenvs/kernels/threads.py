"""The threads of loops and their number. Results do not depend on the number of threads."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import importlib.metadata
import math
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from boardenvs.kernels.numba_compat import entry_point, is_plain, is_ready, say_lacking
from boardenvs.kernels.tuner import ThreadTuner

__all__ = [
    "choose_layer",
    "cores",
    "fix_threads",
    "fixed_threads",
    "most_threads",
    "over_threads",
    "threads_for",
]

_config: Any = getattr(numba, "config", None)
_LAYER_CAN_BE_CHOSEN = hasattr(_config, "THREADING_LAYER") and hasattr(_config, "NUMBA_NUM_THREADS")


@functools.cache
def choose_layer() -> None:
    """Choose Numba's threading layer, unless the user did.

    This happens when the first loop is compiled, so that the import does not change Numba.

    TBB and GNU OpenMP allow kernels from several Python threads at once. Numba's "workqueue"
    layer ends the process in this case, see `Threads.turn`.

    By default the threads of GNU OpenMP spin while they wait. On a core that another program uses,
    two threads can then be fifty times slower than one. OpenMP reads the variable when it starts.
    """
    if not _LAYER_CAN_BE_CHOSEN:
        return
    if _config.THREADING_LAYER == "default":
        _config.THREADING_LAYER = "threadsafe"
    if not _load_tbb():
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def _load_tbb() -> bool:
    """Load the library of Numba's TBB layer, and return whether the package `tbb` has it.

    The dynamic linker does not find the library in the package's folder. Numba finds a library that
    is loaded. TBB is faster on cores that other programs use too, since a call does not wait for a
    thread that has not started.
    """
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, OSError):
        for file in importlib.metadata.files("tbb") or []:
            if file.name == "libtbb.so.12":  # the only ABI that Numba knows
                ctypes.CDLL(str(file.locate()))
                return True
    return False


def _start_threads() -> str:
    """Start Numba's threads, and return the name of their layer.

    Numba starts TBB's threads by an empty task, and waits for the task when the process ends. If no
    thread has taken the task, and the process has forked or another of its threads is ending, the
    process never ends (github.com/numba/numba/issues/10556). So this function waits for the task.

    Raises:
        ImportError: no threading layer is available.
        ValueError: the requested threading layer is not available.
    """
    from numba.np.ufunc import parallel

    started = getattr(parallel, "_is_initialized", True)
    numba.get_num_threads()
    layer = str(parallel.threading_layer())
    if not started and layer == "tbb":
        pool = importlib.import_module("numba.np.ufunc.tbbpool")
        wait = getattr(pool, "synchronize", None)  # the address of a function in C
        if isinstance(wait, int):
            ctypes.CFUNCTYPE(None)(wait)()
    return layer


class Threads:
    """Numba's threads, whether this process may use them, and their number.

    A process uses one thread if no threading layer is installed. So does the child of a fork whose
    parent had started the threads, since GNU OpenMP would end it.
    """

    def __init__(self) -> None:
        self._usable: bool | None = None if _LAYER_CAN_BE_CHOSEN else False
        # Never replaced, since two Python threads may start Numba's threads at once.
        self._lock = threading.RLock()
        self.turn: contextlib.AbstractContextManager[Any] = self._lock
        """Context manager for a call that uses the threads, after their start.

        It is a lock for the layer "workqueue", which ends the process if two Python threads make
        such calls at once. For other layers it does nothing.
        """
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self) -> None:
        if self._usable:
            self._usable = False

    def usable(self) -> bool:
        """Start the threads if possible, and return whether this process may use them."""
        if self._usable is None:
            choose_layer()
            try:
                layer = _start_threads()
            except (ImportError, ValueError):
                self._usable = False
            else:
                if layer != "workqueue":
                    self.turn = contextlib.nullcontext()
                self._usable = True
        elif not self._usable:
            self._say_if_lacking()
        return self._usable

    def most(self) -> int:
        """Return the number of threads, 1 if this process may not use them."""
        if self._usable is False:
            self._say_if_lacking()
            return 1
        if _config.NUMBA_NUM_THREADS == 1:
            return 1
        # The user cannot have reduced the number before Numba has started the threads.
        return int(numba.get_num_threads() if self._usable else _config.NUMBA_NUM_THREADS)

    def _say_if_lacking(self) -> None:
        if not _LAYER_CAN_BE_CHOSEN:
            say_lacking("choice of its threading layer", "everything runs on one thread")


_threads = Threads()
_fixed: int | None = None


def cores() -> int:
    """Return the number of processor cores that this process may use, of which one may be a part.

    The affinity of the process limits it, and in a container the quota of a control group.
    """
    number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, int(min(number or 1, _quota())))


@functools.cache
def _quota() -> float:
    """Return the number of cores whose time the control groups of this process may use."""
    quota = math.inf
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/cgroup").read_text("utf8").splitlines():
            _, kinds, name = line.split(":", 2)
            if kinds and "cpu" not in kinds.split(","):
                continue
            root = Path("/sys/fs/cgroup", kinds)
            group = root / name.lstrip("/")
            for folder in (group, *group.parents):
                if folder.is_relative_to(root):
                    quota = min(quota, _quota_of(folder))
    return quota


def _quota_of(group: Path) -> float:
    """Return the number of cores whose time a control group may use, infinity without a limit."""
    with contextlib.suppress(OSError, ValueError):
        limit, period = (group / "cpu.max").read_text("utf8").split()
        return int(limit) / int(period)
    with contextlib.suppress(OSError, ValueError):
        limit, period = (
            (group / f"cpu.cfs_{one}_us").read_text("utf8") for one in ("quota", "period")
        )
        return int(limit) / int(period) if int(limit) > 0 else math.inf
    return math.inf


def most_threads() -> int:
    """Return the maximum number of threads of a loop whose caller sets no number."""
    return _threads.most()


def fixed_threads() -> int | None:
    """Return the number that `fix_threads` set."""
    return _fixed


def fix_threads(num: int | None) -> None:
    """Set the number of threads of loops whose caller sets no number.

    Args:
        num: number of threads, at least 1, or `None` to choose it by measurements.

    Raises:
        ValueError: `num` is not valid.
    """
    if num is not None and (type(num) is not int or num < 1):
        raise ValueError(f"num must be a whole number of at least 1 or None, got {num!r}")
    global _fixed  # noqa: PLW0603
    _fixed = num


def threads_for(num: int | None) -> int:
    """Return `num`, or the number that `fix_threads` set, or the number of all threads."""
    return num or _fixed or most_threads()


def over_threads(
    serial: Callable[..., Any], chunks: Callable[..., Any], plies: int
) -> Callable[..., None]:
    """Return a function `run(threads, *args)` that runs a loop on threads.

    With one thread it calls `serial`, so that small batches do not wait for other threads.

    Args:
        serial: the loop, whose last arguments are `low` and `high`.
        chunks: function of a number of parts and the arguments. It runs the loop in parts.
        plies: number of plies that take about as long as the loop's work for one game.
    """
    tuners: dict[tuple[int, int], ThreadTuner] = {}

    def run(threads: int | None, *args: Any) -> None:
        num = len(args[0])
        if not is_ready(serial):  # plain Python cannot be measured
            serial(*args, 0, num)
            return
        if threads is None:
            threads = fixed_threads()
        if threads is not None:
            call(threads, num, args)
            return
        most = most_threads()
        if most == 1 or num < 2:
            serial(*args, 0, num)
            return
        size = most, num.bit_length()
        if size not in tuners:
            tuners[size] = ThreadTuner(most, plies * num)
        tuner = tuners[size]
        if not tuner.is_timed():
            call(tuner.threads, num, args)
            return
        began = time.perf_counter_ns()
        if call(tuner.threads, num, args):
            tuner.took(num, time.perf_counter_ns() - began)

    def call(threads: int, num: int, args: tuple[Any, ...]) -> bool:
        """Run the loop. Return `False` if one thread ran it, since parallel code was not ready."""
        if threads > 1 and _threads.usable():
            parts = min(threads, numba.get_num_threads())
            with _threads.turn:
                if is_ready(chunks) or not is_plain(entry_point(chunks, parts, args)):
                    chunks(parts, args)
                    return True
            serial(*args, 0, num)
            return False
        serial(*args, 0, num)
        return True

    return run
