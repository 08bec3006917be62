"""What the console programs share: arguments with one-line errors, and a clean way out."""

from __future__ import annotations

import argparse
from collections.abc import Callable

__all__ = ["program_parser", "run_program"]


def program_parser(game: str, description: str) -> argparse.ArgumentParser:
    """A parser for `python -m boardenvs.<game>`; without a usage line an error is one line."""
    return argparse.ArgumentParser(
        prog=f"python -m boardenvs.{game}", usage=argparse.SUPPRESS, description=description
    )


def run_program(play: Callable[[], None]) -> int:
    """Play at the keyboard; the end of input or Ctrl-C ends it with a short message.

    Returns:
        The exit status: 0, or 130 after Ctrl-C.
    """
    try:
        play()
    except EOFError:
        print("\nEnd of input, the game is unfinished.")
    except KeyboardInterrupt:
        print("\nInterrupted.")
        return 130
    return 0
