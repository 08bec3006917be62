"""Compiled loops on disk: a file for each signature, checked when read, never fatal.

Numba's own cache keeps an index of a function's signatures, which it reads, changes and writes
without a lock: of two processes that compile a function for different records at once, one may
leave its code under the other's name. Here the name of a file says all that its code depends on,
so that processes have nothing to share but whole files.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import pickle
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from boardenvs.code_stamp import code_stamp
from boardenvs.numba_doors import give_cache, is_compiled, pickled

__all__ = ["cached_njit", "cached_on_disk"]

_LOG = logging.getLogger("boardenvs")
_said: set[str] = set()
"""The lines that this process has said, each once."""


class _Files:
    """The files of one function: stands in for Numba's index."""

    def __init__(self, stamp: Callable[[], str], folder: str, base: str, own: str) -> None:
        """Nothing is read yet.

        Args:
            stamp: as for `cached_on_disk`.
            folder: where they lie.
            base: what their names begin with.
            own: changes with the function's own file.
        """
        self._folder = Path(folder)
        # What another version of Numba left stays: it may belong to another environment.
        self._base = f"{base}.{_digest(numba.__version__)}"
        self._own = own
        self._made_from = stamp

    @functools.cached_property
    def _stamp(self) -> str:
        return _digest(self._own + self._made_from())

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
        content = pickled((repr(key), payload))
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


def _say_uncached(reason: object) -> None:
    if "uncached" not in _said:
        _said.add("uncached")
        _LOG.warning(
            "boardenvs: compiled code cannot be kept (%s), so every process compiles anew; "
            "NUMBA_CACHE_DIR=FOLDER names a place for it",
            reason,
        )


def _say_compiling(what: str) -> None:
    line = f"compiling {what}, once ..."
    if sys.stderr is not None and sys.stderr.isatty() and line not in _said:
        _said.add(line)
        print(line, file=sys.stderr, flush=True)


def cached_njit(what: str, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit(cache=True)` with this cache.

    Unlike with Numba's own, what the function calls in other files may change: that is noticed.

    Args:
        what: is compiled, for people.
        **options: of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options)(function)
        cached_on_disk(dispatcher, functools.partial(code_stamp, function), what)
        return dispatcher

    return decorate


def cached_on_disk(dispatcher: Any, stamp: Callable[[], str], what: str) -> None:
    """Give a compiled function its cache.

    Args:
        dispatcher: from `numba.njit`, without a cache.
        stamp: returns what changes with all that the code is made from; called once, late.
        what: is compiled, for people.
    """
    if is_compiled(dispatcher):
        missed = functools.partial(_say_compiling, what)
        give_cache(dispatcher, functools.partial(_Files, stamp), missed, _say_uncached)
