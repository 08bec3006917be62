"""The runner of the maintainers' programs: `python -m agents.dev NAME ...`.

A program is a module of this folder, or of the folder `programs` of a game, with three names:

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

_OF_GAMES = {
    "dominoes175": ["optimum"],
    "gekitai": ["check_strategy", "proof", "strategy"],
    "gomoku": ["proof"],
}
_PLACES = {
    **{
        f"{game}_{name}": f"agents.games.{game}.programs.{name}"
        for game, names in _OF_GAMES.items()
        for name in names
    },
    **{
        name: f"agents.dev.{name}"
        for name in ("grading", "make_ladder", "only_moves", "openings", "quantise")
    },
}
PROGRAMS = {name: importlib.import_module(place) for name, place in _PLACES.items()}
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
