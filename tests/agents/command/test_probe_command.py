"""`boardenvs probe`."""

import json

import pytest

LEARNER = """
import numpy as np

def train(game, seed, seconds):
    return "mcts:200"

def wrong(game, seed, seconds):
    if game.name == "probe_one_ply":
        return "mcts:200"
    return lambda observations, masks: (observations.argmax(1) == 1).astype(int)

def broken(game, seed, seconds):
    raise RuntimeError("no memory")
"""
FEW = ["--probes", "probe_one_ply", "probe_reply", "--seeds", "1", "--seconds", "1"]


@pytest.fixture
def probe(tmp_path, monkeypatch, command):
    (tmp_path / "learners_of_mine.py").write_text(LEARNER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def run(function, *more):
        return command("probe", f"learners_of_mine:{function}", *FEW, *more)

    return run


def test_a_right_learner(probe, tmp_path):
    status, out, err = probe("train", "--json", "probes.json")
    assert status == 0
    assert err.startswith("2 probes, 1 seed, 1 s each: 0.0 minutes if all are right, at most 0.1\n")
    assert [line.split()[-1] for line in out.splitlines()[2:]] == ["right", "right"]
    data = json.loads((tmp_path / "probes.json").read_text(encoding="utf-8"))
    assert data["passed"]
    assert data["learner"] == "learners_of_mine:train"
    assert [one["probe"] for one in data["probes"]] == ["probe_one_ply", "probe_reply"]


def test_a_wrong_learner(probe):
    status, out, _ = probe("wrong")
    assert status == 1
    assert "probe_reply: likely causes, the most likely first" in out
    assert "  1. the loser's transition ends before the opponent's reply" in out


def test_errors_are_one_line(probe, command):
    for function, said in (
        ("broken", "train on probe_one_ply with seed 0 failed: RuntimeError: no memory"),
        ("missing", "learner 'learners_of_mine:missing' cannot be imported: AttributeError"),
    ):
        status, out, err = probe(function)
        assert (status, out) == (2, "")
        assert f"boardenvs: error: {said}" in err.splitlines()[-1]
    for name in ("train", ":train", "learners:"):
        status, _, err = command("probe", name)
        assert status == 2
        assert f"learner must be MODULE:FUNCTION, got {name!r}" in err
    status, _, err = probe("train", "--probes", "probe_replay")
    assert status == 2
    assert "did you mean probe_reply?" in err
