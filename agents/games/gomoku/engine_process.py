"""A Gomoku program in a process of its own, spoken to by the protocol; see `.protocol`."""

from __future__ import annotations

import contextlib
import queue
import shlex
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable, Sequence
from typing import IO

__all__ = ["EngineError", "EngineProcess"]

_TO_END = 1.0
"""Seconds that a program has to end by itself."""


class EngineError(Exception):
    """What a program did wrong, in words that follow its name."""


class EngineProcess:
    """A running program: lines to it, and its answers within a time."""

    def __init__(self, command: str) -> None:
        """Start the program.

        Args:
            command: the program and its arguments, quoted as for a shell, which is not used.

        Raises:
            ValueError: it cannot be started.
        """
        # A file, since nobody reads from a pipe what a chatty program writes there.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 as long as the program
        try:
            self._process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except (OSError, ValueError, IndexError) as error:
            self._errors.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise ValueError(f"engine {command!r} cannot be started: {reason}") from None
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        assert self._process.stdout is not None
        threading.Thread(
            target=_read, args=(self._process.stdout, self._answers), daemon=True
        ).start()
        self.close = weakref.finalize(self, _end, self._process, self._errors)
        """End the program, if need be by force; also at this process's end."""

    def tell(self, lines: Sequence[str]) -> None:
        """Send lines to the program.

        Raises:
            EngineError: it has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\r\n" for line in lines))
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def answer(self, seconds: float, passed_over: Iterable[str] = ("MESSAGE", "DEBUG")) -> str:
        """The program's next line.

        Args:
            seconds: that it has.
            passed_over: what lines begin with that are no answers, in capitals.

        Raises:
            EngineError: it has ended, or was late.
        """
        end = time.perf_counter() + seconds
        while True:
            try:
                line = self._answers.get(timeout=max(0.0, end - time.perf_counter()))
            except queue.Empty:
                raise EngineError(f"did not answer within {seconds:g} s") from None
            if line is None:
                raise self._ended()
            words = line.split()
            if words and words[0].upper() not in passed_over:
                return line.strip()

    def _ended(self) -> EngineError:
        """What is to be said of a program that speaks no more."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END)
        self._errors.seek(0)
        told = self._errors.read().decode(errors="replace").split("\n")
        last = next((" ".join(line.split()) for line in reversed(told) if line.strip()), "")
        status = self._process.returncode
        how = "closed its output" if status is None else f"ended with status {status}"
        return EngineError(f"{how}{f': {last}' if last else ''}")


def _read(output: IO[str], answers: queue.SimpleQueue[str | None]) -> None:
    """Pass on a program's lines, at last `None`."""
    with contextlib.suppress(OSError, ValueError):
        for line in output:
            answers.put(line)
    answers.put(None)


def _end(process: subprocess.Popen[str], errors: IO[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write("END\r\n")
        process.stdin.close()
    try:
        process.wait(_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        with contextlib.suppress(OSError):
            process.stdout.close()
    errors.close()
