"""The doors: what this package uses of Numba and Numba does not document.

Two more have files of their own: `boardenvs.numba_arrays`, into the arrays of compiled code, and
`boardenvs.numba_helpers`, to how functions are compiled that only others call.

Another Numba may lack any of them. Then everything runs as well: on one thread, with nothing
kept on disk, or more slowly; and one line says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib
import importlib.metadata
import logging
import os
import threading
from collections.abc import Callable
from typing import Any, Protocol

import numba

__all__ = [
    "COMPILES",
    "Files",
    "Threads",
    "entry_point",
    "give_cache",
    "is_compiled",
    "pickled",
    "say_closed",
    "without_wrappers",
]


def is_compiled(function: Any) -> bool:
    """Whether Numba compiles a function; with NUMBA_DISABLE_JIT all are plain Python."""
    return hasattr(function, "py_func")


COMPILES = is_compiled(numba.njit(lambda: None))
"""Whether it compiles anything."""


@functools.cache
def say_closed(door: str, without: str) -> None:
    """Say once that this Numba lacks something, and what comes of it."""
    logging.getLogger("boardenvs").warning(
        "boardenvs: Numba %s has no %s: %s", numba.__version__, door, without
    )


# -- The names of records -------------------------------------------------------------------


def _record_name(record: numba.types.Record) -> tuple[str, tuple[str]]:
    """What compiled code for a record type is called after: the layout of the record."""
    return "Record", (hashlib.sha256(str(record).encode()).hexdigest()[:16],)


@functools.cache
def _name_records() -> bool:
    """Have compiled code for records called after their layout; returns whether it is.

    This changes a class of Numba's, so it happens when the first loop is compiled, not at import.

    Numba itself calls it after a number that the type happens to get in the process. Code
    cached by two processes for different records could so bear one name, and a third process
    that loads both would link them into one: rules would read the wrong fields.
    """
    if not hasattr(numba.types.Record, "mangling_args"):
        return False
    numba.types.Record.mangling_args = property(_record_name)  # type: ignore[assignment, method-assign]
    return True


# -- The cache on disk ----------------------------------------------------------------------


class Files(Protocol):
    """The files of one function: stands in for Numba's index, which is not safe (see there).

    What goes in and comes out is whatever Numba makes of a signature and of machine code.
    """

    def load(self, key: Any) -> Any:
        """What was saved for a key, or `None`."""

    def save(self, key: Any, payload: Any) -> None:
        """Keep it.

        Raises:
            OSError: it cannot be kept.
        """

    def discard(self, key: Any) -> None:
        """Forget it: it is broken."""

    def flush(self) -> None:
        """Forget all."""


def give_cache(
    dispatcher: Any,
    files: Callable[[str, str, str], Files],
    missed: Callable[[], None],
    uncached: Callable[[object], None],
) -> None:
    """Give a compiled function a cache of our own.

    Args:
        dispatcher: from `numba.njit`, without a cache.
        files: called with the folder that Numba finds for them, what their names begin with,
            and what changes with the file that the function stands in.
        missed: called before anything is compiled.
        uncached: called with the reason where there is no place to keep it.
    """
    cache: Any = None
    # Of records whose code has no names of its own, what is kept may be taken for another's.
    if _name_records() and hasattr(dispatcher, "_cache"):
        with contextlib.suppress(ImportError, AttributeError, TypeError):
            with_files, without = _caches()
            try:
                cache = with_files(dispatcher.py_func, files, missed, uncached)
            except RuntimeError as error:
                if "no locator available" not in str(error):
                    raise
                uncached("neither the package nor the home folder can be written to")
                cache = without(missed)
    if cache is None:
        say_closed("cache of compiled code to extend", "every process compiles anew")
    else:
        dispatcher._cache = cache  # noqa: SLF001 there is no other way to it


@functools.cache
def _caches() -> tuple[Any, Any]:
    """Numba's cache of a function's machine code, with other files; and one that keeps nothing."""
    from numba.core.caching import FunctionCache, NullCache

    class FileCache(FunctionCache):
        def __init__(
            self,
            function: Callable[..., Any],
            files: Callable[[str, str, str], Files],
            missed: Callable[[], None],
            uncached: Callable[[object], None],
        ) -> None:
            super().__init__(function)
            own = repr(self._impl.locator.get_source_stamp())
            _ = self._cache_file, self._index_key  # which it is known to use
            self._cache_file: Any = files(self._cache_path, self._impl.filename_base, own)
            self._missed = missed
            self._uncached = uncached

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """The machine code for a signature, or `None` where it has to be compiled."""
            found = None
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # noqa: BLE001 a broken entry must not stop anybody: it is made again
                target_context.refresh()
                self._cache_file.discard(self._index_key(sig, target_context.codegen()))
            if found is None:
                self._missed()
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            """Keep it; where that fails, as on a full disk, say so and go on."""
            try:
                super().save_overload(sig, data)
            except Exception as error:  # noqa: BLE001 what was compiled runs all the same
                self._uncached(error)

    class NoCache(NullCache):
        def __init__(self, missed: Callable[[], None]) -> None:
            self._missed = missed

        def load_overload(self, sig: Any, target_context: Any) -> None:
            self._missed()

    return FileCache, NoCache


def pickled(value: object) -> bytes:
    """Bytes of what the cache keeps."""
    from numba.core.serialize import dumps

    return bytes(dumps(value))


# -- Calls ----------------------------------------------------------------------------------


def entry_point(kernel: Any, *examples: Any) -> Callable[..., Any]:
    """The machine code for arguments of the types that `examples` have; it looks at none of them.

    To see what an array of records is costs Numba more than it costs to play a ply. Where the
    door is closed, it is the kernel itself.

    Args:
        kernel: from `numba.njit`.
        *examples: one for each argument.
    """
    if not is_compiled(kernel):
        return kernel
    types = tuple(numba.typeof(one) for one in examples)
    entry: Any = kernel.compile(types) if hasattr(kernel, "compile") else None
    if callable(entry):
        return entry
    say_closed("entry point of compiled code", "games one at a time are slower")
    return kernel


def without_wrappers(*, helper: bool) -> dict[str, Any]:
    """Options of `numba.njit` for a function that is called from fewer places than Numba thinks.

    By default code is wrapped twice, for calls from Python and from C. Every wrapper holds the
    function's code once more, which LLVM optimises once more.

    Args:
        helper: whether Python never calls it, either.
    """
    if not COMPILES:
        return {}
    wanted = {"no_cpython_wrapper": helper, "no_cfunc_wrapper": True}
    with contextlib.suppress(ImportError):
        from numba.core.cpu import CPUTargetOptions

        if all(hasattr(CPUTargetOptions, name) for name in wanted):
            return wanted
    say_closed("option to leave wrappers out", "compiling takes longer")
    return {}


# -- Threads --------------------------------------------------------------------------------


def _load_tbb() -> bool:
    """Load the library that Numba's TBB layer links to, if it is installed as a Python package.

    Such a package puts it where the dynamic linker does not look; Numba finds it once it is
    loaded. Work stealing pays where other programs want the same cores: a call does not wait
    for a thread that has not come to run yet.

    Returns:
        Whether it is there.
    """
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, OSError):
        for file in importlib.metadata.files("tbb") or []:
            if file.name == "libtbb.so.12":  # the only ABI that Numba knows
                ctypes.CDLL(str(file.locate()))
                return True
    return False


_config: Any = getattr(numba, "config", None)


_LAYER_CAN_BE_CHOSEN = hasattr(_config, "THREADING_LAYER") and hasattr(_config, "NUMBA_NUM_THREADS")


def _choose_layer() -> None:
    """Choose Numba's threading layer, unless the user did.

    TBB and GNU OpenMP allow kernels from several Python threads at once. Numba's "workqueue"
    layer ends the process if that happens, see `Threads.turn`.

    By default the threads of GNU OpenMP spin while they wait. On a core that another program wants,
    that made two threads fifty times slower than one. OpenMP reads the variable when they start.
    """
    if _config.THREADING_LAYER == "default":
        _config.THREADING_LAYER = "threadsafe"
    if not _load_tbb():
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def _start_threads() -> str:
    """Start Numba's threads, and return the name of their layer.

    Numba starts TBB's by an empty task, for which it waits as the process leaves. Where no thread
    has taken it, since there is one core or others want them all, and the process has forked or
    another of its threads leaves, that wait has no end (github.com/numba/numba/issues/10556). So it
    is waited for here and now, by the thread that may do the task itself.

    Raises:
        ImportError: no threading layer is there.
        ValueError: none of the kind that was asked for.
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
    """Whether this process may use Numba's threads, and how many.

    It may not where no threading layer is installed that stands several Python threads, and
    not in the child of a fork whose parent had started them: GNU OpenMP ends such a process.
    Then everything runs on one thread, with the same results.
    """

    def __init__(self) -> None:
        self._usable: bool | None = None if _LAYER_CAN_BE_CHOSEN else False
        # The lock is never replaced, since two Python threads may start Numba's threads at once.
        self._lock = threading.RLock()
        self.turn: contextlib.AbstractContextManager[Any] = self._lock
        """Context manager to hold during a call that uses Numba's threads.

        For the layer "workqueue" it is a lock, since that layer ends the process if two Python
        threads make such calls at once. For other layers it does nothing.
        """
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self) -> None:
        if self._usable:
            self._usable = False

    def usable(self) -> bool:
        """Whether it may; starts them where it may."""
        if self._usable is None:
            _choose_layer()
            try:
                layer = _start_threads()
            except (ImportError, ValueError):
                self._usable = False
            else:
                if layer != "workqueue":
                    self.turn = contextlib.nullcontext()
                self._usable = True
        elif not self._usable:
            self._say_if_closed()
        return self._usable

    def most(self) -> int:
        """How many there are, unless this process may not use them: then 1."""
        if self._usable is False:
            self._say_if_closed()
            return 1
        if _config.NUMBA_NUM_THREADS == 1:
            return 1
        # Before Numba has started them nobody can have asked it for fewer.
        return int(numba.get_num_threads() if self._usable else _config.NUMBA_NUM_THREADS)

    def _say_if_closed(self) -> None:
        if not _LAYER_CAN_BE_CHOSEN:
            say_closed("choice of its threading layer", "everything runs on one thread")
