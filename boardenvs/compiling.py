"""How the loops over many games are compiled against the rules of one game.

A loop (see `boardenvs.loops`) names `play`, `legal`, `observe`, ... without
importing them; `bind` compiles it with those names taken from a game's
`rules.py`. The compiled code is cached on disk beside that `rules.py`, so a later
process loads it in milliseconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib.metadata
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import njit, prange
from numba.core import config as numba_config
from numba.np.ufunc.parallel import _launch_threads

from boardenvs import loops

__all__ = ["Kernels", "bind", "bind_parallel", "default_threads", "settled"]

# TBB and GNU OpenMP allow kernels from several Python threads at once; Numba's "workqueue"
# layer crashes on that. A user's own choice is respected.
config: Any = numba_config
if config.THREADING_LAYER == "default":
    config.THREADING_LAYER = "threadsafe"


def _record_name(record: numba.types.Record) -> tuple[str, tuple[str]]:
    """What compiled code for a record type is called after: the layout of the record."""
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest()[:16],)


# Numba itself calls it after a number that the type happens to get in the process. Code
# cached by two processes for different records could so bear one name, and a third process
# that loads both would link them into one: rules would read the wrong fields.
numba.types.Record.mangling_args = property(_record_name)  # type: ignore[assignment, method-assign]


def _sources(home: types.ModuleType, rules: types.ModuleType) -> list[str]:
    """The files that a loop's machine code comes from, but for the rules' own, which Numba minds.

    They are those of the loop and of all compiled functions that its module or the rules know,
    directly or by others.
    """
    known: dict[str, str] = {}
    todo = [home, rules]
    while todo:
        module = todo.pop()
        if module.__name__ not in known:
            known[module.__name__] = str(module.__file__)
            compiled = (getattr(value, "py_func", None) for value in vars(module).values())
            todo += [sys.modules[one.__module__] for one in compiled if one is not None]
    return sorted(set(known.values()) - {str(rules.__file__)})


@functools.cache
def _digest(*files: str) -> str:
    """Eight hex digits that change with the text of any of the files."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:8]


