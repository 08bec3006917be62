"""Environment variables for threads and compiling, checked before a library reads them.

What reads them does as it likes with nonsense: a traceback from deep inside, a crash, or a
machine that stands still under a hundred thousand threads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from boardenvs.interrupts import is_program

__all__ = ["check_variables", "refuse_nonsense"]

_MOST_THREADS = 1024  # as many as large machines have; ten times as many stop a small one
_LAYERS = ("tbb", "omp", "workqueue")
_LAYER_CHOICE = ("default", *_LAYERS, "safe", "threadsafe", "forksafe")


def _threads(text: str) -> bool:
    number = text.strip()
    # Python reads no number of more than 4,300 digits.
    return number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= _MOST_THREADS


def _whole(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


_COUNT = f"a whole number from 1 to {_MOST_THREADS}"
_CHECKS: dict[str, tuple[Callable[[str], bool], str]] = {
    # A number for each level of nested threads; emptied, it is as good as not set.
    "OMP_NUM_THREADS": (
        lambda text: not text.strip() or all(map(_threads, text.split(","))),
        _COUNT,
    ),
    "NUMBA_NUM_THREADS": (_threads, _COUNT),
    "NUMBA_THREADING_LAYER": (
        lambda text: text.lower() in _LAYER_CHOICE,
        f"one of {', '.join(_LAYER_CHOICE)}",
    ),
    "NUMBA_THREADING_LAYER_PRIORITY": (
        lambda text: sorted(text.split()) == sorted(_LAYERS),
        f"{' '.join(_LAYERS)}, in any order",
    ),
    "NUMBA_OPT": (lambda text: text in ("0", "1", "2", "3", "max"), "0, 1, 2, 3 or max"),
    **dict.fromkeys(
        (
            "NUMBA_BOUNDSCHECK",
            "NUMBA_DEBUG",
            "NUMBA_DEBUGINFO",
            "NUMBA_DEBUG_CACHE",
            "NUMBA_DEVELOPER_MODE",
            "NUMBA_DISABLE_INTEL_SVML",
            "NUMBA_DISABLE_JIT",
            "NUMBA_DISABLE_PERFORMANCE_WARNINGS",
            "NUMBA_ENABLE_AVX",
            "NUMBA_FULL_TRACEBACKS",
            "NUMBA_LOOP_VECTORIZE",
            "NUMBA_PARALLEL_DIAGNOSTICS",
            "NUMBA_SLP_VECTORIZE",
        ),
        (_whole, "a whole number"),
    ),
}


def check_variables(environ: Mapping[str, str]) -> None:
    """Look at what is set of Numba's and OpenMP's variables.

    Raises:
        ValueError: one of them has a value that its readers cannot do anything with.
    """
    for name, (fits, expected) in _CHECKS.items():
        value = environ.get(name)
        if value is not None and not fits(value):
            shown = repr(value) if len(value) <= 40 else f"{value[:40]!r}..."
            raise ValueError(f"the environment variable {name} must be {expected}, got {shown}")


def refuse_nonsense() -> None:
    """Check this process's variables; a program of this package then ends with one line.

    Raises:
        ValueError: as of `check_variables`.
    """
    try:
        check_variables(os.environ)
    except ValueError as error:
        if not is_program():
            raise
        print(f"boardenvs: error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
