"""What a function's machine code is made from: a stamp that changes when any of it does."""

from __future__ import annotations

import functools
import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["code_stamp", "names_in"]


def names_in(code: types.CodeType) -> Iterator[str]:
    """The names of globals and attributes that code uses, that of functions within it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def code_stamp(
    function: Callable[..., Any], meaning: Callable[[Any], Any] = lambda value: value
) -> str:
    """Eight hex digits that change with all that compiled code depends on.

    These are the files of the function and of all functions that it calls, directly or by
    others; the files of modules and classes that they name; and the constants that they do.

    Args:
        function: plain or compiled.
        meaning: what stands for the value of a global name when the function is compiled.
    """
    files: set[str] = set()
    constants: set[bytes] = set()
    seen: set[int] = set()
    todo = [function]
    while todo:
        one = _plain(todo.pop())
        if id(one) in seen:
            continue
        seen.add(id(one))
        known = one.__globals__
        file = one.__code__.co_filename
        # The code of a compiled file names its source file, which may be missing.
        files.add(file if Path(file).is_file() else known.get("__file__") or file)
        for name in names_in(one.__code__):
            if name not in known:
                continue
            value = meaning(known[name])
            if isinstance(_plain(value), types.FunctionType):
                todo.append(value)
            elif isinstance(value, types.ModuleType):
                files.add(getattr(value, "__file__", None) or "")
            elif isinstance(value, type):
                files.add(getattr(sys.modules.get(value.__module__), "__file__", None) or "")
            else:
                constants.add(f"{name} = ".encode() + _constant(value))
    digest = hashlib.sha256()
    for part in (*sorted(map(_digest, files)), *sorted(constants)):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:8]


def _plain(value: Any) -> Any:
    """The function that a compiled one or an intrinsic of Numba's is made of."""
    if isinstance(value, types.FunctionType):
        return value
    return getattr(value, "py_func", getattr(value, "__wrapped__", value))


@functools.cache
def _digest(file: str) -> bytes:
    """Return the digest of a Python file, empty for other and for missing files.

    Other files, such as that of `math`, change only with Python's version. A file in an archive
    has the digest of the whole archive.
    """
    path = Path(file)
    if path.suffix not in (".py", ".pyc"):
        return b""
    there = next(filter(Path.is_file, (path, *path.parents)), None)
    return b"" if there is None else _sha256(there)


@functools.cache
def _sha256(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _constant(value: Any) -> bytes:
    """Bytes for what Numba takes into machine code, the same in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype!r} {value.shape}".encode() + value.tobytes()
    if isinstance(value, tuple):
        return b"(" + b", ".join(map(_constant, value)) + b")"
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value).encode()
    return repr(value).encode() if isinstance(value, np.generic | np.dtype) else b""
