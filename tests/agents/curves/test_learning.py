"""The baseline learners improve, are rated, and are reproducible from a seed."""

import itertools
import tempfile
from types import SimpleNamespace

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra [train]")

from agents.curves import learn, learners
from agents.curves.learners import LEARNERS


@pytest.fixture
def short(monkeypatch):
    """Shorten rollouts to a few decisions."""
    monkeypatch.setattr(learners, "_ROLLOUT", 64)


@pytest.mark.parametrize("learner", ["ppo", "ppo-pool"])
def test_the_same_seed_makes_the_same_curve(learner, short):
    curves = [learn(learner, "game112", seed=5, minutes=0) for _ in range(2)]
    assert [point.decisions for point in curves[0].points] == [0, 512]
    without_times = [[(p.decisions, p.value, p.games) for p in c.points] for c in curves]
    assert without_times[0] == without_times[1]
    assert curves[0].met == LEARNERS[learner].met
    assert curves[0].command == f"boardenvs curves game112 --learn {learner} --seeds 5 --minutes 0"


@pytest.mark.slow
def test_self_play_improves_the_rating(monkeypatch):
    """Self-play learns. Its random openings keep games of 112 from becoming equal draws."""
    # Each learning step takes one second of this clock, even on a busy machine.
    seconds = map(float, itertools.count())
    clock = SimpleNamespace(process_time=lambda: next(seconds))
    monkeypatch.setattr("agents.curves.learning.time", clock)
    seen = []
    curve = learn(
        "self-play", "game112", minutes=16 / 60, progress=lambda curve, point: seen.append(point)
    )
    assert seen == curve.points
    assert curve.points[-1].seconds == 16
    assert curve.points[-1].value > curve.points[0].value + 200


def test_unsupported_learners_and_tasks_are_refused():
    with pytest.raises(ValueError, match=r"players.* dominoes175 "):
        learn("self-play", "dominoes175")
    with pytest.raises(ValueError, match=r"learner .*ppo, .*'pp'.*mean"):
        learn("pp", "game112")
    with pytest.raises(ValueError, match="task 'chess'"):
        learn("ppo", "chess")


@pytest.mark.parametrize("learner", ["ppo", "ppo-pool"])
def test_no_folder_is_left_behind(learner, short, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    task = learners.Task("game112", "game112", ())
    LEARNERS[learner].make(task, 0).part.advance()
    # PyTorch keeps its own cache there, from its first use in a process.
    assert not [one for one in tmp_path.iterdir() if not one.name.startswith("torchinductor")]


def test_earlier_selves_are_kept(short):
    part = LEARNERS["ppo-pool"].make(learners.Task("game112", "game112", ()), 0).part
    assert len(part.earlier.selves) == 1
    for _ in range(3):
        part.advance()
    assert len(part.earlier.selves) == 3  # the last self is kept at the next advance
    assert part.steps == 1536
