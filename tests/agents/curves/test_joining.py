"""Means over seeds and tasks, with their intervals."""

import numpy as np
import pytest

from agents.analysis.intervals import mean_interval
from agents.benchmark.ladder import read_ladder
from agents.curves import Curve, Point
from agents.curves.joining import over_seeds, over_tasks

TOP = read_ladder("v1", "gekitai").best


def curve(scores, seed=0, task="gekitai", decisions=None, seconds=None, width=0.0):
    """Return a curve with the given scores, and intervals of `width` to either side."""
    decisions = decisions or [10 * 4**k for k in range(len(scores))]
    seconds = seconds or [60.0 * k for k in range(len(scores))]
    ladder = read_ladder("v1", task)
    points = [
        Point(d, s, *[ladder.value_of(score + half) for half in (0, -width, width)], 1)
        for d, s, score in zip(decisions, seconds, scores, strict=True)
    ]
    return Curve("mine", task, seed, points=points)


def test_one_run_is_its_own_mean_without_an_interval():
    band = over_seeds([curve([0.1, 0.5, 0.6])], "minutes")
    assert band.x[[0, -1]].tolist() == [0, 2]
    assert band.mean[[0, -1]] == pytest.approx([0.1, 0.6])
    assert np.isnan(band.low).all()


@pytest.mark.parametrize("axis", ["decisions", "minutes"])
def test_a_run_rated_once_has_a_value_only_at_that_point(axis):
    one = curve([0.3], decisions=[50], seconds=[90.0])
    for runs in ([one], [one, curve([0.3, 0.4], 1)], [curve([0, 0.3, 0.3], 1), one]):
        band = over_seeds(runs, axis)
        assert band.x == pytest.approx(50.0 if axis == "decisions" else 1.5)
        assert band.mean == pytest.approx(0.3, abs=0.06)


def test_curves_are_linear_between_points():
    run = curve([0.0, 1.0], decisions=[99, 9999], seconds=[60, 120])
    by_time = over_seeds([run], "minutes")
    assert np.interp(1.5, by_time.x, by_time.mean) == pytest.approx(0.5, abs=0.02)
    by_decisions = over_seeds([run], "decisions")
    assert np.interp(999, by_decisions.x, by_decisions.mean) == pytest.approx(0.5, abs=0.02)


def test_runs_that_start_at_zero_are_averaged_from_zero():
    runs = [curve([0.1, 0.5], decisions=[0, 100]), curve([0.3, 0.5, 0.9], 1, decisions=[0, 50, 90])]
    band = over_seeds(runs, "decisions")
    assert band.x[[0, 1, -1]] == pytest.approx([0, 50, 90])
    assert band.mean[0] == pytest.approx(0.2)
    assert (np.diff(band.x) > 0).all()


def test_seeds_are_averaged_up_to_the_end_of_the_shortest_run():
    runs = [curve([0, 0.2, 0.4]), curve([0, 0.4], 1), curve([0, 0.6], 2)]
    band = over_seeds(runs, "minutes")
    assert band.x[-1] == 1  # the shortest run
    assert band.mean[-1] == pytest.approx(0.4)
    stats = pytest.importorskip("scipy.stats")
    low, high = stats.t.interval(0.95, 2, loc=0.4, scale=0.2 / 3**0.5)
    assert (band.low[-1], band.high[-1]) == (pytest.approx(low, 1e-4), pytest.approx(high, 1e-4))


@pytest.mark.parametrize("number", [2, 3, 5, 10, 11, 12, 30, 1000])
def test_the_interval_agrees_with_students_distribution(number):
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(number).normal(3, 2, number)
    expected = stats.t.interval(
        0.95, number - 1, loc=values.mean(), scale=values.std(ddof=1) / number**0.5
    )
    assert mean_interval(values) == (
        pytest.approx(expected[0], abs=2e-4),
        pytest.approx(expected[1], abs=2e-4),
    )


def test_the_curve_over_tasks_is_the_interquartile_mean_of_all_runs():
    ends = {
        "gekitai": [0.0, 0.1, 0.2],
        "game112": [0.3, 0.4, 0.5],
        "goat_race-2": [0.9, 0.95, 1.0],
        "pizza_order": [0.6, 0.7, 0.8],
    }
    curves = {
        task: [curve([0, end], seed, task) for seed, end in enumerate(some)]
        for task, some in ends.items()
    }
    band = over_tasks(curves, "minutes", np.random.default_rng(0))
    stats = pytest.importorskip("scipy.stats")
    everything = [end for some in ends.values() for end in some]
    assert band.mean[-1] == pytest.approx(stats.trim_mean(everything, 0.25))
    assert band.low[-1] < band.mean[-1] < band.high[-1]
    # Only seeds are resampled, so equal runs have no uncertainty.
    alike = {task: [curve([0, 0.5], seed, task) for seed in range(3)] for task in ends}
    band = over_tasks(alike, "minutes", np.random.default_rng(0))
    assert (band.low[-1], band.high[-1]) == (pytest.approx(0.5), pytest.approx(0.5))
