"""The model of a cluster: what comes out can be worked out by hand where one part is the limit."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.dev import cluster_model
from agents.dev.__main__ import main
from agents.dev.cluster_model import Times, grown, measured

TIMES = Times(
    search=1.0,
    positions=1000,
    samples=500,
    sample_bytes=100,
    network_bytes=50_000,
    take=0.0,
    draw=0.0,
    learn=0.0,
    reuse=2.0,
    bandwidth=1e15,
)
"""Nothing but searching takes time worth mentioning."""


@pytest.mark.parametrize("actors", [1, 7, 1000])
def test_actors_are_the_limit_where_nothing_else_takes_time(actors):
    found = grown(TIMES, actors)
    assert found.rate == pytest.approx(1000 * actors, rel=0.01)
    assert found.limit == "actors"
    assert found.busy["actors"] == pytest.approx(1, rel=0.01)


def test_two_actors_while_the_learner_pauses_wait_for_it():
    # A second of search, half a second of learning: while it learns, the other one searches.
    found = grown(replace(TIMES, learn=0.5 / 1000), 1)
    assert found.rate == pytest.approx(1000, rel=0.01)  # it goes on once its samples are taken
    assert found.busy["learner"] == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize(
    ("part", "changed", "most"),
    [
        # 500 samples, learned from twice, in 1 ms each.
        ("learner", {"learn": 0.6e-3, "draw": 0.4e-3}, 1000 / (500 * 2 * 1e-3)),
        ("buffer", {"take": 1e-3}, 1000 / (500 * 1e-3)),
        # 50,000 bytes there and 50,000 back.
        ("link", {"bandwidth": 1e6}, 1000 / 0.1),
    ],
)
def test_each_part_can_be_the_limit(part, changed, most):
    found = grown(replace(TIMES, **changed), 400)
    assert found.limit == part
    assert found.rate == pytest.approx(most, rel=0.02)
    assert found.busy["actors"] < 0.1


seconds = st.floats(0, 1e-2)


@given(
    seconds, seconds, seconds, st.floats(1e4, 1e9), st.integers(1, 60), st.floats(0.5, 8)
)  # fmt: skip
def test_nothing_works_longer_than_there_is_time(take, draw, learn, bandwidth, actors, reuse):
    times = replace(
        TIMES, take=take, draw=draw, learn=learn, bandwidth=bandwidth, reuse=reuse, samples=50
    )
    found = grown(times, actors, orders=40 * actors)
    assert max(found.busy.values()) < 1.15  # what was begun before the measurement is in it
    assert found.rate <= 1.15 * 1000 * actors


@pytest.mark.slow
def test_what_is_measured_makes_sense(gekitai, tiny_settings, monkeypatch):
    from agents.training import settings as stored
    from agents.training.self_play.guided_settings import GuidedSettings

    few = GuidedSettings(games=8, actors=2, simulations=4, plies=2, batch_size=32, steps=1000)
    monkeypatch.setattr(stored, "settings_for", lambda _game: replace(tiny_settings, guided=few))
    times = measured(gekitai, seconds=0.05)
    assert 0 < times.search < 10
    assert times.positions == 4 * 2
    assert times.samples > 0
    assert times.sample_bytes > gekitai.state_dtype.itemsize
    assert min(times.take, times.draw, times.learn) > 0
    assert times.reuse == few.reuse


def test_the_command(monkeypatch, capsys):
    monkeypatch.setattr(cluster_model, "measured", lambda _game: replace(TIMES, learn=1e-3))
    main(["cluster_model", "gekitai"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("measured: an order of 1,000 positions takes 1.00 s")
    assert lines[-1].split()[:2] == ["10,000", "1,000"]
    main(["cluster_model", "gekitai", "--learner", "10"])
    assert capsys.readouterr().out.splitlines()[-1].split()[:2] == ["10,000", "10,000"]
