"""`python -m boardenvs.GAME`: what the console programs of all games have in common."""

from __future__ import annotations

import builtins
import importlib
import os
import signal
import subprocess
import sys

import pytest

import boardenvs

FIRST_PROMPTS = {
    "gekitai": "Player X's turn: ",
    "gomoku": "Choose an option (1 to 5): ",
    "game112": "Player 1 (position value): ",
    "goat_race": "Number of players (2 to 5): ",
    "dominoes175": "\n> ",
    "pizza_order": "Select a flavor: ",
}


def test_every_game_has_its_program():
    assert list(FIRST_PROMPTS) == list(boardenvs.GAMES)


@pytest.fixture
def main(name):
    return importlib.import_module(f"boardenvs.{name}.__main__").main


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_interrupt_ends_the_program(name):
    # A test run in the background may hand on that interrupts are ignored.
    start = (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"runpy.run_module('boardenvs.{name}', run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        printed = b""
        while not printed.endswith(FIRST_PROMPTS[name].encode()):
            byte = process.stdout.read(1)
            assert byte, printed
            printed += byte
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == (b"\nInterrupted.\n", b"", 130)


def test_interrupt_while_reading(main, monkeypatch, capsys):
    def interrupted(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", interrupted)
    assert main([]) == 130
    assert capsys.readouterr().out.endswith("\nInterrupted.\n")


@pytest.mark.parametrize("argv", [["--nonsense"], ["1", "2", "3"]])
def test_bad_arguments_are_one_line(main, argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert err.count("\n") == 1
    assert argv[-1] in err
