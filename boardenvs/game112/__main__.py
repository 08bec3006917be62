"""`python -m boardenvs.game112 [SIZE]`: two people at one keyboard."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from boardenvs.cli import program_parser, run_program
from boardenvs.game112.console import start


def main(argv: Sequence[str] | None = None) -> int:
    """Play one game on standard input and output, and return the exit status."""
    parser = program_parser(
        "game112",
        "The 112 game for two people at one keyboard. A move is position and value, such as 4 2.",
    )
    parser.add_argument(
        "size",
        metavar="SIZE",
        nargs="?",
        type=int,
        default=9,
        choices=range(1, 10),
        help="positions of the board, 1 to 9 (default 9)",
    )
    options = parser.parse_args(argv)
    return run_program(lambda: start(options.size))


if __name__ == "__main__":
    sys.exit(main())
