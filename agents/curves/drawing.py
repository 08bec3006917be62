"""Pictures of learning curves. Requires Matplotlib."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence

import numpy as np

from agents.curves.curve import Curve
from agents.curves.joining import AXES, Axis, along, drawable, drawable_runs, over_seeds, over_tasks
from agents.report.line_chart import Line, Panel, draw_lines

__all__ = ["draw_curves"]

_LABELS = {"decisions": "decisions learned from", "minutes": "minutes of one core"}


def draw_curves(
    curves: Mapping[str, Sequence[Curve]], own: Sequence[Curve] = (), kind: str = "svg"
) -> bytes:
    """Draw scores over decisions and over time, of one task or averaged over several.

    For one task, draw the mean over seeds with Student's 95% interval, and each seed as a thin
    line. A learner with one seed has a marker and the 95% interval of each rating. For several
    tasks, draw the interquartile mean with its bootstrap interval. Each learner then needs a curve
    of each task.

    Args:
        curves: reference curves of each task, as `reference_curves` returns them.
        own: your own runs on the only task. Runs of the same name count as seeds of one learner.
        kind: `svg`, `png`, or another format of Matplotlib.

    Returns:
        The picture's bytes.

    Raises:
        ValueError: there are no curves, own runs have another task, or a learner lacks a curve of
            a task.

    Example:
        >>> from agents.curves import Curve, Point, draw_curves
        >>> points = [Point(1, 1.0, 0, -50, 50, 200), Point(99, 2.0, 300, 250, 350, 200)]
        >>> mine = Curve("mine", "gekitai", points=points)
        >>> draw_curves({"gekitai": []}, [mine])[:5]
        b'<?xml'
    """
    if any(run.task not in curves or len(curves) > 1 for run in own):
        raise ValueError(
            f"own runs require curves of only their task, got curves of {', '.join(curves)}"
        )
    learners = list(dict.fromkeys(one.learner for some in curves.values() for one in some))
    learners += [name for name in dict.fromkeys(run.learner for run in own) if name not in learners]
    if not learners:
        raise ValueError(f"there are no curves of {', '.join(curves)} yet")
    of: dict[str, dict[str, list[Curve]]] = {
        learner: {task: drawable_runs(learner, [*some, *own]) for task, some in curves.items()}
        for learner in learners
    }
    for learner, tasks in of.items():
        missing = [task for task, some in tasks.items() if not some]
        if missing:
            raise ValueError(f"{learner} has no curve of {', '.join(missing)}")
    names = ", ".join(curves)
    return draw_lines(
        [
            Panel(
                _LABELS[axis],
                [line for name in learners for line in _line(axis, name, of[name])],
                log_x=axis == "decisions",
            )
            for axis in AXES
        ],
        names if len(curves) == 1 else f"interquartile mean over {names}",
        "score: 0 random, 1 strongest",
        y_limits=(-0.25, 1.1),
        levels=[0, 1],
        kind=kind,
        description=fingerprint(curves, own),
    )


def fingerprint(curves: Mapping[str, Sequence[Curve]], own: Sequence[Curve] = ()) -> str:
    """Return the SHA-256 of a picture's data, which the picture has as its description."""
    descriptions = [one.to_dict() for one in (*itertools.chain(*curves.values()), *own)]
    points = [(one["learner"], one["seed"], one["points"]) for one in descriptions]
    return hashlib.sha256(json.dumps(points).encode()).hexdigest()


def _line(axis: Axis, learner: str, tasks: Mapping[str, Sequence[Curve]]) -> list[Line]:
    """Return a learner's line, or an empty list if a run has no values on the axis."""
    if not all(drawable(one, axis) for some in tasks.values() for one in some):
        return []
    if len(tasks) > 1:
        band = over_tasks(tasks, axis, np.random.default_rng(0))
        return [Line(learner, band.x, band.mean, (band.low, band.high))]
    (runs,) = tasks.values()
    if len(runs) == 1:
        (run,) = runs
        low, high = (
            [run.ladder.score(getattr(one, end)) for one in run.points] for end in ("low", "high")
        )
        return [Line(learner, along(run, axis), run.scores(), (low, high), markers=True)]
    band = over_seeds(runs, axis)
    beside = [(along(run, axis), run.scores()) for run in runs]
    return [Line(learner, band.x, band.mean, (band.low, band.high), beside)]
