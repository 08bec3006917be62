"""Compiled loops on disk: a file for each signature, checked when read, never fatal.

Numba's own cache keeps an index of a function's signatures, which it reads, changes and writes
without a lock: of two processes that compile a function for different records at once, one may
leave its code under the other's name. Here the name of a file says all that its code depends on,
so that processes have nothing to share but whole files.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, NullCache
from numba.core.serialize import dumps

__all__ = ["KernelCache", "cached_njit", "cached_on_disk"]

_LOG = logging.getLogger("boardenvs")
_TOLD = "BOARDENVS_TOLD"
"""The variable of what was said, since worker processes inherit it."""


def _is_new(what: str) -> bool:
    """Whether neither this process nor one that started it has said so; from now on it has."""
    told = os.environ.get(_TOLD, "").split(";")
    os.environ[_TOLD] = ";".join([*told, what])
    return what not in told


def _say_uncached(reason: object) -> None:
    if _is_new("uncached"):
        _LOG.warning(
            "boardenvs: compiled code cannot be kept (%s), so every process compiles anew; "
            "NUMBA_CACHE_DIR=FOLDER names a place for it",
            reason,
        )


class _Files:
    """The files of one function: stands in for Numba's index."""

    def __init__(self, folder: str, base: str, stamp: str) -> None:
        """Nothing is read yet.

        Args:
            folder: where they lie.
            base: what their names begin with.
            stamp: changes with all that the code is made from.
        """
        self._folder = Path(folder)
        # What another version of Numba left stays: it may belong to another environment.
        self._base = f"{base}.{_digest(numba.__version__)}"
        self._stamp = stamp

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._base}.{self._stamp}.{_digest(repr(key), 16)}.nbc"

    def load(self, key: Any) -> Any:
        """What was saved for a key, or `None`; a file that is damaged is removed."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        content = data[32:]
        if hashlib.sha256(content).digest() == data[:32]:
            with contextlib.suppress(Exception):  # whatever a foreign pickle raises
                saved_key, payload = pickle.loads(content)
                if saved_key == repr(key):
                    return payload
        self.discard(key)
        return None

    def save(self, key: Any, payload: Any) -> None:
        """Write the file of a key, whole or not at all, and remove what has become useless."""
        content = dumps((repr(key), payload))
        path = self._path(key)
        fresh = path.with_name(f"{self._base}.{uuid.uuid4().hex}.tmp")
        try:
            fresh.write_bytes(hashlib.sha256(content).digest() + content)
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        for old in self._folder.glob(f"{self._base}.*.nbc"):
            if not old.name.startswith(f"{self._base}.{self._stamp}."):
                with contextlib.suppress(OSError):
                    old.unlink()

    def discard(self, key: Any) -> None:
        """Remove the file of a key."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def flush(self) -> None:
        """Remove all files of the function."""
        for path in self._folder.glob(f"{self._base}.*.nbc"):
            with contextlib.suppress(OSError):
                path.unlink()


def _digest(text: str, digits: int = 8) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


class KernelCache(FunctionCache):
    """Numba's cache of a function's machine code, with `_Files` for its index."""

    def __init__(self, function: Callable[..., Any], stamp: str, what: str) -> None:
        """Find the place.

        Args:
            function: to be compiled.
            stamp: changes with all files that the code is made from, its own aside.
            what: is compiled, for people.

        Raises:
            RuntimeError: there is no place that can be written to.
        """
        super().__init__(function)
        own = self._impl.locator.get_source_stamp()
        base = self._impl.filename_base
        self._cache_file: Any = _Files(self._cache_path, base, _digest(repr(own) + stamp))
        self._what = what

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for a signature, or `None` where it has to be compiled."""
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 a broken entry must not stop anybody: it is made again
            target_context.refresh()
            self._cache_file.discard(self._index_key(sig, target_context.codegen()))
        if found is None:
            _say_compiling(self._what)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it; where that fails, as on a full disk, say so and go on."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _say_uncached(error)


def _say_compiling(what: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty() and _is_new(f"compiling {what}"):
        print(f"compiling {what}, once ...", file=sys.stderr, flush=True)


class _NoCache(NullCache):
    """Stands in for a cache where there is no place for one."""

    def __init__(self, what: str) -> None:
        self._what = what

    def load_overload(self, sig: Any, target_context: Any) -> None:
        _say_compiling(self._what)


def cached_njit(what: str, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit(cache=True)` with this cache.

    As with Numba's own, a change of what the function calls in other files goes unnoticed.

    Args:
        what: is compiled, for people.
        **options: of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options)(function)
        cached_on_disk(dispatcher, "", what)
        return dispatcher

    return decorate


def cached_on_disk(dispatcher: Any, stamp: str, what: str) -> None:
    """Give a compiled function its cache.

    Args:
        dispatcher: from `numba.njit`, without a cache.
        stamp: as for `KernelCache`.
        what: as there.
    """
    if not hasattr(dispatcher, "py_func"):  # plain Python, with NUMBA_DISABLE_JIT
        return
    try:
        cache: Any = KernelCache(dispatcher.py_func, stamp, what)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        _say_uncached("neither the package nor the home folder can be written to")
        cache = _NoCache(what)
    dispatcher._cache = cache  # noqa: SLF001 Numba has no other door for a cache of one's own
