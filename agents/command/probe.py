"""`boardenvs probe`: runs a learner of your own on the probe games."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from agents.command.common.parser import Commands
from boardenvs.core.checks import counted
from boardenvs.files import check_place, write_atomically

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Add the subcommand."""
    probe = commands.add(
        "probe",
        _run,
        "check a learner of your own on tiny games that each isolate one mistake",
        [
            "my_learner:train",
            "my_learner:train --probes probe_reply --seconds 5 --json probes.json",
        ],
        games=(),
    )
    probe.add_argument(
        "learner",
        metavar="MODULE:FUNCTION",
        help="FUNCTION(game, seed, seconds) learns the game and returns a policy, see "
        "agents.check_learner",
    )
    probe.add_argument(
        "--probes", nargs="+", metavar="PROBE", help="names of probe games; default: all"
    )
    probe.add_argument(
        "--seeds", type=int, default=3, metavar="N", help="trainings of each probe; default: 3"
    )
    probe.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="time of each training; default: 60",
    )
    probe.add_argument("--json", type=Path, metavar="FILE", help="also write the report to FILE")


def _run(options: argparse.Namespace) -> int:
    from agents.agent import one_line
    from agents.checking.check import check_learner, longest_time
    from agents.naming.user_code import import_object
    from boardenvs.probes import PROBES

    check_place("--json", options.json, ".json")
    module, colon, function = options.learner.partition(":")
    if not (module and colon and function):
        raise ValueError(f"learner must be MODULE:FUNCTION, got {options.learner!r}")
    try:
        train = import_object(module, function)
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"learner {options.learner!r} cannot be imported: {one_line(error)}"
        ) from error
    probes = options.probes and ",".join(options.probes).split(",")
    number, seeds, seconds = len(probes or PROBES), options.seeds, options.seconds
    if seeds > 0 and seconds >= 0:
        least, most = number * seeds * seconds, longest_time(number, seeds, seconds)
        print(
            f"{counted(number, 'probe')}, {counted(seeds, 'seed')}, {seconds:g} s each: "
            f"{least / 60:.1f} minutes if all are right, at most {most / 60:.1f}",
            file=sys.stderr,
        )
    report = check_learner(train, probes=probes, seeds=seeds, seconds=seconds, progress=True)
    print(report)
    if options.json is not None:
        data = {**report.to_dict(), "learner": options.learner, "command": options.command_line}
        write_atomically(options.json, f"{json.dumps(data, indent=2)}\n".encode())
    return 0 if report.passed else 1
