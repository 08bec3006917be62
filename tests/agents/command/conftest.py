"""The command, run in this process or as it was installed."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agents.command import main


@pytest.fixture
def command(capsys):
    """The function that runs the command in this process: status, output, errors.

    The lines of progress are among the errors only where they are asked for.
    """

    def run(*arguments, progress=False):
        capsys.readouterr()
        status = main([str(a) for a in arguments])
        said = capsys.readouterr()
        err = said.err if progress else re.sub(r"(?m)^.*: \d+% \(.*\)\n", "", said.err)
        return status, said.out, err

    return run


@pytest.fixture
def fails(command):
    """The function that expects one line on standard error and status 2."""

    def run(said, *arguments):
        status, out, err = command(*arguments)
        assert status == 2
        assert re.fullmatch(r"boardenvs( \w+)?: error: [^\n]+\n", err), err
        assert re.search(said, err), err
        return out

    return run


@pytest.fixture
def typed(monkeypatch):
    """The function that sets what a person types."""

    def type_in(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


@pytest.fixture
def script():
    """The installed command."""
    return Path(sys.executable).with_name("boardenvs")


@pytest.fixture
def installed(script):
    """The function that runs the installed command in a process of its own."""

    def run(*arguments, **options):
        return subprocess.run(
            [script, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )

    return run
