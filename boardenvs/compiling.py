"""How the loops over many games are compiled against the rules of one game.

A loop (see `boardenvs.loops`) names `play`, `legal`, `observe`, ... without
importing them: its module lists these in `HOOKS`. `bind` compiles it with them taken from a
game's `rules.py`. The compiled code is cached on disk beside that `rules.py`, so a later
process loads it in milliseconds.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import time
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numba
from numba import njit, prange

from boardenvs import loops
from boardenvs.kernel_cache import cached_on_disk
from boardenvs.numba_doors import without_wrappers
from boardenvs.threads import Pace, fixed_threads, most_threads, usable

__all__ = ["Kernels", "bind", "bind_parallel"]


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


def _first_line(rules: types.ModuleType) -> int:
    """A line of the rules' file at which a function begins.

    Numba reads the source of what it compiles from there: elsewhere it may find the middle of a
    docstring, or no line at all.
    """
    code = (getattr(getattr(f, "py_func", f), "__code__", None) for f in vars(rules).values())
    lines = [c.co_firstlineno for c in code if c is not None and c.co_filename == rules.__file__]
    return min(lines, default=1)


def _scope(home: types.ModuleType, rules: types.ModuleType, code: types.CodeType) -> dict[str, Any]:
    """What the names in a loop mean: its module's own things, and the hooks of the rules.

    Nothing else of the rules is seen, so their helpers may be called as they like.

    Raises:
        ValueError: the rules lack a hook that the loop calls.
    """
    scope = {**vars(home), "prange": prange}
    for hook in getattr(home, "HOOKS", ()):
        if hasattr(rules, hook):
            scope[hook] = getattr(rules, hook)
        elif hook in code.co_names and hook not in scope:
            raise ValueError(
                f"{rules.__file__} has no function {hook}: expected the hooks of {home.__name__}"
            )
    return scope


def bind(
    loop: Callable[..., Any],
    rules: types.ModuleType,
    *,
    name: str | None = None,
    parallel: bool = False,
    helper: bool = False,
    names: dict[str, Any] | None = None,
    sources: Sequence[str] = (),
) -> Callable[..., Any]:
    """Compile `loop` with the hooks of its module looked up in `rules`.

    Numba can cache neither a closure over a compiled function nor one that takes it
    as an argument, but it does cache a function whose code claims to come from a
    file. So the loop's code is re-labelled as code of the rules file. That this file, the
    loop or a shared helper changed is told by the cache's stamp (see `_sources`). Plain functions
    of its own module that the loop calls are bound in the same way, as a `helper`: one that
    Python never calls. `names` are further ones, and `sources` the files that these come from.

    Raises:
        ValueError: the rules lack a hook.
    """
    home = sys.modules[loop.__module__]
    label = f"{name or loop.__name__}_{home.__name__.replace('.', '_')}"
    code = loop.__code__
    scope = {**_scope(home, rules, code), **(names or {})}
    for called in code.co_names:
        value = scope.get(called)
        if isinstance(value, types.FunctionType) and value.__module__ == home.__name__:
            scope[called] = _bind_helper(value, rules)
    code = code.replace(
        co_filename=str(rules.__file__), co_firstlineno=_first_line(rules), co_name=label
    )
    function = types.FunctionType(code, scope, label, loop.__defaults__)
    function.__module__ = rules.__name__
    function.__qualname__ = label
    options: Any = {"nogil": True, "parallel": parallel, **without_wrappers(helper=helper)}
    compiled: Callable[..., Any] = njit(**options)(function)
    if not helper:
        cached_on_disk(compiled, _digest(*_sources(home, rules), *sources), _subject(rules))
    return compiled


def _subject(rules: types.ModuleType) -> str:
    """What is compiled, for people: the game's name if the module is a package's `rules`."""
    package, _, last = rules.__name__.rpartition(".")
    return package.rpartition(".")[2] if last == "rules" and package else last


@functools.cache
def _bind_helper(helper: Callable[..., Any], rules: types.ModuleType) -> Callable[..., Any]:
    """Bind a helper once for all the loops that call it, so that it is compiled once."""
    return bind(helper, rules, helper=True)


def _in_chunks(chunks: int, args: tuple[Any, ...]) -> None:
    """Run `over_range(*args, low, high)` on `chunks` equal parts of the batch."""
    total = len(args[0])
    for c in prange(chunks):
        over_range(*args, c * total // chunks, (c + 1) * total // chunks)  # type: ignore[name-defined] # noqa: F821 bound by bind_parallel


def bind_parallel(
    over_range: Callable[..., Any], rules: types.ModuleType, *, plies: int = 1
) -> Callable[..., None]:
    """Bind a loop whose last arguments are `low, high`; the result spreads it over threads.

    The result is called as `run(threads, *args)`, with `None` for as many threads as measured
    to pay. One thread calls the plain loop, so small batches never pay for waking others.

    Args:
        over_range: the loop.
        rules: of the game.
        plies: that cost as much as what it does for one game, about.
    """
    serial = bind(over_range, rules)
    home = sys.modules[over_range.__module__]
    spread = bind(
        _in_chunks,
        rules,
        name=f"{over_range.__name__}_{home.__name__.replace('.', '_')}_chunks",
        parallel=True,
        names={"over_range": serial},
        sources=_sources(home, rules),
    )
    paces: dict[tuple[int, int], Pace] = {}

    def run(threads: int | None, *args: Any) -> None:
        num = len(args[0])
        if threads is None:
            threads = fixed_threads()
        if threads is not None:
            call(threads, num, args)
            return
        most = most_threads()
        if most == 1 or num < 2:
            serial(*args, 0, num)
            return
        pace = paces.get((most, num.bit_length()))
        if pace is None:
            pace = paces[most, num.bit_length()] = Pace(most, plies * num)
        if pace.is_timed():
            began = time.perf_counter_ns()
            call(pace.threads, num, args)
            pace.took(num, time.perf_counter_ns() - began)
        else:
            call(pace.threads, num, args)

    def call(threads: int, num: int, args: tuple[Any, ...]) -> None:
        if threads > 1 and usable():
            spread(min(threads, numba.get_num_threads()), args)
        else:
            serial(*args, 0, num)

    return run


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
