"""`python -m boardenvs.dominoes175`: one player at the keyboard, or a test from a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from boardenvs.cli import program_parser, run_program
from boardenvs.dominoes175.console import main as play


def main(argv: Sequence[str] | None = None) -> int:
    """Play one game on standard input and output, and return the exit status."""
    parser = program_parser(
        "dominoes175", "Dominoes 175 for one person. All else is asked on the screen."
    )
    parser.parse_args(argv)
    return run_program(play)


if __name__ == "__main__":
    sys.exit(main())
