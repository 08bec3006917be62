"""`Commands`: `boardenvs` commands that are killed, or fail, at an operation on a file."""

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
    """What happens at the operation; the numbers are those of `faults.c`."""

    COUNT = 0
    KILL_BEFORE = 1
    KILL_WITHIN = 2
    KILL_AFTER = 3
    FAIL = 4
    SHORT_WRITE = 5


CHANGE, READ = 1, 2
"""Operations: those that change something or lock it, and those that read."""


@dataclass(frozen=True)
class Ran:
    """A command that has ended."""

    status: int
    """As `subprocess` has it."""
    seconds: float
    count: int
    """Operations on files of its folder."""
    fired: int
    """How often something was done about one."""
    operation: str
    """The first of them."""
    path: str
    """Its file."""
    stored: int
    """Games that a store had taken."""
    told: str
    """What it printed, on standard output and error."""


def library(folder):
    """The compiled `faults.c`; skips the test where there can be none."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux":
        pytest.skip("LD_PRELOAD, as faults.c uses it, is Linux's")
    if compiler is None:
        pytest.skip("there is no C compiler for faults.c")
    path = folder / "faults.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", path, HERE / "faults.c", "-ldl"], check=True
    )
    return path


class Commands:
    """A process that runs commands in forks of itself; a context manager that ends it.

    Args:
        folder: for what it needs itself.
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
                # Threads are not there in a fork.
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
        """Run a command in the process itself, so that its modules and kernels are there."""
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
            folder: whose files are watched, and where it runs.
            arguments: after `boardenvs`.
            kind: of the fault.
            at: the operation's number, from 1.
            error: the number of the error, for `FAIL`.
            for_good: whether all operations from there on that change something fail.
            classes: which operations are counted.
            changes: values of modules' attributes, by their full names.
            seconds: after which it is killed; what it printed then ends by saying so.
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
