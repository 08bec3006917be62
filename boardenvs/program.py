"""What the console programs share: arguments with one-line errors, and a clean way out."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable

__all__ = ["program_parser", "run_program", "widen_output"]


def program_parser(game: str, description: str) -> argparse.ArgumentParser:
    """A parser for `python -m boardenvs.<game>`; without a usage line an error is one line."""
    return argparse.ArgumentParser(
        prog=f"python -m boardenvs.{game}", usage=argparse.SUPPRESS, description=description
    )


def widen_output() -> None:
    """Have standard output take every character a board may hold, whatever the locale.

    Where its encoding lacks some, it becomes UTF-8.
    """
    try:
        "●○".encode(sys.stdout.encoding or "utf-8")  # a buffer in memory has no encoding
    except UnicodeEncodeError:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")


def run_program(play: Callable[[], None]) -> int:
    """Play at the keyboard; the end of input or Ctrl-C ends it with a short message.

    Returns:
        The exit status: 0, or 130 after Ctrl-C.
    """
    widen_output()
    try:
        play()
    except EOFError:
        print("\nEnd of input, the game is unfinished.")
    except KeyboardInterrupt:
        print("\nInterrupted.")
        return 130
    return 0
