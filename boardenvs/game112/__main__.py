"""`python -m boardenvs.game112 [SIZE]`: two people at one keyboard."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from boardenvs.game112.console import start


def main(argv: Sequence[str] | None = None) -> int:
    """Play one game on standard input and output; returns the exit status."""
    # Without a usage line an error is one line.
    parser = argparse.ArgumentParser(
        prog="python -m boardenvs.game112",
        usage=argparse.SUPPRESS,
        description="The 112 game for two people at one keyboard. A move is a position and a "
        "value such as 4 2.",
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
    try:
        start(options.size)
    except EOFError:
        print("\nEnd of input, the game is unfinished.")
    except KeyboardInterrupt:
        print("\nInterrupted.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
