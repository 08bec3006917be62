"""Loops over games, compiled for the rules of one game.

A loop (see `boardenvs.core.loops`) is marked by `over_rules` and calls hooks of
`boardenvs.core.hooks`, such as `play`. Numba treats the globals of a function as constants. So a
loop is compiled once for each game, as a copy whose globals are the game's functions in place of
the hooks. All functions that the loop calls are copied too, and become part of its machine code.
"""

from __future__ import annotations

import functools
import importlib
import threading
import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from numba import njit, prange

from boardenvs.kernels.cache import file_prefix
from boardenvs.kernels.digest import digest, used_globals
from boardenvs.kernels.kernel import Kernel
from boardenvs.kernels.numba_compat import HELPER, INNER, LOOP, OPTIMISED_FIRST, is_compiled
from boardenvs.kernels.plain import PlainCopies, on_wide_records
from boardenvs.kernels.threads import choose_layer, over_threads
from boardenvs.kernels.waits import waits_for

__all__ = ["Hook", "Loop", "PlainLoops", "hook", "over_rules"]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Modules = tuple[types.ModuleType, ...]
"""Modules in which hooks are looked up, in order. The last one has the rules."""
_COMPILING = threading.RLock()
"""Held while a thread binds a function, so that each function is compiled once."""


def over_rules(
    *, optimised_first: bool = False, spread: bool = False, plies: int = 1
) -> Callable[[Callable[_P, _R]], Loop[_P, _R]]:
    """Return a decorator for a function that calls hooks, directly or by other loops.

    The function may also call functions compiled by `numba.njit`. Only loops may call it. Python
    calls the function that `Loop.bound_to` returns.

    Args:
        optimised_first: whether LLVM optimises it by itself, before other loops contain a copy.
            This is faster for some large functions.
        spread: whether its last parameters are `low` and `high`, and it processes the games `low`
            to `high - 1`, so that threads can share a batch.
        plies: number of plies that take about as long as its work for one game. A call of more than
            1,000 plies waits until the loop is compiled, see `boardenvs.kernels.interpreting`.
    """

    def decorate(function: Callable[_P, _R]) -> Loop[_P, _R]:
        kind = "optimised first" if optimised_first else "helper"
        return Loop(function, kind=kind, spread=spread, plies=plies)

    return decorate


class Loop(Generic[_P, _R]):
    """A function that is compiled for a game's rules, see `over_rules`."""

    def __init__(self, function: Callable[_P, _R], *, kind: str, spread: bool, plies: int) -> None:
        functools.update_wrapper(self, function)
        self.function: Any = function
        self.kind = kind
        """Key of `_KINDS` for calls by other loops."""
        self.spread = spread
        """Whether threads share a batch."""
        self.plies = plies
        """Number of plies that take about as long as one game."""
        self._bound: dict[_Modules, Callable[..., Any]] = {}
        self._compiled: dict[_Modules, list[Any]] = {}
        code = self.function.__code__
        if spread and code.co_varnames[: code.co_argcount][-2:] != ("low", "high"):
            names = ", ".join(code.co_varnames[: code.co_argcount])
            raise ValueError(
                f"with spread=True, the last parameters of {self} must be low and high, "
                f"got ({names})"
            )

    @property
    def targetoptions(self) -> dict[str, Any]:
        """Numba's options for calls by other loops. Numba's functions have the same attribute."""
        return _KINDS[self.kind]

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        raise TypeError(f"{self} cannot be called directly: call the result of bound_to(rules)")

    def __repr__(self) -> str:
        return f"<{self.function.__module__}.{self.function.__name__} over rules>"

    def bound_to(
        self, rules: str | types.ModuleType, *parts: str | types.ModuleType | None
    ) -> Callable[..., Any]:
        """Return the function compiled with the hooks of a game, the same object in every call.

        If the function is spread, the result is `run(threads, *args)` without `low` and `high`.
        If `threads` is `None`, measurements determine the number.

        Args:
            rules: module of the game's rules, or its name.
            *parts: modules in which hooks are looked up first, or their names. `None` is skipped.

        Raises:
            ValueError: a hook is missing, or is not a function with the expected parameters.
        """
        modules = (*(_module(part) for part in parts if part is not None), _module(rules))
        if modules not in self._bound:
            with _COMPILING:
                if modules not in self._bound:
                    self._bound[modules] = self._bind(modules)
        return self._bound[modules]

    def _bind(self, modules: _Modules) -> Callable[..., Any]:
        choose_layer()
        kernels = self._compiled[modules] = [_compiled_copy(self.function, modules, "loop")]
        if self.spread:
            # LLVM may not vectorise inner loops that are part of the parallel loop.
            called = Loop(self.function, kind="called", spread=True, plies=self.plies)
            scope = {**globals(), _over_range.__name__: called}
            name = f"{self.function.__name__}_chunks"
            chunks = types.FunctionType(_in_chunks.__code__, scope, name)
            kernels.append(_compiled_copy(chunks, modules, "parallel loop"))
        for place, kernel in enumerate(kernels):
            self._finish(kernel, modules, place)
        return over_threads(kernels[0], kernels[1], self.plies) if self.spread else kernels[0]

    def _finish(self, compiled: Any, modules: _Modules, place: int) -> None:
        """Add a cache, clear errors and a plain form to a compiled form of this loop."""
        kernel = Kernel(compiled)
        if not is_compiled(compiled) or kernel.is_kept:  # another game has the same loop
            return
        name, _, made_from = compiled.__name__.rpartition("_")
        prefix = file_prefix(name, compiled.py_func, *modules)
        kept = kernel.keep_on_disk(prefix, lambda: made_from)
        kernel.report_faults()
        if kept:
            function = self.function
            request = _kernel_of, (function.__module__, function.__qualname__, modules, place)
            plain = functools.partial(self.plain, modules)
            foreign = _package(modules[-1].__name__) != _package(__name__)
            waits = waits_for(_subject(modules[-1]))
            kernel.interpret_until_compiled(
                plain, request, waits, plies=self.plies, may_fail=foreign
            )

    def plain(self, modules: _Modules) -> Callable[..., Any]:
        """Return the function as plain Python, with the hooks of these modules."""
        copy: Callable[..., Any] = PlainLoops(self.function.__module__, modules).of(self)
        return copy


