"""A process with a Gomoku program that speaks Gomocup's protocol; see `.messages`."""

from __future__ import annotations

import collections
import contextlib
import os
import re
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Collection
from typing import IO

__all__ = ["EngineError", "EngineProcess", "words_of"]

_WINDOWS = sys.platform == "win32"
_TO_END = 1.0
"""Seconds for a program to end by itself."""
_LOOK = 0.5
"""Seconds between checks whether a silent program still runs, since a child may hold its output."""
_PART = 2**16
"""Maximum number of bytes of one read."""
_LONGEST = 2**16
"""Maximum number of bytes of a line."""
_MOST_OUTPUT, _MOST_ERRORS = 2**20, 2**24
"""Maximum numbers of bytes of output, and of standard error, without an answer to a request. Lines
of output take more processor time to read."""
_TAIL = 2**12
"""Maximum number of bytes kept of a program's standard error."""
_LINE_END = re.compile(rb"[\r\n]")
_REMARKS = ("MESSAGE", "DEBUG")
"""First words of lines that answer no request."""
_COMPLAINTS = ("ERROR", "UNKNOWN")


class EngineError(Exception):
    """A fault of a program; the message continues a sentence that begins with its name."""


class EngineProcess:
    """A running program that receives requests and has a limited time for each answer."""

    def __init__(self, command: str) -> None:
        """Start the program.

        Args:
            command: the program and its arguments, as `words_of` splits it.

        Raises:
            ValueError: the program cannot be started.
        """
        self._selector = selectors.DefaultSelector()
        try:
            self._process = _started(words_of(command))
        except (OSError, ValueError, IndexError) as error:
            self._selector.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise ValueError(f"engine {command!r} cannot be started: {reason}") from None
        self.complaint = ""
        """The last ERROR or UNKNOWN line that was ignored since the last request."""
        self._lines: collections.deque[str] = collections.deque()
        self._rest = b""
        """The bytes of a line that has not ended yet."""
        self._errors = b""
        self._over = False
        """Whether the output has ended."""
        self._written = {True: 0, False: 0}
        """Bytes of output, and of standard error, that were read since the last request."""
        self.close = weakref.finalize(self, _end, self._process, self._selector)
        """End the program and its children, by force if needed; also runs at this process's end."""
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            source = _copied(stream) if _WINDOWS else stream
            is_output = stream is self._process.stdout
            self._selector.register(source, selectors.EVENT_READ, (source, is_output))

    def tell(self, *lines: str) -> None:
        """Send lines to the program.

        Raises:
            EngineError: the program has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\r\n" for line in lines).encode())
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def ask(self, *lines: str, seconds: float, passed_over: Collection[str] = ()) -> str | None:
        """Send a request to the program and return the line that answers it.

        Args:
            lines: the request.
            seconds: the time limit of the answer.
            passed_over: first words, in capitals, of lines that do not answer this request. Lines
                that begin with MESSAGE or DEBUG never answer a request.

        Returns:
            The line, or `None` if none came in time.

        Raises:
            EngineError: the program has ended, or has written a line that is too long, or more
                than `_MOST_OUTPUT` or `_MOST_ERRORS` without an answer.
        """
        self.complaint = ""
        self._written = {True: 0, False: 0}
        self.tell(*lines)
        end = time.perf_counter() + seconds
        while (line := self._line(end)) is not None:
            word = line.split()[0].upper()
            if word not in (*_REMARKS, *passed_over):
                return line
            if word in _COMPLAINTS:
                self.complaint = line
        return None

    def _line(self, end: float) -> str | None:
        """Return the program's next line that is not empty; `None` if the time ends first."""
        while not self._lines:
            seconds = end - time.perf_counter()
            if seconds <= 0:
                return None
            ended = self._over or self._process.poll() is not None
            # On Windows the copying thread may still hold the last lines of an ended program.
            if not self._take(0 if self._over else min(seconds, _LOOK)) and ended:
                raise self._ended()
        return self._lines.popleft()

    def _take(self, seconds: float) -> bool:
        """Read the program's output and return whether there was any in time."""
        ready = self._selector.select(seconds) if self._selector.get_map() else []
        for key, _ in ready:
            source, is_output = key.data
            part = _read(source)
            if not part:
                self._selector.unregister(source)
                source.close()
            self._written[is_output] += len(part)
            if self._written[is_output] > (_MOST_OUTPUT if is_output else _MOST_ERRORS):
                raise EngineError(f"wrote {self._written[is_output]:,} bytes without an answer")
            if not is_output:
                self._errors = (self._errors + part)[-_TAIL:]
                continue
            self._over = not part
            *lines, self._rest = _LINE_END.split(self._rest + (part or b"\n"))
            texts = (line.decode(errors="replace").strip() for line in lines)
            self._lines.extend(filter(None, texts))
            if len(self._rest) > _LONGEST:
                raise EngineError(f"wrote a line of more than {_LONGEST:,} bytes")
        return bool(ready)

    def _ended(self) -> EngineError:
        """Return the error for a program that has ended or closed its output."""
        end = time.perf_counter() + _TO_END
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END)
        while self._take(max(0.0, end - time.perf_counter())) and time.perf_counter() < end:
            pass
        lines = self._errors.decode(errors="replace").split("\n")
        last = next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "")
        status = self._process.returncode
        how = "closed its output" if status is None else f"ended with status {status}"
        return EngineError(f"{how}{f': {last}' if last else ''}")


def words_of(command: str, windows: bool = _WINDOWS) -> list[str]:
    r"""Split a command into the program and its arguments, as the platform does.

    Args:
        command: a command quoted as for a shell, although no shell runs. On Windows only double
            quotes quote, and a backslash stands for itself.
        windows: whether to split as on Windows.

    Raises:
        ValueError: a quotation mark is not closed.

    Example:
        >>> words_of(r'"C:\My engines\pbrain-x.exe" -n 2', windows=True)
        ['C:\\My engines\\pbrain-x.exe', '-n', '2']
    """
    if not windows:
        return shlex.split(command)
    if command.count('"') % 2:
        raise ValueError("No closing quotation")
    words = re.findall(r'(?:"[^"]*"|[^\s"])+', command)
    return [word.replace('"', "") for word in words]


def _started(words: list[str]) -> subprocess.Popen[bytes]:
    """Start a program in its own process group, so that its children can be ended with it."""
    pipe = subprocess.PIPE
    if sys.platform == "win32":
        group = subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, creationflags=group)
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)


def _copied(stream: IO[bytes]) -> socket.socket:
    """Return a socket that receives a stream's data, since Windows can wait for sockets only."""
    ours, theirs = socket.socketpair()

    def copy() -> None:
        with contextlib.suppress(OSError), stream, theirs:
            while part := os.read(stream.fileno(), _PART):
                theirs.sendall(part)

    threading.Thread(target=copy, daemon=True).start()
    return ours


def _read(source: IO[bytes] | socket.socket) -> bytes:
    """Return the bytes that are available; empty at the end."""
    with contextlib.suppress(OSError):
        if isinstance(source, socket.socket):
            return source.recv(_PART)
        return os.read(source.fileno(), _PART)
    return b""


def _end(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
    assert process.stdin is not None
    try:
        with contextlib.suppress(OSError):
            process.stdin.write(b"END\r\n")
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_TO_END)
    finally:
        _kill(process)
    process.wait()
    for key in list(selector.get_map().values()):
        key.data[0].close()
    selector.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the program and its children by force."""
    if sys.platform == "win32":
        tree = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(tree, capture_output=True, check=False)
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
