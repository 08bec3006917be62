"""Common behaviour of all console programs, `python -m boardenvs.GAME`."""

from __future__ import annotations

import builtins
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from keyboards import interrupted
from two_games import on_two_games


@pytest.fixture
def main(name):
    return importlib.import_module(f"boardenvs.{name}.__main__").main


@pytest.fixture
def first_prompt(main, monkeypatch, capsys):
    """Return a program's first prompt; the program is interrupted there by a simulated Ctrl-C."""
    asked = []

    def stopped(prompt):
        asked.append(prompt)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(builtins, "input", stopped)
        assert main([]) == 130
    assert capsys.readouterr().out.endswith("\nInterrupted.\n")
    assert asked[0].strip()
    return asked[0]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@on_two_games
def test_interrupt_ends_the_program(name, first_prompt):
    left = interrupted(f"boardenvs.{name}", [], first_prompt)
    assert left == (b"\nInterrupted.\n", b"", 130)


@pytest.mark.parametrize("argv", [["--nonsense"], ["1", "2", "3"]])
def test_bad_arguments_are_refused_in_one_line(name, main, argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith(f"python -m boardenvs.{name}: error: ")
    assert argv[-1] in err


# -- Unusual streams -----------------------------------------------------------------------


def in_shell(line, **environment):
    """Run a shell command; return its standard output, standard error and status."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHON": sys.executable, **environment},
    )
    return done.stdout.decode(), done.stderr.decode(), done.returncode


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@on_two_games
def test_invalid_text_is_a_wrong_answer(name, first_prompt):
    line = f"printf '\\xff\\xfe\\n\\xc3\\n' | $PYTHON -m boardenvs.{name}"
    out, err, status = in_shell(line, PYTHONIOENCODING="utf-8:strict")
    assert (err, status) == ("", 0)
    assert out.count(first_prompt) == 3  # two answers and the end of input
    assert out.splitlines()[-1].startswith("End of input")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@on_two_games
def test_closed_input_counts_as_the_end(name):
    out, err, status = in_shell(f"$PYTHON -m boardenvs.{name} <&-")
    assert (err, status) == ("", 0)
    assert out.splitlines()[-1].startswith("End of input")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@on_two_games
def test_closed_output_is_not_an_error(name):
    assert in_shell(f"$PYTHON -m boardenvs.{name} < /dev/null >&-") == ("", "", 0)


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@on_two_games
def test_a_closed_pipe_ends_the_program_quietly(name):
    line = f"yes nonsense | head -20000 | $PYTHON -m boardenvs.{name} | head -1"
    out, err, status = in_shell(line)
    assert err == ""
    assert out.count("\n") <= 1
    assert status in (0, 141)  # 141 is SIGPIPE, because the reader of the pipe has exited


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@on_two_games
def test_unwritable_output_is_reported_in_one_line(name):
    out, err, status = in_shell(f"$PYTHON -m boardenvs.{name} < /dev/null > /dev/full")
    assert (out, status) == ("", 2)
    assert err.startswith("error: ")
    assert err.count("\n") == 1