def _kernel_of(module: str, name: str, modules: _Modules, place: int) -> Any:
    """Return the compiled form of a loop, in the compiler process."""
    loop = getattr(importlib.import_module(module), name)
    loop.bound_to(modules[-1], *modules[:-1])
    return loop._compiled[modules][place]  # noqa: SLF001


class PlainLoops(PlainCopies):
    """Plain Python copies of loops, with the hooks of some modules."""

    def __init__(self, loops: str, modules: _Modules) -> None:
        own, rules = _package(__name__), _package(modules[-1].__name__)
        super().__init__({own, rules, _package(loops)})
        self._modules = modules
        self._foreign = rules != own
        """Whether the rules may rely on Numba's wider numbers."""

    def of(self, value: Any) -> Any:
        if isinstance(value, Loop):
            return super().of(value.function)
        if isinstance(value, Hook):
            copy = super().of(_supplied(value, self._modules))
            return on_wide_records(copy) if self._foreign else copy
        return super().of(value)


def _package(module: str) -> str:
    """Return the name of a module's top-level package."""
    return module.partition(".")[0]


def _module(given: str | types.ModuleType) -> types.ModuleType:
    if isinstance(given, types.ModuleType):
        return given
    # A module in `sys.modules` may lack hooks while another thread imports it.
    return importlib.import_module(given)


def _over_range(*args: Any) -> None:
    """Placeholder for the loop over a part of a batch. Its last arguments are `low` and `high`."""


