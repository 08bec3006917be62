"""Calls in a separate process, which may hang or crash."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

SECONDS = 120
"""Seconds after which a call counts as hanging."""


class Caller:
    """A program that reads one line for each call and answers in lines of JSON.

    `{"case": ...}` describes the coming call, `{"wrong": ...}` ends it.

    Args:
        program: path of the program. It sets the alarm that ends a hanging call.
    """

    def __init__(self, program: str | Path) -> None:
        self._program = program
        self._process: subprocess.Popen[str] | None = None

    def call(self, asked: str) -> tuple[str, str | None]:
        """Return the case of a call and what was wrong with it, or `None`."""
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
    """Send an answer of the program."""
    sys.__stdout__.write(json.dumps(told) + "\n")
    sys.__stdout__.flush()
