"""`python -m boardenvs.goat_race`: two to five people at one keyboard."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from boardenvs.cli import program_parser, run_program
from boardenvs.goat_race.console import start


def main(argv: Sequence[str] | None = None) -> int:
    """Play one game on standard input and output, and return the exit status."""
    parser = program_parser(
        "goat_race",
        "Goat Race for two to five people at one keyboard. A move is its start and end, such "
        "as C4C5; t throws the die, s skips a sideways move, q quits.",
    )
    parser.add_argument("--seed", type=int, help="seed of obstacles and dice (default: random)")
    options = parser.parse_args(argv)
    return run_program(lambda: start(seed=options.seed))


if __name__ == "__main__":
    sys.exit(main())
