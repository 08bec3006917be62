"""The table of libraries on the page "Is my learner right?", a row for each learner.

Run `python -m agents.checking.learners --json table.json` in each environment that has some of the
libraries. A row is measured once: its result is in the file.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import pkgutil
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from agents.checking import learners
from agents.checking.check import check_learner
from agents.checking.learners import Learner
from boardenvs.files import write_atomically

__all__ = ["learners_of_all_modules", "main"]

_HEAD = """\
| learner | function | seconds | probes | wrong | not learned in the time | mends it | minutes |
|---|---|---:|---:|---|---|---|---:|"""


def learners_of_all_modules() -> Iterator[Learner]:
    """Return the rows of all modules."""
    for module in pkgutil.iter_modules(learners.__path__):
        if module.name != "__main__":
            yield from getattr(
                importlib.import_module(f"{learners.__name__}.{module.name}"), "LEARNERS", ()
            )


def _version(library: str) -> str | None:
    """Return the version of a library, or `None` if it is not installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def _measured(learner: Learner, version: str | None, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the report of a learner as JSON values."""
    start = time.perf_counter()
    report = check_learner(learner.train, progress=True, **settings)
    minutes = (time.perf_counter() - start) / 60
    return {**report.to_dict(), "version": version, "minutes": minutes}


def _row(learner: Learner, found: dict[str, Any]) -> str:
    """Return the row of a learner in Markdown."""
    probes = found["probes"]
    wrong = [
        f"`{one['probe']}`: {(one['causes'] or ['no known cause'])[0]}"
        for one in probes
        if one["verdict"] == "wrong"
    ]
    slow = [f"`{one['probe']}`" for one in probes if one["verdict"] == "not learned in the time"]
    cells = (
        f"{learner.about}, {learner.library} {found['version']}",
        f"`{learner.name}`",
        f"{found['seconds']:g}",
        f"{len(probes)}",
        "; ".join(wrong) or "none",
        ", ".join(slow) or "none",
        learner.mends,
        f"{found['minutes']:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the rows, and return the exit status: 1 if a learner fails to train."""
    parser = argparse.ArgumentParser(prog="python -m agents.checking.learners", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="functions or modules of rows")
    parser.add_argument("--probes", nargs="+", metavar="PROBE", help="probe games; default: all")
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each probe; default: 3")
    parser.add_argument("--seconds", type=float, help="time of each training; default: the row's")
    parser.add_argument("--json", type=Path, help="file that keeps the reports of finished rows")
    options = parser.parse_args(arguments)
    logging.getLogger("tianshou").setLevel(logging.ERROR)
    file: Path | None = options.json
    kept = json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else {}
    status = 0
    print(_HEAD, flush=True)
    for learner in learners_of_all_modules():
        name = learner.name
        if options.only and not {name, name.partition(":")[0]} & set(options.only):
            continue
        version = _version(learner.library)
        if name not in kept and version is None:
            print(f"{name}: {learner.library} is not installed", file=sys.stderr)
            continue
        if name not in kept:
            try:
                seconds = options.seconds or learner.seconds
                settings = {"probes": options.probes, "seeds": options.seeds, "seconds": seconds}
                kept[name] = _measured(learner, version, settings)
            except ValueError as error:
                print(f"{name}: {error}", file=sys.stderr)
                status = 1
                continue
            if file:
                write_atomically(file, f"{json.dumps(kept, indent=2)}\n".encode())
        print(_row(learner, kept[name]), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
