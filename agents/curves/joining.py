"""Means of curves with their intervals, over several seeds or several tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from agents.analysis.intervals import interquartile_mean, mean_interval
from agents.curves.curve import Curve

__all__ = [
    "AXES",
    "Axis",
    "Band",
    "along",
    "comparable",
    "drawable",
    "drawable_runs",
    "over_seeds",
    "over_tasks",
]

Axis = Literal["decisions", "minutes"]
AXES: tuple[Axis, ...] = ("decisions", "minutes")
_STEPS = 60
_DRAWS = 2_000

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Band:
    """A mean over an axis, each array of shape (G,)."""

    x: Array
    mean: Array
    low: Array
    """Lower end of the 95% interval; NaN for a single run."""
    high: Array
    """Upper end of the 95% interval; NaN for a single run."""


def over_seeds(curves: Sequence[Curve], axis: Axis) -> Band:
    """Return the mean score of runs of one learner on one task, with Student's interval.

    Args:
        curves: curves with different seeds.
        axis: the learner's decisions, or the minutes of one core.
    """
    x = _grid(curves, axis)
    scores = _scores(curves, axis, x)
    low, high = mean_interval(scores, axis=0)
    return Band(x, scores.mean(0), low, high)


def comparable(curves: Mapping[str, Sequence[Curve]]) -> dict[str, Sequence[Curve]]:
    """Return the tasks of which every learner has curves, so that means can be compared.

    Raises:
        ValueError: no task has curves of every learner.
    """
    learners = {task: {one.learner for one in some} for task, some in curves.items()}
    everyone = set().union(*learners.values())
    found = {task: some for task, some in curves.items() if learners[task] == everyone}
    if not found:
        raise ValueError("no task has curves of every learner; name a task")
    return found


def over_tasks(curves: Mapping[str, Sequence[Curve]], axis: Axis, rng: np.random.Generator) -> Band:
    """Return the interquartile mean of all runs of one learner, with its bootstrap interval.

    The bootstrap resamples the runs within each task, not the tasks. Source: R. Agarwal and others,
    "Deep reinforcement learning at the edge of the statistical precipice", NeurIPS 2021.

    Args:
        curves: curves of each task.
        axis: as for `over_seeds`.
        rng: generator of the bootstrap.
    """
    everyone = [curve for some in curves.values() for curve in some]
    x = _grid(everyone, axis)
    scores = [_scores(some, axis, x) for some in curves.values()]
    mean = np.asarray(interquartile_mean(np.concatenate(scores), 0))
    drawn = np.empty((_DRAWS, len(x)))
    for draw in drawn:
        runs = [some[rng.integers(len(some), size=len(some))] for some in scores]
        draw[:] = interquartile_mean(np.concatenate(runs), 0)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return Band(x, mean, low, high)


def _grid(curves: Sequence[Curve], axis: Axis) -> Array:
    """Return even steps on the drawn axis, over the range that all runs cover.

    If every run has only one point, all steps are equal. A logarithmic axis has 0 before its steps.
    """
    places = [along(one, axis) for one in curves]
    first = max(some[0] for some in places)
    last = max(first, min(some[-1] for some in places))
    if axis == "minutes":
        return np.linspace(first, last, _STEPS)
    if first > 0:
        return np.geomspace(first, last, _STEPS)
    least = min(x for some in places for x in some if x > 0)
    return np.concatenate([[0.0], np.geomspace(least, last, _STEPS - 1)])


def _scores(curves: Sequence[Curve], axis: Axis, x: Array) -> Array:
    """Return the interpolated scores, shape (number of curves, G)."""

    def shown(values: npt.ArrayLike) -> Array:
        place = np.asarray(values, np.float64)
        return np.log1p(place) if axis == "decisions" else place

    found = [np.interp(shown(x), shown(along(one, axis)), one.scores()) for one in curves]
    return np.array(found)


def along(curve: Curve, axis: Axis) -> list[float]:
    """Return the place of each rating on an axis."""
    if axis == "minutes":
        return [point.seconds / 60 for point in curve.points]
    return [float(point.decisions) for point in curve.points]


def drawable(curve: Curve, axis: Axis) -> bool:
    """Return whether a curve has values on an axis; a user's own run may have no times."""
    return any(x > 0 and math.isfinite(x) for x in along(curve, axis))


def drawable_runs(learner: str, curves: Sequence[Curve]) -> list[Curve]:
    """Return the curves of one learner that have decisions."""
    return [one for one in curves if one.learner == learner and drawable(one, "decisions")]
