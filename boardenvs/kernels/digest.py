"""A digest of the sources of a function's machine code.

The sources are the code, defaults and constants of the function and of all functions that it calls,
and Numba's options for each of them.
"""

from __future__ import annotations

import dis
import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["digest", "instructions", "names_in", "used_globals"]

_FOREIGN = sys.stdlib_module_names | {"numpy", "numba", "llvmlite"}
"""Packages whose functions change only with a new version of the package or Python."""


def names_in(code: types.CodeType) -> Iterator[str]:
    """Yield the names of globals and attributes in code and in nested functions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def used_globals(function: types.FunctionType) -> dict[str, Any]:
    """Return the globals that a function uses, by name."""
    known = function.__globals__
    return {name: known[name] for name in sorted({*names_in(function.__code__)} & {*known})}


def digest(
    function: Callable[..., Any],
    meaning: Callable[[Any], Any] = lambda value: value,
    options: object = None,
) -> str:
    """Return 16 hexadecimal digits that change with the sources of a function's machine code.

    Args:
        function: plain or compiled function. Numba's options are in its `targetoptions`, if any.
        meaning: function that returns the replacement for the value of a global in compiled code.
        options: other dependencies. Their `repr` must be the same in every process.
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


def instructions(function: Callable[..., Any]) -> int:
    """Return the number of byte code instructions of a function and of all that it calls."""
    seen: set[Callable[..., Any]] = set()
    todo: list[Any] = [function]
    while todo:
        one = todo.pop()
        if one not in seen and one.__module__.partition(".")[0] not in _FOREIGN:
            seen.add(one)
            called = used_globals(one).values()
            todo += [value for value in called if isinstance(value, types.FunctionType)]
    return sum(1 for one in seen for _ in dis.get_instructions(one))


def _cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    return zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)


def _plain(value: Any) -> Any:
    """Return the Python function of a compiled function, a loop or a Numba intrinsic."""
    if isinstance(value, types.FunctionType):
        return value
    return getattr(value, "py_func", getattr(value, "__wrapped__", value))


def _code(code: types.CodeType) -> str:
    constants = [
        _code(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts
    ]
    return f"{code.co_code.hex()} {code.co_argcount} {code.co_names} {code.co_varnames} {constants}"


def _constant(value: Any) -> str:
    """Return a text for a constant of machine code that is the same in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype!r} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, tuple):
        return str([_constant(one) for one in value])
    if isinstance(value, type):
        members = [f"{name} {one!r}" for name, one in getattr(value, "__members__", {}).items()]
        return f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', ())} {members}"
    plain = bool | int | float | complex | str | bytes | np.generic | np.dtype
    return repr(value) if value is None or isinstance(value, plain) else ""
