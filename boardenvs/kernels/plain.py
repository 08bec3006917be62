"""Compiled functions as plain Python, with the same source code."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from boardenvs.kernels.digest import used_globals

__all__ = ["PLAIN", "PlainCopies", "on_wide_records", "widened"]

PLAIN: dict[Any, Any] = {}
"""Plain Python replacements of functions that only compiled code can call."""


class PlainCopies:
    """Plain Python copies of functions and of all functions that they call.

    A copy calls plain functions in place of compiled functions.
    """

    def __init__(self, packages: set[str], instead: Mapping[Any, Any] | None = None) -> None:
        """Set the packages and the replacements.

        Args:
            packages: names of top-level packages whose plain functions are copied too, since
                they may call compiled functions.
            instead: replacements of functions, which are not copied.
        """
        self._packages = packages
        self._instead = instead or {}
        self._copies: dict[types.FunctionType, types.FunctionType] = {}

    def of(self, value: Any) -> Any:
        """Return the copy of a function, or the value itself if it is not copied."""
        if isinstance(value, types.ModuleType):
            return self._of_module(value)
        if callable(value) and value in self._instead:
            return self._instead[value]
        function = self._function(value)
        if not isinstance(function, types.FunctionType):
            return value
        if function is value and function.__module__.partition(".")[0] not in self._packages:
            return value
        if function not in self._copies:
            scope = dict(function.__globals__)
            copy = self._copies[function] = types.FunctionType(
                function.__code__,
                scope,
                function.__name__,
                function.__defaults__,
                self._closure(function),
            )
            copy.__kwdefaults__ = function.__kwdefaults__
            scope.update({name: self.of(one) for name, one in used_globals(function).items()})
        return self._copies[function]

    def _function(self, value: Any) -> Any:
        """Return the plain function of a compiled function, or the value itself."""
        if callable(value):
            value = PLAIN.get(value, value)
        return getattr(value, "py_func", value)

    def _closure(self, function: types.FunctionType) -> tuple[types.CellType, ...] | None:
        cells = function.__closure__
        return cells and tuple(types.CellType(self.of(cell.cell_contents)) for cell in cells)

    def _of_module(self, module: types.ModuleType) -> Any:
        """Return a copy of a module of the packages, or the module itself."""
        if module.__name__.partition(".")[0] not in self._packages:
            return module
        return _ModuleCopy(module, self.of)


class _ModuleCopy:
    """A module whose attributes are plain copies, made on first access."""

    def __init__(self, module: types.ModuleType, copied: Callable[[Any], Any]) -> None:
        self._module = module
        self._copied = copied

    def __getattr__(self, name: str) -> Any:
        value = self._copied(getattr(self._module, name))
        setattr(self, name, value)
        return value


# -- Numbers as wide as Numba's -------------------------------------------------------------


def on_wide_records(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a hook's function that runs on widened copies of its two records, see `widened`.

    Changed fields are written back to the first record.
    """

    @functools.wraps(function)
    def run(s: Any, p: Any, *args: Any) -> Any:
        wide = _widened_record(s)
        result = function(wide, _widened_record(p), *args)
        for name in s.dtype.names:
            if not np.array_equal(s[name], wide[name]):
                s[name] = wide[name]
        return result

    return run


def _widened_record(record: Any) -> Any:
    return widened(np.array([record], record.dtype))[0]


def widened(records: Any) -> Any:
    """Return a copy of records with 64-bit numbers.

    NumPy adds two int8 as int8, but Numba adds them as int64.
    """
    wide = np.zeros(records.shape, np.dtype((np.record, _wide(records.dtype))))
    wide[...] = records
    return wide


@functools.cache
def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_wide(base), shape))
    if dtype.names is not None:
        return np.dtype([(name, _wide(dtype[name])) for name in dtype.names])
    if dtype.kind in "iu" and dtype != np.uint64:
        return np.dtype(np.int64)
    return np.dtype(np.float64) if dtype.kind == "f" else dtype
