"""Time of `import boardenvs` in a new process."""

from __future__ import annotations

import subprocess
import sys

from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, interleaved

__all__ = ["imports"]

_PEERS = "gymnasium, pettingzoo"

_IMPORT = """
import time
began = time.perf_counter()
import {what}
print(time.perf_counter() - began)
"""


def _in_new_process(code: str, what: str) -> list[float]:
    """Return the numbers that a program prints.

    Raises:
        OSError: the program failed.
    """
    command = [sys.executable, "-W", "ignore", "-c", code.format(what=what)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise OSError(f"the measured Python process failed: {last}")
    return [float(number) for number in done.stdout.split()]


def imports(bench: Bench) -> list[Row]:
    """Return a row that compares `import boardenvs` with the import of its dependencies."""
    sides: dict[Key, Side] = {
        (what,): lambda what=what: _in_new_process(_IMPORT, what)[0]  # type: ignore[misc]
        for what in ("boardenvs", _PEERS)
    }
    found = interleaved(sides, bench.effort.process_rounds)
    against = f"import {_PEERS}"
    return [Row("import boardenvs", "", found["boardenvs",], "s", against, found[_PEERS,])]