def _in_chunks(chunks: int, args: tuple[Any, ...]) -> None:
    """Run the loop on `chunks` equal parts of the batch."""
    total = len(args[0])
    for c in prange(chunks):
        _over_range(*args, c * total // chunks, (c + 1) * total // chunks)


# -- Copies ---------------------------------------------------------------------------------

_copies: dict[tuple[str, str], Any] = {}
"""Compiled copies by name, which contains the digest of the sources, and by kind."""

_KINDS: dict[str, dict[str, Any]] = {
    "helper": HELPER,
    "optimised first": OPTIMISED_FIRST,
    "called": INNER,
    "loop": {"nogil": True, **LOOP},
    "parallel loop": {"nogil": True, "parallel": True, **LOOP},
}


def _compiled_copy(value: Any, modules: _Modules, kind: str) -> Any:
    """Return a compiled copy of a function and of all functions that it calls.

    Args:
        value: the function, plain or compiled by `numba.njit`.
        modules: modules in which hooks are looked up.
        kind: key of `_KINDS`.

    Returns:
        The copy, or `None` during its compilation, if the function calls itself.
    """
    function = getattr(value, "py_func", value)

    def meaning(one: Any) -> Any:
        return _supplied(one, modules) if isinstance(one, Hook) else one

    def copied(one: Any) -> Any:
        if isinstance(one, Loop):
            return _compiled_copy(one.function, modules, one.kind)
        if not isinstance(one, Hook) and not _is_copied(one, modules[-1]):
            return one
        one = meaning(one)
        return _compiled_copy(one, modules, "helper") or one

    made_from = digest(value, meaning, _KINDS)
    # Numba names machine code after the function, so different code requires different names.
    name = f"{function.__name__}_{made_from}"
    if (name, kind) not in _copies:
        _copies[name, kind] = None
        try:
            scope = {name: copied(one) for name, one in used_globals(function).items()}
            copy = types.FunctionType(
                function.__code__.replace(co_name=name),
                {**function.__globals__, **scope},
                name,
                function.__defaults__,
                function.__closure__,
            )
            copy.__qualname__ = name
            own = {k: v for k, v in getattr(value, "targetoptions", {}).items() if k != "nopython"}
            compiled = njit(**{**own, **_KINDS[kind]})(copy)
            Kernel(compiled).ignore_constants()
            _copies[name, kind] = compiled
        except BaseException:
            del _copies[name, kind]
            raise
    return _copies[name, kind]


def _is_copied(one: Any, rules: types.ModuleType) -> bool:
    """Return whether a function becomes part of its caller's machine code.

    These are compiled functions and plain functions of the package of the rules.
    """
    if is_compiled(one):
        return True
    if not isinstance(one, types.FunctionType) or hasattr(one, "compiled_as"):
        return False
    return one.__module__.partition(".")[0] == rules.__name__.partition(".")[0]


def _subject(rules: types.ModuleType) -> str:
    """Return the name of the package for a module `rules`, otherwise the name of the module."""
    package, _, last = rules.__name__.rpartition(".")
    return package.rpartition(".")[2] if last == "rules" and package else last


# -- Hooks ----------------------------------------------------------------------------------


class Hook(Generic[_P, _R]):
    """The name, parameters and docstring of a function that each game defines."""

    def __init__(self, function: Callable[_P, _R], *, optional: bool = False) -> None:
        """Create a hook from a function, see `hook`."""
        functools.update_wrapper(self, function)
        code = function.__code__
        self.name = code.co_name
        self.parameters = code.co_varnames[: code.co_argcount]
        self.default = function if optional else None
        """Default function, which may call other hooks; `None` for required hooks."""

    def is_in(self, module: types.ModuleType) -> bool:
        """Return whether a module defines the function. An imported hook does not count."""
        return not isinstance(getattr(module, self.name, self), Hook)

    def fault(self, function: Any) -> str:
        """Return why a value is not a function for the hook, or an empty text."""
        function = getattr(function, "py_func", function)
        if not isinstance(function, types.FunctionType):
            return f"must be a function {self}, got {function!r}"
        code = function.__code__
        least = code.co_argcount - len(function.__defaults__ or ())
        if not least <= len(self.parameters) <= code.co_argcount or code.co_kwonlyargcount:
            found = ", ".join(code.co_varnames[: code.co_argcount])
            return f"must have the parameters of {self}, got ({found})"
        return ""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        raise TypeError(f"the hook {self} cannot be called directly: call a loop bound to rules")

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"


@overload
def hook(function: Callable[_P, _R]) -> Hook[_P, _R]: ...
@overload
def hook(*, optional: bool) -> Callable[[Callable[_P, _R]], Hook[_P, _R]]: ...
def hook(function: Any = None, *, optional: bool = False) -> Any:
    """Return a hook with the name, parameters and docstring of a function.

    Args:
        function: the function. Its body is the default if the hook is optional.
        optional: whether games may omit the function.
    """
    if function is None:
        return functools.partial(Hook, optional=optional)
    return Hook(function, optional=optional)


def _supplied(hook: Hook[..., Any], modules: _Modules) -> Callable[..., Any]:
    """Return the function of the first module that defines a hook, or the hook's default.

    Raises:
        ValueError: the hook is missing, or is not a function with the expected parameters.
    """
    game = _subject(modules[-1])
    for module in modules:
        if hook.is_in(module):
            function: Callable[..., Any] = getattr(module, hook.name)
            if fault := hook.fault(function):
                raise ValueError(f"{game}: {hook.name} in {_place(module)} {fault}")
            return function
    if hook.default is None:
        raise ValueError(
            f"{game}: {_place(modules[-1])} has no function {hook.name}: expected {hook}, "
            f"see {hook.__module__}"
        )
    return hook.default


def _place(module: types.ModuleType) -> str:
    return getattr(module, "__file__", None) or module.__name__
