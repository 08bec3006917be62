"""A process that compiles loops for this one, with low priority.

This process writes requests to the other one's standard input. The other process, which is
`boardenvs.kernels.__main__`, puts the machine code into the cache on disk, where this process finds
it. If the other process fails, this one compiles everything by itself.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import os
import pickle
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

__all__ = ["compile_soon"]


class _Compiler:
    """The other process, and what it was asked for."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: set[Path] = set()
        self._failed = bool(getattr(sys, "frozen", False)) or not sys.executable
        self._lock = threading.Lock()

    def ask(self, request: Any, signature: Any, file: Path) -> bool:
        """Ask for a file of machine code, and return whether it will come."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._failed = self._process.returncode != 0
                self._forget()
            if self._failed or file in self._asked:
                return not self._failed
            try:
                message = _pickled((request, signature, file))
                if self._process is None:
                    self._process = _started()
                assert self._process.stdin is not None
                self._process.stdin.write(message)
                self._process.stdin.flush()
            except Exception:  # noqa: BLE001 whatever it is, this process can compile as well
                return False
            self._asked.add(file)
            return True

    def end(self) -> None:
        """End the other process."""
        process = self._process
        if process is not None:
            self._forget()
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                process.wait(timeout=1)

    def _forget(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process = None
        self._asked.clear()

    def after_fork(self) -> None:
        """Leave the other process to the parent of this one."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.returncode = 0  # it is no child of this process
            self._forget()


_compiler = _Compiler()
atexit.register(_compiler.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compiler.after_fork)


def compile_soon(request: Any, signature: Any, file: Path) -> bool:
    """Ask the other process for machine code, once, and return whether it will come.

    Args:
        request: a pair of a function and its arguments, which returns the function to compile. The
            other process must be able to import all of them.
        signature: Numba's types of the arguments.
        file: where the machine code will be.
    """
    return _compiler.ask(request, signature, file)


def _started() -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "BOARDENVS_INTERPRET": "0",
        "PYTHONPATH": os.pathsep.join(one or str(Path.cwd()) for one in sys.path),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "boardenvs.kernels"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


class _Pickler(pickle.Pickler):
    """Pickles modules by their names, and nothing of `__main__`."""

    def reducer_override(self, value: Any) -> Any:
        if getattr(value, "__module__", None) == "__main__":
            raise pickle.PicklingError(f"{value!r} cannot be imported")
        if type(value) is types.ModuleType:
            if value.__name__ == "__main__" or sys.modules.get(value.__name__) is not value:
                raise pickle.PicklingError(f"{value!r} cannot be imported")
            return importlib.import_module, (value.__name__,)
        return NotImplemented


def _pickled(value: Any) -> bytes:
    file = io.BytesIO()
    _Pickler(file).dump(value)
    return file.getvalue()
