"""A compiler process that compiles loops for this process.

This process writes requests to the standard input of the compiler process, which runs
`boardenvs.kernels.__main__` and writes the machine code to the cache on disk. If the compiler
process fails, this process compiles everything by itself.
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
    """The compiler process and its requests."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: set[Path] = set()
        self._failed = bool(getattr(sys, "frozen", False)) or not sys.executable
        self._lock = threading.Lock()

    def ask(self, request: Any, signature: Any, file: Path) -> bool:
        """Request a file of machine code, and return whether the compiler process makes it."""
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
            except Exception:  # noqa: BLE001 after any error, this process compiles
                return False
            self._asked.add(file)
            return True

    def end(self) -> None:
        """End the compiler process."""
        process = self._process
        if process is not None:
            self._forget()
            with contextlib.suppress(OSError):
                process.kill()
                process.wait()

    def _forget(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process = None
        self._asked.clear()

    def after_fork(self) -> None:
        """Leave the compiler process to the parent process."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.returncode = 0  # it is not a child of this process
            self._forget()


_compiler = _Compiler()
atexit.register(_compiler.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compiler.after_fork)


def compile_soon(request: Any, signature: Any, file: Path) -> bool:
    """Request machine code once, and return whether the compiler process makes it.

    Args:
        request: a function and its arguments. It returns the function to compile. The compiler
            process must be able to import all of them.
        signature: Numba's types of the arguments.
        file: path of the machine code.
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
    """A pickler of modules by name. It rejects objects of `__main__`."""

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
