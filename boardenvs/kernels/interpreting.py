"""Loops that run as plain Python until their machine code is ready.

A loop takes seconds to compile. So calls run as plain Python with the same results while another
process compiles the loop (see `boardenvs.kernels.background`). On one core, that process would only
take time from this one, so this process compiles the loop when that pays. A call waits for the
compiler

- if plain Python would take longer than the compiler;
- on one core, if the calls so far and ten more of them take almost as long as the compiler;
- within `compile_first`, for long jobs and for players with a clock;
- if the other process fails, so that this process compiles;
- if the environment variable BOARDENVS_INTERPRET is 0.

No call waits within `never_compile`, or if BOARDENVS_INTERPRET is "always".

Whether compiling pays on one core depends on the number of future calls, which nobody knows. The
rule is that of the ski rental problem (Karlin, Manasse, Rudolph and Sleator, "Competitive snoopy
caching", Algorithmica 3, 1988): to wait after the time of the compiler has been spent costs at most
twice the time of the better choice. No rule without knowledge of the future has a smaller bound.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from boardenvs.kernels import background
from boardenvs.kernels.cache import only_process
from boardenvs.kernels.digest import instructions
from boardenvs.kernels.threads import cores
from boardenvs.kernels.waits import Uncompiled, Waits

__all__ = ["compile_first", "interpret_until_compiled", "may_compile", "never_compile"]

_MOST_PLIES = 1000
"""Calls of more plies wait for the compiler. A ply takes about 1 ms as plain Python."""
_MORE_CALLS = 10
"""Number of further calls that a program is expected to make."""
_SHARE = 0.9
"""Share of the compiler's time after which compiling pays on one core. It is below 1, since the
compiler's time is estimated."""
_SOON = 0.1
"""CPU time (s) of plain Python before the compiler's time is estimated."""
_INSTRUCTION = 115_000
"""Number of iterations of an empty loop of Python that take as long as the compiler takes for an
instruction of the loop's byte code."""


class _Policy:
    """Requests of the callers in this process: compile first, or never compile."""

    def __init__(self) -> None:
        self.compile_first_blocks = 0
        self.compiles = True
        self.lock = threading.Lock()

    def interprets(self) -> bool:
        """Return whether loops may run as plain Python."""
        if not self.compiles or self.is_always():
            return True
        return not self.compile_first_blocks and os.environ.get("BOARDENVS_INTERPRET") != "0"

    def is_always(self) -> bool:
        """Return whether loops run as plain Python even if machine code is on disk."""
        return os.environ.get("BOARDENVS_INTERPRET") == "always"


_policy = _Policy()


@contextlib.contextmanager
def compile_first() -> Iterator[None]:
    """Compile every loop before its first call, in all threads, until the block ends."""
    with _policy.lock:
        _policy.compile_first_blocks += 1
    try:
        yield
    finally:
        with _policy.lock:
            _policy.compile_first_blocks -= 1


@contextlib.contextmanager
def never_compile() -> Iterator[None]:
    """Run loops as plain Python unless their machine code is on disk, until the block ends.

    It is for processes with little memory: the compiler takes 150 MB and more, in this process or
    in another one. `compile_first` has no effect in the block.
    """
    kept, _policy.compiles = _policy.compiles, False
    try:
        yield
    finally:
        _policy.compiles = kept


def may_compile() -> bool:
    """Return whether no `never_compile` block is active."""
    return _policy.compiles


