"""Calls in a process of their own, which may hang or end it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

SECONDS = 120
"""A call that takes longer hangs."""


class Caller:
    """A program that reads a line for each call, and answers by lines of JSON.

    `{"case": ...}` says what it is about to do, `{"wrong": ...}` ends the call.

    Args:
        program: the file that is run. It sets the alarm that ends a call which hangs.
    """

    def __init__(self, program: str | Path) -> None:
        self._program = program
        self._process: subprocess.Popen[str] | None = None

    def call(self, asked: str) -> tuple[str, str | None]:
        """The case of a call and what was wrong with it, `None` if nothing was."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, self._program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self._process.stdin.write(f"{asked}\n")
        self._process.stdin.flush()
        case = "before the call"
        for line in self._process.stdout:
            told = json.loads(line)
            if "wrong" in told:
                return case, told["wrong"]
            case = told["case"]
        status = self._process.wait()
        self.stop()
        if status == -signal.SIGALRM:
            return case, f"no answer within {SECONDS} s"
        return case, f"ended the process: status {status}"

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None


def say(told: dict[str, object]) -> None:
    """What the program answers."""
    sys.__stdout__.write(json.dumps(told) + "\n")
    sys.__stdout__.flush()
