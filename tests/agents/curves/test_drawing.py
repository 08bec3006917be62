"""The pictures of learning curves."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="needs the extra [train]")

from test_joining import curve

import agents.curves
from agents.benchmark.tasks import suite
from agents.curves import Curve, draw_curves, reference_curves
from agents.curves.drawing import fingerprint
from agents.curves.joining import comparable

PICTURES = Path(agents.curves.__file__).parent / "pictures"
RUNS = [curve([0, 0.2, 0.4], seed) for seed in range(3)]


def texts(svg):
    return re.findall(r">([^<>\n]+)</text>", svg.decode())


def test_a_users_run_is_drawn():
    own = curve([0, 0.9, 1.0])
    own.learner = "my run"
    found = texts(draw_curves({"gekitai": RUNS}, [own]))
    for text in ("gekitai", "mine", "my run", "decisions learned from", "minutes of one core"):
        assert text in found


def test_drawing_twice_gives_the_same_picture():
    assert draw_curves({"gekitai": RUNS}) == draw_curves({"gekitai": RUNS})
    assert draw_curves({"gekitai": RUNS}, kind="png").startswith(b"\x89PNG")


def test_several_tasks_are_drawn():
    curves = {
        "gekitai": RUNS,
        "game112": [curve([0, 0.5, 1.0], seed, "game112") for seed in range(3)],
    }
    assert "interquartile mean over gekitai, game112" in texts(draw_curves(curves))


def test_a_run_without_times_is_drawn_only_over_decisions():
    timeless = curve([0, 0.5], seconds=[0.0, 1e-12])
    timeless.points = [replace(p, seconds=0.0) for p in timeless.points]
    timeless.learner = "timeless"
    once = draw_curves({"gekitai": []}, [timeless]).count(b"<path")
    twice = draw_curves({"gekitai": []}, [curve([0, 0.5])]).count(b"<path")
    assert once < twice


def markers(own):
    """Return x and y of the markers in the picture of one run."""
    found = re.findall(
        r'<use [^>]*x="([\d.]+)" y="([\d.]+)" style="fill: #0072b2; stroke', drawn(own)
    )
    return [(float(x), float(y)) for x, y in found]


def drawn(own):
    return draw_curves({"gekitai": []}, [own]).decode()


def test_each_rating_of_one_run_has_a_marker():
    own = curve([0, 0.3, 0.6], decisions=[0, 5000, 10_000])
    found = markers(own)
    assert len(found) == 7  # over decisions, over minutes, and in the legend
    left, right = found[:3], found[3:6]
    assert [x for x, _ in found[:6]] == sorted({x for x, _ in found[:6]})
    assert [y for _, y in left] == [y for _, y in right] == sorted({y for _, y in left})[::-1]


def test_the_ratings_of_one_run_have_their_intervals():
    run = curve([0, 0.3, 0.6], width=0.1)
    before, use = drawn(run).split("; fill-opacity")[0].rsplit("<use ", 1)
    path = before.rsplit('<path id="', 1)[1]
    ground = float(re.search(r' y="([\d.]+)"', use)[1])
    heights = [ground + float(y) for y in re.findall(r"[ML] \S+ (\S+)", path)]
    (_, bottom), _, (_, top) = markers(curve([-0.1, 0.3, 0.7]))[:3]
    assert (max(heights), min(heights)) == (pytest.approx(bottom), pytest.approx(top))


def test_a_run_that_was_rated_once_is_a_dot_with_its_interval():
    run = curve([0.3], seconds=[60.0], width=0.1)
    heights = [y for _, y in markers(run)]
    assert len(heights) == 9  # the dot and two ends: in two panels and in the legend
    (_, low), (_, middle), (_, high) = markers(curve([0.2, 0.3, 0.4]))[:3]
    assert heights[:3] == [pytest.approx(low), pytest.approx(high), pytest.approx(middle)]


def test_empty_and_mismatched_curves_are_refused():
    with pytest.raises(ValueError, match="no curves of gekitai"):
        draw_curves({"gekitai": []})
    with pytest.raises(ValueError, match="mine has no curve of game112"):
        draw_curves({"gekitai": RUNS, "game112": [Curve("other", "game112")]})
    with pytest.raises(ValueError, match="own runs "):
        draw_curves({"gekitai": RUNS}, [curve([0, 1], task="game112")])


def shipped():
    """Return the package's curves of each task that has any."""
    found = {name: reference_curves(name) for name in suite("v1")}
    return {name: some for name, some in found.items() if some}


@pytest.mark.parametrize("task", shipped())
def test_shipped_pictures_are_those_of_the_shipped_curves(task):
    text = (PICTURES / f"{task}.svg").read_text("utf-8")
    assert fingerprint({task: shipped()[task]}) in text


def test_the_picture_over_all_tasks_is_of_the_shipped_curves():
    text = (PICTURES / "mean.svg").read_text("utf-8")
    assert fingerprint(comparable(shipped())) in text


def test_the_folder_has_no_other_pictures():
    assert {path.stem for path in PICTURES.glob("*.svg")} == {*shipped(), "mean"}


def test_means_use_only_tasks_with_every_learner():
    other = [curve([0, 0.5]), curve([0, 1])]
    other[1].learner = "other"
    curves = {"gekitai": RUNS, "game112": [], "gomoku-9x9": other}
    assert list(comparable(curves)) == ["gomoku-9x9"]
    with pytest.raises(ValueError, match="every learner"):
        comparable({"gekitai": RUNS, "game112": other[1:]})
