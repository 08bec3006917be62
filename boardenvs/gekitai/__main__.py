"""`python -m boardenvs.gekitai`: two people at one keyboard."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from boardenvs.cli import program_parser, run_program
from boardenvs.gekitai.console import Gekitai


def main(argv: Sequence[str] | None = None) -> int:
    """Play one game on standard input and output, and return the exit status."""
    parser = program_parser(
        "gekitai", "Gekitai for two people at one keyboard. A move is an address such as B2."
    )
    parser.add_argument("-N", type=int, default=6, help="rows and columns, 6 to 8 (default 6)")
    parser.add_argument("-P", type=int, default=8, help="pieces a player, 6 to 12 (default 8)")
    parser.add_argument("-L", type=int, default=3, help="pieces in a line, at least 3 (default 3)")
    options = parser.parse_args(argv)
    try:
        game = Gekitai(options.N, options.P, options.L)
    except (AssertionError, ValueError) as error:  # `python -O` skips the assertions
        parser.error(str(error))
    return run_program(game.start)


if __name__ == "__main__":
    sys.exit(main())
