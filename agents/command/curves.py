"""`boardenvs curves`: learning curves of the baseline learners and of your own runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.command.common.extras import TRAINING, require_extra
from agents.command.common.parser import Commands
from agents.report.table import Table
from boardenvs.core.checks import counted
from boardenvs.files import check_place, write_atomically

if TYPE_CHECKING:  # help comes at once
    from agents.curves.curve import Curve

__all__ = ["add"]

_SEEDS = "0,1,2"


def add(commands: Commands) -> None:
    """Add the subcommand."""
    curves = commands.add(
        "curves",
        _run,
        "show the learning curves of baseline learners, or learn them again",
        ["gekitai --out gekitai.svg", "gekitai --own mine=mine.csv --out gekitai.svg"],
        games=(),
    )
    curves.add_argument(
        "task",
        nargs="?",
        metavar="TASK",
        help="task of the benchmark; default: the mean over all tasks with curves",
    )
    curves.add_argument("--suite", default="v1", metavar="NAME", help="suite of tasks; default: v1")
    curves.add_argument(
        "--own",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="your own run, a CSV file or a TensorBoard log; may be repeated",
    )
    curves.add_argument(
        "--out", type=Path, metavar="FILE", help="draw the curves as .svg, .png or .pdf"
    )
    curves.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="read the curves from FILE, or with --learn write them to it",
    )
    curves.add_argument(
        "--learn", metavar="LEARNER", help="learner to run: ppo, ppo-pool or self-play"
    )
    curves.add_argument(
        "--seeds",
        metavar="SEED,...",
        help=f"seeds for --learn, without those in --json; default: {_SEEDS}",
    )
    curves.add_argument(
        "--minutes",
        type=float,
        metavar="MINUTES",
        help="minutes of one core for each seed of --learn; default: 10",
    )


def _run(options: argparse.Namespace) -> None:
    from agents.curves.curve import read_curves, reference_curves

    check_place("--out", options.out)
    check_place("--json", options.json, ".json")
    kind = "" if options.out is None else options.out.suffix.lower().removeprefix(".")
    if options.out is not None:
        if kind not in ("svg", "png", "pdf"):
            raise ValueError(f"--out must end in .svg, .png or .pdf, got {options.out}")
        require_extra("--out", "train", ["matplotlib"])
    if options.learn is not None:
        _learn(options)
    elif options.seeds is not None or options.minutes is not None:
        raise ValueError("--seeds and --minutes require --learn")
    tasks = _tasks(options)
    curves: dict[str, Sequence[Curve]] = {}
    for task in tasks:
        if options.json is None:
            curves[task] = reference_curves(task, options.suite)
        else:
            curves[task] = read_curves(options.json)
            if any((one.suite, one.task) != (options.suite, task) for one in curves[task]):
                raise ValueError(
                    f"--json must have curves of {task}, got another task in {options.json}"
                )
    own = [_own(text, tasks, options.suite) for text in options.own]
    print(_table(curves, own))
    if options.out is not None:
        from agents.curves.drawing import draw_curves
        from agents.curves.joining import comparable

        drawn = curves if len(curves) == 1 else comparable(curves)
        write_atomically(options.out, draw_curves(drawn, own, kind))


def _tasks(options: argparse.Namespace) -> list[str]:
    """Return the tasks to show."""
    from agents.benchmark.ladder import read_ladder
    from agents.benchmark.tasks import suite
    from agents.curves.curve import reference_path

    known = suite(options.suite)
    if options.task is not None:
        read_ladder(options.suite, options.task)
        return [options.task]
    for what in ("own", "json"):
        if getattr(options, what):
            raise ValueError(f"--{what} requires TASK, one of {', '.join(known)}")
    found = [task for task in known if reference_path(options.suite, task).is_file()]
    if not found:
        raise ValueError(f"--suite must have curves, got {options.suite}")
    return found


def _learn(options: argparse.Namespace) -> None:
    """Learn the missing curves, and keep each one when it is complete."""
    if options.task is None or options.json is None:
        raise ValueError("--learn requires TASK and --json FILE")
    require_extra("--learn", "train", TRAINING)
    from agents.curves.curve import Point, read_curves, write_curves
    from agents.curves.learning import learn
    from boardenvs.core.checks import finite_number

    seeds = _seeds(options.seeds)
    minutes = finite_number("--minutes", 10.0 if options.minutes is None else options.minutes, 0)

    def kept() -> list[Curve]:
        found = read_curves(options.json) if options.json.exists() else []
        if any((one.suite, one.task) != (options.suite, options.task) for one in found):
            raise ValueError(
                f"--json must have curves of {options.task}, got another task in {options.json}"
            )
        return found

    def show(curve: Curve, point: Point) -> None:
        print(
            f"{curve.task} {curve.learner} {curve.seed}: {counted(point.decisions, 'decision')}, "
            f"{point.seconds / 60:.1f} minutes, {point.value:.4g} "
            f"({point.low:.4g} to {point.high:.4g})",
            file=sys.stderr,
        )

    for seed in seeds:
        if any((one.learner, one.seed) == (options.learn, seed) for one in kept()):
            continue
        curve = learn(options.learn, options.task, seed, minutes, options.suite, show)
        # Another command may have added curves meanwhile.
        write_curves(options.json, [*kept(), curve])


def _seeds(text: str | None) -> list[int]:
    words = (_SEEDS if text is None else text).split(",")
    if not all(word.isdecimal() and word.isascii() for word in words):
        raise ValueError(f"--seeds must be whole numbers separated by commas, got {text}")
    return [int(word) for word in words]


def _own(text: str, tasks: Sequence[str], suite: str) -> Curve:
    from agents.curves.run_files import read_run

    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ValueError(f"--own must be NAME=FILE, got {text}")
    if Path(path).suffix.lower() != ".csv":
        require_extra("--own of TensorBoard's files", "train", ["tensorboard"])
    return read_run(path, tasks[0], name, suite)


def _table(curves: Mapping[str, Sequence[Curve]], own: Sequence[Curve]) -> Table:
    """Return a table with the last point of each learner.

    The interval of several seeds is that of their mean, and that of one seed is of its rating.
    """
    from agents.curves.joining import drawable_runs, over_seeds
    from agents.report.formats import interval_text, score_text

    rows = []
    for task, some in curves.items():
        runs = [*some, *own]
        for learner in dict.fromkeys(one.learner for one in runs):
            mine = drawable_runs(learner, runs)
            if not mine:
                continue
            band = over_seeds(mine, "decisions")
            low, high = float(band.low[-1]), float(band.high[-1])
            if len(mine) == 1:
                last, ladder = mine[0].points[-1], mine[0].ladder
                low, high = ladder.score(last.low), ladder.score(last.high)
            minutes = max(one.points[-1].seconds for one in mine) / 60
            rows.append(
                (
                    task,
                    learner,
                    str(len(mine)),
                    f"{band.x[-1]:,.0f}",
                    f"{minutes:.1f}" if minutes else "",
                    score_text(band.mean[-1]),
                    interval_text(low, high) if low < high else "",
                )
            )
    head = ("task", "learner", "seeds", "decisions", "minutes", "score", "95% interval")
    return Table(head, rows, left=(0, 1))
