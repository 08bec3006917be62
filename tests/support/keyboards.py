"""A person at the keyboard, for tests of programs that ask by `input`."""

import os
import signal
import subprocess
import sys

CELLS = [f"{column}{row}" for row in range(1, 7) for column in "ABCDEF"]
"""Of Gekitai, for somebody who types all until one is legal."""


def answering(lines):
    """A stand-in for `input` that answers with the given lines and echoes them, as a terminal does.

    After the last one the input ends.
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
    """What a program, run as a module, leaves when Ctrl-C meets it at its first prompt.

    Returns:
        What it prints after the prompt and on standard error, as bytes, and its exit status.
    """
    # A test run in the background may hand on that interrupts are ignored.
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
    """What a program shows at a terminal of its own, where lines are typed at its prompts.

    Args:
        arguments: the program, and what it is told.
        typed: texts or bytes, one at each prompt; after the last one Ctrl-D. A key that nothing
            comes of is pressed again: Python loses what comes just before it waits for a line.
            Ctrl-C interrupts, whether or not the tests ignore it, as in the background.
        prompt: how what it shows ends when it waits.
        columns: of the window.
        **environment: what it finds there beside what there is; `None` for nothing.

    Returns:
        What it shows, with what was typed, and its exit status.
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
    # The leader of a session gets the terminal that it opens, which sends Ctrl-C there.
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