def bind(
    loop: Callable[..., Any],
    rules: types.ModuleType,
    *,
    name: str | None = None,
    parallel: bool = False,
    helper: bool = False,
    names: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    """Compile `loop` with its free names looked up in `rules`, then in its own module.

    Numba can cache neither a closure over a compiled function nor one that takes it
    as an argument, but it does cache a function whose code claims to come from a
    file. So the loop's code is re-labelled as code of the rules file. Numba notices
    by itself when that file changes; that the loop or a shared helper changed is
    told by a digest in the function's name (see `_sources`). Plain functions of its own module that
    the loop calls are bound in the same way, as a `helper`: one that Python never calls.
    """
    home = sys.modules[loop.__module__]
    label = f"{name or loop.__name__}_{_digest(*_sources(home, rules))}"
    code = loop.__code__.replace(co_filename=str(rules.__file__), co_name=label)
    scope = {**vars(home), **vars(rules), "prange": prange, **(names or {})}
    for called in code.co_names:
        value = scope.get(called)
        if isinstance(value, types.FunctionType) and value.__module__ == home.__name__:
            scope[called] = _bind_helper(value, rules)
    function = types.FunctionType(code, scope, label, loop.__defaults__)
    function.__module__ = rules.__name__
    function.__qualname__ = label
    # Every wrapper holds the function's code once more, which LLVM optimises once more: by
    # default there are two, for calls from Python and from C.
    options: dict[str, Any] = {"no_cpython_wrapper": helper, "no_cfunc_wrapper": True}
    compiled: Callable[..., Any] = njit(cache=not helper, nogil=True, parallel=parallel, **options)(
        function
    )
    return compiled


@functools.cache
def _bind_helper(helper: Callable[..., Any], rules: types.ModuleType) -> Callable[..., Any]:
    """Bind a helper once for all the loops that call it, so that it is compiled once."""
    return bind(helper, rules, helper=True)


def _in_chunks(chunks: int, args: tuple[Any, ...]) -> None:
    """Run `over_range(*args, low, high)` on `chunks` equal parts of the batch."""
    total = len(args[0])
    for c in prange(chunks):
        over_range(*args, c * total // chunks, (c + 1) * total // chunks)  # type: ignore[name-defined] # noqa: F821 bound by bind_parallel


def _load_tbb() -> None:
    """Load the library that Numba's TBB layer links to, if it is installed as a Python package.

    Such a package puts it where the dynamic linker does not look; Numba finds it once it is
    loaded. Work stealing pays where other programs want the same cores: a call does not wait
    for a thread that has not come to run yet.
    """
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("tbb") or []:
            if file.name == "libtbb.so.12":  # the only ABI that Numba knows
                with contextlib.suppress(OSError):
                    ctypes.CDLL(str(file.locate()))


class _Threads:
    """Whether this process may use Numba's threads.

    It may not where no threading layer is installed that stands several Python threads,
    and not in the child of a fork whose parent had started them: GNU OpenMP ends such a
    process. Then everything runs on one thread, with the same results.
    """

    def __init__(self) -> None:
        self._usable: bool | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self) -> None:
        if self._usable:
            self._usable = False

    def usable(self) -> bool:
        if self._usable is None:
            _load_tbb()
            # Where there is no TBB: by default the threads of GNU OpenMP spin while they wait.
            # On a core that another program wants, that made two threads fifty times slower
            # than one. It is read when they start; a user's own choice is respected.
            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
            try:
                _launch_threads()
            except (ImportError, ValueError):
                self._usable = False
            else:
                self._usable = True
        return self._usable


_threads = _Threads()


def default_threads(num: int) -> int:
    """Threads for a batch of `num` games: all that Numba has, once that pays for waking them."""
    return int(numba.get_num_threads()) if num >= 1024 else 1


def bind_parallel(over_range: Callable[..., Any], rules: types.ModuleType) -> Callable[..., None]:
    """Bind a loop whose last arguments are `low, high`; the result spreads it over threads.

    The result is called as `run(threads, *args)`. One thread calls the plain loop, so
    small batches never pay for waking others.
    """
    serial = bind(over_range, rules)
    spread = bind(
        _in_chunks,
        rules,
        name=f"{over_range.__name__}_{_digest(str(sys.modules[over_range.__module__].__file__))}_chunks",
        parallel=True,
        names={"over_range": serial},
    )

    def run(threads: int, *args: Any) -> None:
        if threads > 1 and _threads.usable():
            spread(min(threads, numba.get_num_threads()), args)
        else:
            serial(*args, 0, len(args[0]))

    return run


def settled(kernel: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """A kernel for arguments of the types that `examples` have, at which it looks no more.

    To see what an array of records is costs Numba more than it costs to play a ply. Whoever
    calls the result answers for the types; it cannot be pickled.
    """
    if not hasattr(kernel, "compile"):  # plain Python, with NUMBA_DISABLE_JIT
        return kernel
    entry: Callable[..., Any] = kernel.compile(tuple(numba.typeof(one) for one in examples))
    return entry


class Kernels:
    """The loops of `boardenvs.loops`, each compiled for one game when first asked for.

    A loop over part of a batch (its last arguments are `low, high`) is called as
    `kernels.step_games(threads, ...)` without them; see `bind_parallel`.
    """

    def __init__(self, rules: types.ModuleType) -> None:
        self.rules = rules
        """The module they are bound to."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        loop = getattr(loops, name)
        partial = loop.__code__.co_varnames[: loop.__code__.co_argcount][-2:] == ("low", "high")
        kernel = (bind_parallel if partial else bind)(loop, self.rules)
        setattr(self, name, kernel)
        return kernel
