"""The runner of the maintainers' programs: `python -m agents.dev NAME ...`.

A program is a module of this folder with three names:

- `DESCRIPTION`: one sentence for the help.
- `add_arguments(parser)`: adds the program's arguments.
- `run(options)`: does the work, or raises `ValueError`, `OSError` or `ImportError`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from boardenvs.cli import OneLineParser, run_program

__all__ = ["PROGRAMS", "main"]

_NAMES = (
    "grading",
    "make_ladder",
    "only_moves",
    "openings",
    "quantise",
    "values.dominoes175_optimum",
    "values.game112_values",
    "values.gekitai_check_bound",
    "values.gekitai_check_strategy",
    "values.gekitai_proof",
    "values.gekitai_random",
    "values.gekitai_strategy",
    "values.goat_race_values",
    "values.gomoku_first_moves",
    "values.gomoku_proof",
)
PROGRAMS = {
    name.rpartition(".")[2]: importlib.import_module(f"agents.dev.{name}") for name in _NAMES
}
"""Modules of the programs, by name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named program, or list all programs if no name is given.

    Args:
        arguments: arguments after `python -m agents.dev`; by default those of the process.

    Returns:
        The exit status: 0, 2 after an error, 130 after Ctrl-C.
    """
    parser = OneLineParser(
        prog="python -m agents.dev",
        description="Programs for maintainers that make and check shipped files.",
    )
    names = parser.add_subparsers(title="programs", metavar="NAME")
    for name, program in PROGRAMS.items():
        one = names.add_parser(name, help=program.DESCRIPTION, description=program.DESCRIPTION)
        program.add_arguments(one)
        one.set_defaults(run=program.run)
    options = parser.parse_args(arguments)
    if "run" not in options:
        parser.print_help()
        return 0
    try:
        return run_program(lambda: options.run(options))
    except (ValueError, ImportError) as error:
        parser.error(" ".join(str(error).split()))


if __name__ == "__main__":
    sys.exit(main())
