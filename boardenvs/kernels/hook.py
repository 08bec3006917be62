"""Placeholders for functions that each game defines, see `boardenvs.core.hooks`."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

__all__ = ["Hook", "hook"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


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
