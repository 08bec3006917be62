"""A digest of everything that a function's machine code is made from.

That is the code, defaults and constants of the function and of all that it calls, and the options
that Numba compiles each of them with.
"""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["digest", "names_in", "used_globals"]

_FOREIGN = sys.stdlib_module_names | {"numpy", "numba", "llvmlite"}
"""Packages whose functions change only with their version or Python's."""


def names_in(code: types.CodeType) -> Iterator[str]:
    """Yield the names of globals and attributes that code and functions within it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def used_globals(function: types.FunctionType) -> dict[str, Any]:
    """Return the global names that a function uses, and their values."""
    known = function.__globals__
    return {name: known[name] for name in sorted({*names_in(function.__code__)} & {*known})}


def digest(
    function: Callable[..., Any],
    meaning: Callable[[Any], Any] = lambda value: value,
    options: object = None,
) -> str:
    """Return 16 hex digits that change with what the machine code of a function is made from.

    Args:
        function: plain or compiled. What has `targetoptions`, as compiled functions have, is
            compiled with these.
        meaning: returns what replaces the value of a global name when the function is compiled.
        options: what else the code depends on; its `repr` is the same in every process.
    """
    parts = {repr(options)}
    seen: set[int] = set()
    todo = [function]

    def described(value: Any, names: set[str]) -> str:
        value = meaning(value)
        plain = _plain(value)
        if isinstance(plain, types.FunctionType):
            if plain.__module__.partition(".")[0] not in _FOREIGN:
                todo.append(value)
            return f"{plain.__module__}.{plain.__qualname__}"
        if isinstance(value, types.ModuleType):
            if value.__name__.partition(".")[0] in _FOREIGN:
                return value.__name__
            used = sorted(names & {*vars(value)})
            return str([(name, described(getattr(value, name), set())) for name in used])
        return _constant(value)

    while todo:
        value = todo.pop()
        one = _plain(value)
        if id(value) in seen:
            continue
        seen.add(id(value))
        todo += getattr(one, "compiled_as", ())
        names = {*names_in(one.__code__)}
        known = [*used_globals(one).items()]
        known += [(name, cell.cell_contents) for name, cell in _cells(one)]
        known_as = [f"{name} = {described(one, names)}" for name, one in known]
        own_options = sorted(map(repr, getattr(value, "targetoptions", {}).items()))
        own = _code(one.__code__), _constant(one.__defaults__), known_as, own_options
        parts.add(f"{one.__module__}.{one.__qualname__} {own}")
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    return zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)


def _plain(value: Any) -> Any:
    """Return the Python function of a compiled one, of a loop or of one of Numba's intrinsics."""
    if isinstance(value, types.FunctionType):
        return value
    return getattr(value, "py_func", getattr(value, "__wrapped__", value))


def _code(code: types.CodeType) -> str:
    constants = [
        _code(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts
    ]
    return f"{code.co_code.hex()} {code.co_argcount} {code.co_names} {code.co_varnames} {constants}"


def _constant(value: Any) -> str:
    """Return a text for a constant of machine code, the same in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype!r} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, tuple):
        return str([_constant(one) for one in value])
    if isinstance(value, type):
        members = [f"{name} {one!r}" for name, one in getattr(value, "__members__", {}).items()]
        return f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', ())} {members}"
    plain = bool | int | float | complex | str | bytes | np.generic | np.dtype
    return repr(value) if value is None or isinstance(value, plain) else ""
