"""A person at the keyboard, for tests of programs that ask by `input`."""

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
