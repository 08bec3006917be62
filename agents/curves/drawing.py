"""Learning curves as a picture. Needs Matplotlib."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from agents.curves.curve import Curve
from agents.curves.joining import (
    AXES,
    Axis,
    Band,
    drawable,
    drawable_runs,
    over_seeds,
    over_tasks,
)

__all__ = ["draw_curves"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_LINES = ("-", "--", "-.", ":")
_LABELS = {"decisions": "decisions learned from", "minutes": "minutes of one core"}


def draw_curves(
    curves: Mapping[str, Sequence[Curve]], own: Sequence[Curve] = (), kind: str = "svg"
) -> bytes:
    """Draw scores over decisions and over time: of one task, or the mean over several.

    Of one task: the mean over seeds with Student's 95% interval, each seed a thin line. Of several,
    where each learner needs a curve of each task: the interquartile mean with its interval by the
    bootstrap.

    Args:
        curves: the reference curves of each task, as `reference_curves` gives them.
        own: runs of one's own on the only task, to be drawn beside them, those of one name as
            seeds of one learner.
        kind: `svg`, `png`, or what else Matplotlib writes.

    Returns:
        The picture's bytes.

    Raises:
        ValueError: there is nothing to draw, own runs are of another task, or a learner lacks a
            task that another one has.

    Example:
        >>> from agents.curves import Curve, Point, draw_curves
        >>> points = [Point(1, 1.0, 0, -50, 50, 200), Point(99, 2.0, 300, 250, 350, 200)]
        >>> mine = Curve("mine", "gekitai", points=points)
        >>> draw_curves({"gekitai": []}, [mine])[:5]
        b'<?xml'
    """
    if any(run.task not in curves or len(curves) > 1 for run in own):
        raise ValueError(
            f"own runs are drawn beside curves of their task alone: {', '.join(curves)}"
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
    # The same picture each time.
    with mpl.rc_context({"svg.hashsalt": "boardenvs", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 3.8), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axis, panel in zip(AXES, panels, strict=True):
            for number, learner in enumerate(learners):
                look = {
                    "color": _COLOURS[number % len(_COLOURS)],
                    "linestyle": _LINES[number % len(_LINES)],
                }
                _draw(panel, axis, learner, of[learner], look)
            _label(panel, axis)
        panels[0].set_ylabel("score: 0 random, 1 strongest")
        shown = panels[0].get_legend_handles_labels()
        figure.legend(*shown, loc="outside lower center", ncols=4, frameon=False)
        names = ", ".join(curves)
        title = names if len(curves) == 1 else f"interquartile mean over {names}"
        figure.suptitle(title, fontsize=11)
        picture = io.BytesIO()
        about = {"Date": None, "Description": fingerprint(curves, own)} if kind == "svg" else None
        figure.savefig(picture, format=kind, dpi=120, metadata=about)
    return picture.getvalue()


def fingerprint(curves: Mapping[str, Sequence[Curve]], own: Sequence[Curve] = ()) -> str:
    """The SHA-256 of what a picture shows, which it tells as its description."""
    told = [one.to_dict() for one in (*itertools.chain(*curves.values()), *own)]
    points = [(one["learner"], one["seed"], one["points"]) for one in told]
    return hashlib.sha256(json.dumps(points).encode()).hexdigest()


def _draw(
    panel: Any,
    axis: Axis,
    learner: str,
    tasks: Mapping[str, Sequence[Curve]],
    look: Mapping[str, Any],
) -> None:
    """One learner's band."""
    if not all(drawable(one, axis) for some in tasks.values() for one in some):
        return
    if len(tasks) > 1:
        band = over_tasks(tasks, axis, np.random.default_rng(0))
    else:
        (runs,) = tasks.values()
        band = over_seeds(runs, axis)
        for run in runs if len(runs) > 1 else ():
            one = over_seeds([run], axis)
            panel.plot(one.x, one.mean, color=look["color"], linewidth=0.5, alpha=0.5)
    _band(panel, band, learner, look)


def _band(panel: Any, band: Band, label: str, look: Mapping[str, Any]) -> None:
    known = not np.isnan(band.low).any()
    if band.x[0] == band.x[-1]:  # of runs that were rated once: a line would not be seen
        ends = [band.mean[:1] - band.low[:1], band.high[:1] - band.mean[:1]] if known else None
        panel.errorbar(
            band.x[:1], band.mean[:1], ends, color=look["color"], fmt="o", capsize=3, label=label
        )
        return
    if known:
        panel.fill_between(
            band.x, band.low, band.high, color=look["color"], alpha=0.15, linewidth=0
        )
    panel.plot(band.x, band.mean, label=label, linewidth=1.8, **look)


def _label(panel: Any, axis: Axis) -> None:
    panel.set_xlabel(_LABELS[axis])
    if axis == "decisions":
        panel.set_xscale("log")
    panel.axhline(0, color="grey", linewidth=0.6)
    panel.axhline(1, color="grey", linewidth=0.6)
    panel.grid(alpha=0.3)
    panel.set_ylim(-0.25, 1.1)
