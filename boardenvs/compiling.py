"""How loops over games are compiled against the rules of one game.

A loop (see `boardenvs.loops`) calls `play`, `legal`, ... as it imports them from
`boardenvs.hooks`, and says so by `over_rules`. Bound to a game's rules it is compiled with their
functions in place of the hooks. The compiled code is cached on disk beside that `rules.py`, so a
later process loads it in milliseconds.
"""

from __future__ import annotations

import dis
import functools
import importlib
import threading
import time
import types
from collections.abc import Callable
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

import numba
from numba import njit, prange

from boardenvs.code_stamp import code_stamp, names_in
from boardenvs.hooks import Hook
from boardenvs.kernel_cache import cached_on_disk
from boardenvs.numba_doors import COMPILES, is_compiled
from boardenvs.numba_helpers import called_options, helper_options, how_compiled, loop_options
from boardenvs.threads import Pace, fixed_threads, most_threads, turn, usable

__all__ = ["Loop", "SpreadLoop", "over_rules"]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Modules = tuple[types.ModuleType, ...]
"""Where hooks are looked up: the rules, after what is more special."""
_COMPILING = threading.RLock()
"""Held by the one thread that binds a function: it compiles others, each once."""


@overload
def over_rules(
    *hooks: Hook[..., Any], called: bool = False
) -> Callable[[Callable[_P, _R]], Loop[_P, _R]]: ...
@overload
def over_rules(
    *hooks: Hook[..., Any], spread: Literal[True], plies: int = 1
) -> Callable[[Callable[..., None]], SpreadLoop]: ...
def over_rules(
    *hooks: Hook[..., Any], called: bool = False, spread: bool = False, plies: int = 1
) -> Any:
    """Mark a function that is compiled against a game's rules, or is called by such functions.

    What it calls may stand in any module: hooks, other functions so marked, and functions that
    `numba.njit` has compiled. It may be called only by functions so marked, and once it is bound.

    Args:
        *hooks: those that it calls itself; none where it leaves that to others.
        called: whether others over rules call it where it is, instead of having it copied: worth
            trying for what takes much longer than a call.
        spread: whether it is for games `low` to `high - 1`, its last parameters, and is run on
            several parts of a batch at once.
        plies: that cost as much as what it does for one game, about, if it is spread.

    Returns:
        The decorator, which raises `ValueError` if the function calls other hooks.
    """

    def decorate(function: Callable[..., Any]) -> Loop[..., Any] | SpreadLoop:
        _check_declared(function, hooks)
        return SpreadLoop(function, hooks, plies) if spread else Loop(function, hooks, called)

    return decorate


def _check_declared(function: Callable[..., Any], hooks: tuple[Hook[..., Any], ...]) -> None:
    known = function.__globals__
    named = {name for name in names_in(function.__code__) if isinstance(known.get(name), Hook)}
    if {known[name] for name in named} != set(hooks):  # unless one is an attribute's name only
        loaded = {
            one.argval for one in dis.get_instructions(function) if one.opname == "LOAD_GLOBAL"
        }
        called = {known[name] for name in named & loaded}
        for one in called ^ set(hooks):
            said = "calls the hook" if one in called else "says that it calls the hook"
            but = "without saying so" if one in called else "but does not"
            raise ValueError(
                f"{function.__module__}.{function.__name__} {said} {one.name} {but}: expected "
                f"@over_rules({', '.join(sorted(hook.name for hook in called))})"
            )


