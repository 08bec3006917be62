"""Functions that each game supplies to the loops over games; see `boardenvs.core.hooks`."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

__all__ = ["Hook", "hook"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Hook(Generic[_P, _R]):
    """The name, the parameters and the purpose of a function that each game supplies."""

    def __init__(self, function: Callable[_P, _R], *, optional: bool = False) -> None:
        """Describe a function; see `hook`."""
        functools.update_wrapper(self, function)
        code = function.__code__
        self.name = code.co_name
        self.parameters = code.co_varnames[: code.co_argcount]
        self.default = function if optional else None
        """The function of a game that supplies none; `None` if each game must.

        It may call other hooks.
        """

    def is_in(self, module: types.ModuleType) -> bool:
        """Return whether a module supplies the function. To import the hook itself is not to."""
        return not isinstance(getattr(module, self.name, self), Hook)

    def fault(self, function: Any) -> str:
        """Return what is wrong with what a module has for the hook; empty if nothing is."""
        function = getattr(function, "py_func", function)
        if not isinstance(function, types.FunctionType):
            return f"is {function!r}: expected a function {self}"
        code = function.__code__
        least = code.co_argcount - len(function.__defaults__ or ())
        if not least <= len(self.parameters) <= code.co_argcount or code.co_kwonlyargcount:
            found = ", ".join(code.co_varnames[: code.co_argcount])
            return f"has the parameters ({found}): expected {self}"
        return ""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        raise TypeError(f"{self} is a hook: only loops bound to a game's rules call it")

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"


@overload
def hook(function: Callable[_P, _R]) -> Hook[_P, _R]: ...
@overload
def hook(*, optional: bool) -> Callable[[Callable[_P, _R]], Hook[_P, _R]]: ...
def hook(function: Any = None, *, optional: bool = False) -> Any:
    """Return a hook with the name, the parameters and the docstring of a function.

    Args:
        function: has a body only if the hook is optional.
        optional: whether a game may lack the function. Then the body is used.
    """
    if function is None:
        return functools.partial(Hook, optional=optional)
    return Hook(function, optional=optional)
