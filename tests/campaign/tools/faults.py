"""`Commands`: `boardenvs` commands that are killed, or fail, at a file operation."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import pytest

HERE = Path(__file__).parent


class Kind(IntEnum):
    """Fault at the operation; the numbers are those of `faults.c`."""

    COUNT = 0
    KILL_BEFORE = 1
    KILL_WITHIN = 2
    KILL_AFTER = 3
    FAIL = 4
    SHORT_WRITE = 5


CHANGE, READ = 1, 2
"""Classes of operations: those that change or lock something, and those that read."""


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    status: int
    """Exit status, as in `subprocess`."""
    seconds: float
    count: int
    """Number of operations on files of the folder."""
    fired: int
    """Number of faults."""
    operation: str
    """Operation of the first fault."""
    path: str
    """File of the first fault."""
    stored: int
    """Number of games added to a store."""
    told: str
    """Standard output and standard error."""


def library(folder):
    """Compile `faults.c` and return its path; skip the test if this is impossible."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux":
        pytest.skip("faults.c needs LD_PRELOAD on Linux")
    if compiler is None:
        pytest.skip("faults.c needs a C compiler")
    path = folder / "faults.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", path, HERE / "faults.c", "-ldl"], check=True
    )
    return path


class Commands:
    """A process that runs commands in forks of itself; as a context manager, it ends the process.

    Args:
        folder: folder for its own files.
    """

    def __init__(self, folder):
        self._told = folder / "told"
        self._errors = (folder / "errors").open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, HERE / "faulty_commands.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            stderr=self._errors,
            env={
                **os.environ,
                "LD_PRELOAD": str(library(folder)),
                # Forks have no threads.
                "NUMBA_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
                "MKL_NUM_THREADS": "1",
                "MPLBACKEND": "agg",
            },
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _ask(self, **request):
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def warm(self, *arguments):
        """Run a command in the process itself, to load its modules and kernels."""
        told = self._ask(warm=True, arguments=list(map(str, arguments)))
        assert told == {"status": 0}, told

    def run(
        self,
        folder,
        arguments,
        kind=Kind.COUNT,
        at=0,
        *,
        error=0,
        for_good=False,
        classes=CHANGE,
        changes=None,
        seconds=100.0,
    ):
        """Run a command.

        Args:
            folder: folder with the watched files and current folder of the command.
            arguments: arguments after `boardenvs`.
            kind: kind of the fault.
            at: number of the operation, from 1.
            error: error number for `FAIL`.
            for_good: whether all later operations that change something fail too.
            classes: operations that are counted.
            changes: values of module attributes, by their full names.
            seconds: time after which the command is killed; its output then ends with a note.
        """
        told = self._ask(
            folder=str(folder),
            told=str(self._told),
            arguments=list(map(str, arguments)),
            kind=int(kind),
            at=at,
            error=error,
            for_good=int(for_good),
            classes=classes,
            changes=changes or {},
            seconds=seconds,
        )
        return Ran(**told, told=self._told.read_text(encoding="utf-8", errors="replace"))
