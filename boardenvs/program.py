"""What the console programs share: arguments with one-line errors, and a clean way out."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

__all__ = ["drop_output", "prepare_streams", "program_parser", "run_program"]


def program_parser(game: str, description: str) -> argparse.ArgumentParser:
    """A parser for `python -m boardenvs.<game>`; without a usage line an error is one line."""
    return argparse.ArgumentParser(
        prog=f"python -m boardenvs.{game}", usage=argparse.SUPPRESS, description=description
    )


def prepare_streams() -> None:
    """Have standard input and output take whatever is typed and printed, whatever the locale.

    Input that is no text arrives as replacement characters. Output whose encoding lacks a
    character that boards are drawn with becomes UTF-8. A stream that was closed before the
    program began is empty, or forgets what is printed.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 stays open
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 as well
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        "●○".encode(sys.stdout.encoding or "utf-8")  # a buffer in memory has no encoding
    except UnicodeEncodeError:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")


def drop_output() -> None:
    """Forget what is still to be printed: nobody reads it, or it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_program(play: Callable[[], None]) -> int:
    """Play at the keyboard; the end of input or Ctrl-C ends it with a short message.

    Returns:
        The exit status: 0, also if the reader of the output (`head`, say) has gone, 130
        after Ctrl-C, 2 if the output cannot be written.
    """
    prepare_streams()
    try:
        status = _played(play)
        sys.stdout.flush()
    except OSError as error:
        drop_output()
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"error: {error}", file=sys.stderr)
        return 2
    return status


def _played(play: Callable[[], None]) -> int:
    try:
        play()
    except EOFError:
        print("\nEnd of input, the game is unfinished.")
    except KeyboardInterrupt:
        print("\nInterrupted.")
        return 130
    return 0
