"""A cache of compiled functions on disk, with one checked file for each signature.

Numba's own cache updates an index of a function's signatures without a lock, so that two processes
may store code under the wrong signature. Here the name of a file is a digest of everything that the
code depends on, and there is no index.

- A signature of a function is compiled if the file `DiskCache.path(signature, codegen)` exists.
- A process looks for the file before it compiles. So it loads code that another process has
  compiled in the meantime, and `function.compile(signature)` loads it without a call.
- Errors of the cache never stop the program.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import platform
import tempfile
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

from boardenvs.kernels.numba_compat import outer_symbols, prepare_to_load

__all__ = ["DiskCache", "file_prefix", "only_process"]

_said: list[str] = []
"""Lines about the cache that this process has logged."""


class DiskCache:
    """The files of one function. It replaces Numba's own cache."""

    def __init__(self, name: str, made_from: Callable[[], str]) -> None:
        self._name = name
        self._made_from = functools.cache(made_from)

    @property
    def cache_path(self) -> str:
        """Preferred folder of the files, for Numba's statistics."""
        return str(_folders()[0])

    def path(self, signature: Any, codegen: Any) -> Path | None:
        """Return the file of a signature, or `None` if it does not exist and cannot be written.

        Args:
            signature: Numba's types of the arguments.
            codegen: code generator of Numba's target, which depends on the processor.
        """
        versions = numba.__version__, platform.python_version(), codegen.magic_tuple()
        key = _short(repr((signature, versions)))
        name = f"{self._name}.{self._made_from()}.{key}.nbc"
        for folder in _folders():
            if (folder / name).exists():
                return folder / name
        writable = _writable_folder()
        return writable and writable / name

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature, or `None` if it must be compiled."""
        path = None
        try:
            from numba.core.compiler import CompileResult

            path = self.path(signature, target_context.codegen())
            if path is not None and path.exists():
                symbols, payload = pickle.loads(_checked(path))
                prepare_to_load(target_context, symbols)
                return CompileResult._rebuild(target_context, *payload)  # noqa: SLF001
        except Exception:  # noqa: BLE001 a damaged file is made again
            if path is not None:
                with contextlib.suppress(OSError):
                    path.unlink()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save compiled code, and log a failure such as a full disk."""
        try:
            if result.lifted or result.library.has_dynamic_globals:
                return
            path = self.path(signature, result.codegen)
            if path is not None:
                content = outer_symbols(result.library), result._reduce()  # noqa: SLF001
                self._write(path, _pickled(content))
        except Exception as error:  # noqa: BLE001 the compiled code is usable without a file
            _say_uncached(error)

    def _write(self, path: Path, content: bytes) -> None:
        """Write a file atomically, and remove the files of older versions of the function."""
        fresh = path.with_name(f"{self._name}.{uuid.uuid4().hex}.tmp")
        try:
            fresh.write_bytes(_file_digest(path, content) + content)
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        for old in path.parent.glob(f"{self._name}.*.nbc"):
            if not old.name.startswith(f"{self._name}.{self._made_from()}."):
                with contextlib.suppress(OSError):
                    old.unlink()

    def flush(self) -> None:
        """Do nothing, since stale files have other names."""


@functools.cache
def _folders() -> list[Path]:
    """Return the folders that may hold compiled code, the preferred one first."""
    package = Path(__file__).parent.parent
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    named = getattr(getattr(numba, "config", None), "CACHE_DIR", "")
    return [Path(named)] if named else [package / "__pycache__", home / "boardenvs"]


@functools.cache
def _writable_folder() -> Path | None:
    """Return the first folder that can be written to, or `None`."""
    for folder in _folders():
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    _say_uncached(f"{' and '.join(map(str, _folders()))} cannot be written to")
    return None


@contextlib.contextmanager
def only_process(file: Path | None) -> Iterator[None]:
    """Prevent other processes from compiling the same file until the block ends.

    On Windows, which lacks `fcntl`, several processes may compile the same code.
    """
    with contextlib.ExitStack() as stack:
        if fcntl is not None and file is not None and not file.exists():
            with contextlib.suppress(OSError):
                lock = stack.enter_context(file.with_name("compiling.lock").open("w"))
                # Each file of code locks its own byte. The system unlocks it if a process ends.
                fcntl.lockf(lock, fcntl.LOCK_EX, 1, zlib.crc32(file.name.encode()))
        yield


def _checked(path: Path) -> bytes:
    """Return the content of a file without its digest, or raise `ValueError` if it is damaged."""
    data = path.read_bytes()
    content = data[32:]
    if data[:32] != _file_digest(path, content):
        raise ValueError(f"{path} is damaged")
    return content


def _file_digest(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + content).digest()


def _pickled(value: object) -> bytes:
    from numba.core.serialize import dumps

    return bytes(dumps(value))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def file_prefix(name: str, function: Any, *modules: Any) -> str:
    """Return the prefix of the names of a function's files, bound to these modules."""
    files = [(one.__name__, getattr(one, "__file__", "")) for one in modules]
    own = name, function.__code__.co_filename, files
    return f"{name}.{_short(repr(own))}"


def _say_uncached(reason: object) -> None:
    if not _said:
        _said.append("uncached")
        logging.getLogger("boardenvs").warning(
            "boardenvs: compiled code cannot be cached (%s), so every process compiles again; "
            "set NUMBA_CACHE_DIR to a writable folder",
            reason,
        )
