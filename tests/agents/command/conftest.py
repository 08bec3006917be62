"""The command, run in this process or as installed."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agents.command import main


@pytest.fixture
def command(capsys):
    """Return the function that runs the command in this process: status, output, errors.

    Lines of progress are removed from the errors unless `progress=True`.
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
    """Return the function that expects status 2 and one line on standard error."""

    def run(said, *arguments):
        status, out, err = command(*arguments)
        assert status == 2
        assert re.fullmatch(r"boardenvs( \w+)?: error: [^\n]+\n", err), err
        assert re.search(said, err), err
        return out

    return run


@pytest.fixture
def typed(monkeypatch):
    """Return the function that sets the lines that a person types."""

    def type_in(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


@pytest.fixture
def script():
    """Return the path of the installed command."""
    return Path(sys.executable).with_name("boardenvs")


@pytest.fixture
def installed(script):
    """Return the function that runs the installed command in its own process."""

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
