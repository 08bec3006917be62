"""`python -m boardenvs.gomoku`: two people at one keyboard, or one against the computer."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from boardenvs.cli import program_parser, run_program
from boardenvs.gomoku.console import play_game


def main(argv: Sequence[str] | None = None) -> int:
    """Run the menu on standard input and output, and return the exit status."""
    program_parser(
        "gomoku", "Gomoku for two people, or one against the computer. It is played from a menu."
    ).parse_args(argv)
    return run_program(play_game)


if __name__ == "__main__":
    sys.exit(main())