class _OverRules:
    """A function that is compiled against a game's rules."""

    def __init__(self, function: Callable[..., Any], hooks: tuple[Hook[..., Any], ...]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.hooks = hooks
        """Those that it calls itself."""
        self._bound: dict[_Modules, Callable[..., Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self} is not bound to any: expected a call of what bound_to() returns")

    def __repr__(self) -> str:
        return f"<{self.function.__module__}.{self.function.__name__} over rules>"

    @functools.cached_property
    def all_hooks(self) -> frozenset[Hook[..., Any]]:
        """Those that it calls itself or by others."""
        found = set(self.hooks)
        seen = {id(self)}
        todo: list[_OverRules] = [self]
        while todo:
            function = todo.pop().function
            for name in names_in(function.__code__):
                value = function.__globals__.get(name)
                if isinstance(value, _OverRules) and id(value) not in seen:
                    seen.add(id(value))
                    todo.append(value)
                    found.update(value.hooks)
        return frozenset(found)

    def needed(self, modules: _Modules) -> _Modules:
        """The rules, and those of the more special modules that supply hooks which it calls."""
        parts = (part for part in modules[:-1] if any(_has(part, one) for one in self.all_hooks))
        return (*parts, modules[-1])

    def _kernel(
        self,
        rules: str | types.ModuleType,
        parts: tuple[str | types.ModuleType | None, ...],
        compile_: Callable[[_Modules], Callable[..., Any]],
    ) -> Callable[..., Any]:
        given = (*(_module(part) for part in parts if part is not None), _module(rules))
        if given not in self._bound:
            with _COMPILING:
                needed = self.needed(given)
                if needed not in self._bound:
                    self._bound[needed] = compile_(needed)
                self._bound[given] = self._bound[needed]
        return self._bound[given]


def _module(given: str | types.ModuleType) -> types.ModuleType:
    if isinstance(given, types.ModuleType):
        return given
    # Not what `sys.modules` has: another thread may be about to import it, and hooks still lack.
    return importlib.import_module(given)


class Loop(_OverRules, Generic[_P, _R]):
    """A function that is compiled against a game's rules; see `over_rules`."""

    def __init__(
        self, function: Callable[_P, _R], hooks: tuple[Hook[..., Any], ...], called: bool
    ) -> None:
        super().__init__(function, hooks)
        self.called = called
        """Whether others call it where it is."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return super().__call__(*args, **kwargs)

    def bound_to(
        self, rules: str | types.ModuleType, *parts: str | types.ModuleType | None
    ) -> Callable[_P, _R]:
        """The function compiled with the hooks of a game, always the same one.

        Args:
            rules: the game's module of rules, or its name; compiled code is kept beside it.
            *parts: modules in which hooks are looked up first, or their names; `None` stands for
                none.

        Raises:
            ValueError: a hook is lacking, or is no compiled function of its parameters.
        """
        return self._kernel(rules, parts, functools.partial(_compiled, self))


class SpreadLoop(_OverRules):
    """A function over games `low` to `high - 1`, spread over threads; see `over_rules`."""

    def __init__(
        self, function: Callable[..., None], hooks: tuple[Hook[..., Any], ...], plies: int
    ) -> None:
        super().__init__(function, hooks)
        code = function.__code__
        if code.co_varnames[: code.co_argcount][-2:] != ("low", "high"):
            raise ValueError(f"{self} is spread: expected low and high for its last parameters")
        self.plies = plies
        """That cost as much as what it does for one game, about."""

    def bound_to(
        self, rules: str | types.ModuleType, *parts: str | types.ModuleType | None
    ) -> Callable[..., None]:
        """The function compiled with the hooks of a game, always the same one.

        It is called as `run(threads, *args)`, without `low` and `high`; `None` stands for as
        many threads as measured to pay. One thread calls the plain loop, so small batches never
        pay for waking others.

        Args:
            rules: as for `Loop.bound_to`.
            *parts: as there.

        Raises:
            ValueError: as there.
        """
        return self._kernel(rules, parts, self._spread)

    def _spread(self, modules: _Modules) -> Callable[..., None]:
        return _over_threads(_compiled(self, modules), _chunked(self, modules), self.plies)


# -- Compiling ------------------------------------------------------------------------------


@functools.cache
def _compiled(one: _OverRules, modules: _Modules) -> Callable[..., Any]:
    """Compile a function that Python calls."""
    return _kept(one.function, modules, _label(one.function))


@functools.cache
def _helper(one: Loop[..., Any], modules: _Modules) -> Callable[..., Any]:
    """Compile a function once for all the loops that call it."""
    how = called_options if one.called else helper_options
    return _bound(one.function, modules, _label(one.function), how)


def _chunked(one: SpreadLoop, modules: _Modules) -> Callable[..., Any]:
    """Compile `_in_chunks` for a loop."""
    scope = {**globals(), _over_range.__name__: one}
    spread = types.FunctionType(_in_chunks.__code__, scope)
    return _kept(spread, modules, f"{_label(one.function)}_chunks", parallel=True)


def _label(function: Callable[..., Any]) -> str:
    return f"{function.__name__}_{function.__module__.replace('.', '_')}"


def _kept(
    function: Callable[..., Any], modules: _Modules, label: str, *, parallel: bool = False
) -> Callable[..., Any]:
    """Compile a function, and keep its code on disk.

    Numba can cache neither a closure over a compiled function nor one that takes it
    as an argument, but it does cache a function whose code claims to come from a
    file. So the function's code is re-labelled as code of the rules file. That another file has
    changed is told by the cache's stamp.
    """

    def source(value: Any) -> Any:
        if isinstance(value, Hook):
            return _supplied(value, modules)
        return value.function if isinstance(value, _OverRules) else value

    compiled = _bound(function, modules, label, {"parallel": parallel, **loop_options})

    def stamp() -> str:
        return f"{code_stamp(function, source)} {how_compiled()}"

    cached_on_disk(compiled, stamp, _subject(modules[-1]))
    return compiled


def _bound(
    function: Callable[..., Any],
    modules: _Modules,
    label: str,
    options: dict[str, Any],
) -> Callable[..., Any]:
    """Compile a function with what stands for the hooks and functions over rules that it calls."""
    rules = modules[-1]
    scope = dict(function.__globals__)
    for name in names_in(function.__code__):
        value = scope.get(name)
        if isinstance(value, Hook):
            scope[name] = _supplied(value, modules)
        elif isinstance(value, SpreadLoop):  # which Python calls as well: once is enough
            scope[name] = _compiled(value, modules)
        elif isinstance(value, Loop):
            scope[name] = _helper(value, value.needed(modules))
    # Numba names machine code after it: what is compiled against different parts must differ.
    label = "_".join([label, *(part.__name__.replace(".", "_") for part in modules[:-1])])
    code = function.__code__.replace(co_name=label)
    if COMPILES:  # else a traceback, a debugger and a measure of coverage show where it stands
        code = code.replace(co_filename=str(rules.__file__), co_firstlineno=_first_line(rules))
    relabelled = types.FunctionType(code, scope, label, function.__defaults__)
    relabelled.__module__ = rules.__name__
    relabelled.__qualname__ = label
    compiled: Callable[..., Any] = njit(nogil=True, **options)(relabelled)
    return compiled


def _first_line(rules: types.ModuleType) -> int:
    """A line of the rules' file at which a function begins.

    Numba reads the source of what it compiles from there: elsewhere it may find the middle of a
    docstring, or no line at all.
    """
    code = (getattr(getattr(f, "py_func", f), "__code__", None) for f in vars(rules).values())
    lines = [c.co_firstlineno for c in code if c is not None and c.co_filename == rules.__file__]
    return min(lines, default=1)


def _subject(rules: types.ModuleType) -> str:
    """What is compiled, for people: the game's name if the module is a package's `rules`."""
    package, _, last = rules.__name__.rpartition(".")
    return package.rpartition(".")[2] if last == "rules" and package else last


# -- Hooks ----------------------------------------------------------------------------------


def _has(module: types.ModuleType, hook: Hook[..., Any]) -> bool:
    """Whether a module supplies a hook. To import the hook itself is not to supply it."""
    return not isinstance(getattr(module, hook.name, hook), Hook)


@functools.cache
def _supplied(hook: Hook[..., Any], modules: _Modules) -> Callable[..., Any]:
    """The function that stands for a hook: that of the first module which has one.

    Nothing else of these modules is seen, so their helpers may be called as they like.

    Raises:
        ValueError: none has it, or it is no compiled function of the hook's parameters.
    """
    game = _subject(modules[-1])
    for module in modules:
        if _has(module, hook):
            function = getattr(module, hook.name)
            fault = _fault(hook, function)
            if fault:
                raise ValueError(f"{game}: {hook.name} in {module.__file__} {fault}")
            return function
    if hook.default is None:
        raise ValueError(
            f"{game}: {modules[-1].__file__} has no function {hook.name}: expected {hook}, "
            f"see {hook.__module__}"
        )
    return njit(**helper_options)(hook.default)


def _fault(hook: Hook[..., Any], function: Any) -> str:
    """What is wrong with what a module has for a hook, and what was expected; empty if nothing."""
    if not isinstance(getattr(function, "py_func", function), types.FunctionType):
        return f"is {function!r}: expected a function {hook}"
    if COMPILES and not is_compiled(function):
        return "is not compiled: expected @numba.njit above it"
    code = getattr(function, "py_func", function).__code__
    least = code.co_argcount - len(getattr(function, "py_func", function).__defaults__ or ())
    if not least <= len(hook.parameters) <= code.co_argcount or code.co_kwonlyargcount:
        found = ", ".join(code.co_varnames[: code.co_argcount])
        return f"has the parameters ({found}): expected {hook}"
    return ""


# -- Threads --------------------------------------------------------------------------------


def _over_range(*args: Any) -> None:
    """The loop over part of a batch, its last arguments `low` and `high`, which is given."""


def _in_chunks(chunks: int, args: tuple[Any, ...]) -> None:
    """Run a loop on `chunks` equal parts of the batch."""
    total = len(args[0])
    for c in prange(chunks):
        _over_range(*args, c * total // chunks, (c + 1) * total // chunks)


def _over_threads(
    serial: Callable[..., Any], chunks: Callable[..., Any], plies: int
) -> Callable[..., None]:
    """See `SpreadLoop.bound_to`."""
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
            with turn():
                chunks(min(threads, numba.get_num_threads()), args)
        else:
            serial(*args, 0, num)

    return run
