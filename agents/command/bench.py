"""The subcommand `boardenvs bench`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from agents.command.common.extras import require_extra
from agents.command.common.parser import Commands
from boardenvs.core.checks import shown
from boardenvs.files import check_place, write_atomically
from boardenvs.kernels.interpreting import compile_first

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand `bench`."""
    bench = commands.add(
        "bench",
        _run,
        "compare speed with upper bounds and other packages (about nine minutes)",
        ['"cold loops"', "--json figures.json --plot figures.png"],
        games=(),
    )
    bench.add_argument(
        "measures",
        nargs="*",
        metavar="MEASURE",
        help='names of measures, such as "tree search"; default: all but "cold loops" and "time to '
        'strength", which take half an hour and longer',
    )
    bench.add_argument(
        "--json", type=Path, metavar="FILE", help="write the figures to FILE as JSON"
    )
    bench.add_argument("--plot", type=Path, metavar="FILE", help="plot the curves to FILE as PNG")
    bench.add_argument(
        "--quick", action="store_true", help="check that all measures run (half a minute)"
    )


def _run(options: argparse.Namespace) -> None:
    from agents import speed

    for name in options.measures:
        if name not in speed.MEASURES:
            known = ", ".join(speed.MEASURES)
            raise ValueError(f"MEASURE must be one of {known}, got {shown(name)}")
    check_place("--json", options.json, ".json")
    check_place("--plot", options.plot, ".png")
    if options.plot is not None:
        require_extra("--plot", "bench", ["matplotlib"])
    measured = speed.Bench(speed.QUICK if options.quick else speed.FULL)
    with compile_first():
        rows = speed.measure(measured, options.measures)
    print(speed.results_table(rows), end="\n\n")
    print("".join(f"{line}\n" for line in [*measured.missing, speed.describe_machine()]), end="")
    if options.json is not None:
        text = json.dumps(speed.rows_as_json(rows), indent=2) + "\n"
        write_atomically(options.json, text.encode())
    if options.plot is not None:
        from agents.speed.plot import draw

        machine = " - ".join(speed.describe_machine().splitlines())
        write_atomically(options.plot, draw(rows, machine))
