"""Simulated typing, for tests of programs that call `input`."""

import code as code_module
import os
import signal
import subprocess
import sys

CELLS = [f"{column}{row}" for row in range(1, 7) for column in "ABCDEF"]
"""All cells of Gekitai, for tests that type each cell until one is legal."""


def pasted(code):
    """Return the names after a paste at Python's prompt, where a line ends each block."""
    names = {}
    console = code_module.InteractiveConsole(names)
    for line in [*code.splitlines(), ""]:
        console.push(line)
    return names


def answering(lines):
    """Return a replacement for `input` that returns the given lines and echoes them.

    After the last line it raises `EOFError`.
    """
    answers = iter(lines)

    def typed(prompt=""):
        print(prompt, end="")
        line = next(answers, None)
        if line is None:
            raise EOFError
        print(line)
        return line

    return typed


def interrupted(module, arguments, prompt):
    """Run a module as a program and press Ctrl-C at its first prompt.

    Returns:
        The bytes printed after the prompt, the bytes on standard error, and the exit status.
    """
    # Tests in the background may pass on that SIGINT is ignored.
    start = (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"runpy.run_module({module!r}, run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        printed = b""
        while not printed.endswith(prompt.encode()):
            byte = process.stdout.read(1)
            assert byte, printed
            printed += byte
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return out, err, process.returncode


def at_a_terminal(arguments, typed, prompt, columns=80, **environment):
    """Run a program at its own terminal and type lines at its prompts.

    Args:
        arguments: the program and its arguments.
        typed: texts or bytes, one for each prompt, then Ctrl-D. Bytes without effect are sent
            again,
            because Python loses a key pressed just before it waits for a line. Ctrl-C interrupts
                the
            program even if the tests ignore SIGINT, as in the background.
        prompt: end of the output when the program waits.
        columns: width of the terminal.
        **environment: additional environment variables; `None` removes one.

    Returns:
        The output, including the echoed input, and the exit status.
    """
    import fcntl
    import pty
    import select
    import struct
    import termios
    import time

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    known = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "", "COLUMNS": "", **environment}
    known = {key: value for key, value in known.items() if value is not None}
    # The terminal sends Ctrl-C to the session leader that opens it.
    own = 'tty=$1; shift; exec "$@" <> "$tty" >&0 2>&1'
    rest = iter(typed)
    seen, looked = b"", 0
    key, pressed, begun = b"", 0.0, time.monotonic()
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        started = subprocess.Popen(
            ["sh", "-c", own, "sh", os.ttyname(theirs), *map(str, arguments)],
            start_new_session=True,
            env=known,
        )
    finally:
        signal.signal(signal.SIGINT, handler)
    with started as process:
        while True:
            left = process.poll() is not None
            if not select.select([ours], [], [], 0 if left else 0.05)[0]:
                if left:
                    break
                if key and time.monotonic() > pressed + 5:
                    pressed = time.monotonic()
                    os.write(ours, key)
                if time.monotonic() > begun + 300:
                    process.kill()
                continue
            seen += os.read(ours, 1 << 16)
            if seen.endswith(prompt.encode()) and len(seen) > looked:
                looked = len(seen)
                line = next(rest, b"\x04")
                os.write(ours, line if isinstance(line, bytes) else f"{line}\n".encode())
                key, pressed = line if isinstance(line, bytes) else b"", time.monotonic()
    os.close(theirs)
    os.close(ours)
    return seen.decode(errors="replace").replace("\r\n", "\n"), process.returncode
