"""Loops that run as plain Python until their machine code is ready.

A loop takes seconds to compile. So calls run as plain Python with the same results while another
process compiles the loop (see `boardenvs.kernels.background`). A call waits for the compiler

- if plain Python would take longer than the compiler;
- within `compile_first`, for long jobs and for players with a clock;
- if the other process fails, so that this process compiles;
- if the environment variable BOARDENVS_INTERPRET is 0.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from boardenvs.kernels import background
from boardenvs.kernels.cache import only_process

__all__ = ["compile_first", "interpret_until_compiled", "is_ready"]

_MOST_PLIES = 1000
"""Calls of more plies wait for the compiler. A ply takes about 1 ms as plain Python."""


class _Waiting:
    """The number of active `compile_first` blocks in this process."""

    def __init__(self) -> None:
        self.blocks = 0
        self.lock = threading.Lock()


_waiting = _Waiting()


@contextlib.contextmanager
def compile_first() -> Iterator[None]:
    """Compile every loop before its first call, in all threads, until the block ends."""
    with _waiting.lock:
        _waiting.blocks += 1
    try:
        yield
    finally:
        with _waiting.lock:
            _waiting.blocks -= 1


def is_ready(kernel: Any) -> bool:
    """Return whether a loop no longer runs as plain Python."""
    return bool(getattr(kernel, "overloads", True))


def interpret_until_compiled(
    kernel: Any,
    plain: Callable[[], Callable[..., Any]],
    request: Any,
    *,
    plies: int,
    may_fail: bool,
) -> None:
    """Make calls of a compiled function run as plain Python until its machine code is ready.

    Args:
        kernel: function from `numba.njit` with a cache on disk.
        plain: function that returns the function as plain Python.
        request: request for the other process, see `background.compile_soon`.
        plies: number of plies that take about as long as one row of the first argument.
        may_fail: whether the function may use operations that only Numba supports. If the plain
            form fails, the arrays are restored and the machine code runs.
    """
    plain = functools.cache(plain)
    compile_ = kernel.compile
    compile_for_arguments = kernel._compile_for_args  # noqa: SLF001

    def file_of(signature: Any) -> Path | None:
        codegen = kernel.targetdescr.target_context.codegen()
        file: Path | None = kernel._cache.path(signature, codegen)  # noqa: SLF001
        return file

    def compile_here(signature: Any) -> Any:
        """Return the machine code, and prevent other processes from compiling it meanwhile."""
        file = file_of(signature)
        with only_process(file):
            return compile_(signature)

    def compile_or_interpret(signature: Any) -> Any:
        """Return the machine code, or the plain function until the code is ready."""
        file = file_of(signature)
        if file is None or file.exists() or not background.compile_soon(request, signature, file):
            return compile_here(signature)
        return (lambda *args: plain_or_compiled(signature, args)) if may_fail else plain()

    def plain_or_compiled(signature: Any, args: tuple[Any, ...]) -> Any:
        kept = [(array, array.copy()) for array in _arrays(args) if array.flags.writeable]
        try:
            return plain()(*args)
        except Exception:  # noqa: BLE001 the machine code raises real errors again
            for array, before in kept:
                array[...] = before
            return compile_here(signature)(*args)

    def for_arguments(*args: Any, **kws: Any) -> Any:
        if kws or not _interprets():
            return compile_for_arguments(*args, **kws)
        signature = tuple(kernel.typeof_pyval(one) for one in args)
        rows = len(args[0]) if args and hasattr(args[0], "dtype") and args[0].ndim else 1
        waits = rows * plies > _MOST_PLIES
        return compile_here(signature) if waits else compile_or_interpret(signature)

    def for_signature(signature: Any) -> Any:
        return (compile_or_interpret if _interprets() else compile_here)(signature)

    kernel._compile_for_args = for_arguments  # noqa: SLF001
    kernel.compile = for_signature


def _arrays(value: Any) -> Iterator[Any]:
    """Yield the arrays in nested tuples of arguments."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _arrays(one)


def _interprets() -> bool:
    return not _waiting.blocks and os.environ.get("BOARDENVS_INTERPRET") != "0"