def interpret_until_compiled(
    kernel: Any,
    plain: Callable[[], Callable[..., Any]],
    request: Any,
    waits: Waits,
    *,
    plies: int,
    may_fail: bool,
) -> None:
    """Make calls of a compiled function run as plain Python until its machine code is ready.

    Args:
        kernel: function from `numba.njit` with a cache on disk.
        plain: function that returns the function as plain Python.
        request: request for the other process, see `background.compile_soon`.
        waits: waits for the code of the same game.
        plies: number of plies that take about as long as one row of the first argument.
        may_fail: whether the function may use operations that only Numba supports. If the plain
            form fails, the arrays are restored and the machine code runs.
    """
    plain = functools.cache(plain)
    compile_ = kernel.compile
    compile_for_arguments = kernel._compile_for_args  # noqa: SLF001
    spent = _Spent(plain)

    def file_of(signature: Any) -> Path | None:
        codegen = kernel.targetdescr.target_context.codegen()
        file: Path | None = kernel._cache.path(signature, codegen)  # noqa: SLF001
        return file

    def compile_here(signature: Any) -> Any:
        """Return the machine code, and prevent other processes from compiling it meanwhile."""
        file = file_of(signature)
        with waits.compiling(), only_process(file):
            compiled = compile_(signature)
        waits.is_compiled(kernel)
        return compiled

    def compile_or_interpret(signature: Any) -> Any:
        """Return the machine code, or the plain function until the code is ready."""
        file = file_of(signature)
        how = Uncompiled.FOR_NOW if _policy.compiles else Uncompiled.FOR_GOOD
        if _policy.is_always():
            how = Uncompiled.BY_REQUEST
        elif file is not None and file.exists():
            return compile_here(signature)
        elif _policy.compiles and cores() > 1:
            how = Uncompiled.MEANWHILE
            if file is None or not background.compile_soon(request, signature, file):
                return compile_here(signature)
        elif _policy.compiles and (file is None or spent.compiling_pays()):
            return compile_here(signature)

        def run(*args: Any) -> Any:
            began, cpu = time.perf_counter(), time.thread_time()
            try:
                return plain_or_compiled(signature, args) if may_fail else plain()(*args)
            finally:
                spent.add(time.thread_time() - cpu)
                seconds = time.perf_counter() - began
                waits.ran_uncompiled(kernel, seconds, how)

        return run

    def plain_or_compiled(signature: Any, args: tuple[Any, ...]) -> Any:
        kept = [(array, array.copy()) for array in _arrays(args) if array.flags.writeable]
        try:
            return plain()(*args)
        except Exception:  # noqa: BLE001 the machine code raises real errors again
            for array, before in kept:
                array[...] = before
            return compile_here(signature)(*args)

    def for_arguments(*args: Any, **kws: Any) -> Any:
        if kws or not _policy.interprets():
            return compile_for_arguments(*args, **kws)
        signature = tuple(kernel.typeof_pyval(one) for one in args)
        rows = len(args[0]) if args and hasattr(args[0], "dtype") and args[0].ndim else 1
        if rows * plies > _MOST_PLIES and _policy.compiles and not _policy.is_always():
            return compile_here(signature)
        return compile_or_interpret(signature)

    def for_signature(signature: Any) -> Any:
        return (compile_or_interpret if _policy.interprets() else compile_here)(signature)

    kernel._compile_for_args = for_arguments  # noqa: SLF001
    kernel.compile = for_signature


class _Spent:
    """The CPU time that one loop took as plain Python."""

    def __init__(self, plain: Callable[[], Callable[..., Any]]) -> None:
        self._plain = plain
        self._seconds = 0.0
        self._calls = 0

    def add(self, seconds: float) -> None:
        """Add the CPU time of a call."""
        self._seconds += seconds
        self._calls += 1

    def compiling_pays(self) -> bool:
        """Return whether compiling pays on one core, see the module."""
        if self._seconds < _SOON:
            return False
        expected = self._seconds * (1 + _MORE_CALLS / self._calls)
        return expected >= _SHARE * self._compiler_seconds

    @functools.cached_property
    def _compiler_seconds(self) -> float:
        """Estimated CPU time of the compiler, which itself is mostly Python."""
        return instructions(self._plain()) * _INSTRUCTION * _seconds_per_iteration()


@functools.cache
def _seconds_per_iteration() -> float:
    """Return the CPU time of an iteration of an empty loop."""
    num = 20_000
    times = []
    for _ in range(3):
        began = time.thread_time()
        for _ in range(num):
            pass
        times.append(time.thread_time() - began)
    return min(times) / num


def _arrays(value: Any) -> Iterator[Any]:
    """Yield the arrays in nested tuples of arguments."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _arrays(one)
