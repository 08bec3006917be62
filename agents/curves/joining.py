"""Curves of several seeds as one with its interval, and of several tasks as their mean."""

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
    """The lower end of the 95% interval; NaN where one run says nothing of it."""
    high: Array


def over_seeds(curves: Sequence[Curve], axis: Axis) -> Band:
    """The mean score of runs of one learner on one task, with Student's interval.

    Args:
        curves: with different seeds.
        axis: over the learner's decisions, or the minutes of one core.
    """
    x = _grid(curves, axis)
    scores = _scores(curves, axis, x)
    low, high = mean_interval(scores, axis=0)
    return Band(x, scores.mean(0), low, high)


def comparable(curves: Mapping[str, Sequence[Curve]]) -> dict[str, Sequence[Curve]]:
    """The tasks of which every learner has curves: means over other ones do not compare.

    Raises:
        ValueError: there is no such task.
    """
    learners = {task: {one.learner for one in some} for task, some in curves.items()}
    everyone = set().union(*learners.values())
    found = {task: some for task, some in curves.items() if learners[task] == everyone}
    if not found:
        raise ValueError("no task has curves of every learner; name a task")
    return found


def over_tasks(curves: Mapping[str, Sequence[Curve]], axis: Axis, rng: np.random.Generator) -> Band:
    """The interquartile mean of all runs of one learner, with an interval by the bootstrap.

    Runs are drawn anew within each task, not the tasks themselves. Source: R. Agarwal and others,
    "Deep reinforcement learning at the edge of the statistical precipice", NeurIPS 2021.

    Args:
        curves: of each task.
        axis: as for `over_seeds`.
        rng: of the draws.
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
    """Where all runs have points before and after; even steps of the axis as it is drawn.

    All steps are one place where runs of one point each are all there is.
    """
    logarithmic = axis == "decisions"
    places = [[x for x in _along(one, axis) if x > 0 or not logarithmic] for one in curves]
    first = max(some[0] for some in places)
    last = max(first, min(some[-1] for some in places))
    return np.geomspace(first, last, _STEPS) if logarithmic else np.linspace(first, last, _STEPS)


def _scores(curves: Sequence[Curve], axis: Axis, x: Array) -> Array:
    """Scores between the points, shape (number of curves, G)."""

    def shown(values: npt.ArrayLike) -> Array:
        place = np.asarray(values, np.float64)
        return np.log1p(place) if axis == "decisions" else place

    found = [np.interp(shown(x), shown(_along(one, axis)), one.scores()) for one in curves]
    return np.array(found)


def _along(curve: Curve, axis: Axis) -> list[float]:
    if axis == "minutes":
        return [point.seconds / 60 for point in curve.points]
    return [float(point.decisions) for point in curve.points]


def drawable(curve: Curve, axis: Axis) -> bool:
    """Whether a curve says anything along an axis; one of the user's own may have no times."""
    return any(x > 0 and math.isfinite(x) for x in _along(curve, axis))


def drawable_runs(learner: str, curves: Sequence[Curve]) -> list[Curve]:
    """Those of one learner that say anything of its decisions."""
    return [one for one in curves if one.learner == learner and drawable(one, "decisions")]
