"""The program that writes and measures a network's int8 version, on a tiny network."""

import hashlib
import json
import shutil

import numpy as np
import pytest

import agents
import boardenvs
from agents.dev import quantise as tool
from agents.dev.__main__ import main
from agents.dev.network_comparison import met_by_search
from agents.networks.card import shipped
from agents.networks.onnx_policy import OnnxPolicy

SMALL = {"games": 4, "simulations": 4, "positions": 128, "seconds": 0.002}


@pytest.fixture
def path(gekitai, tmp_path):
    """Return a copy of the shipped network's files, without an int8 version."""
    network = shipped(gekitai)
    copied = tmp_path / "agent.onnx"
    shutil.copy(network, copied)
    card = json.loads(network.with_suffix(".json").read_text(encoding="utf-8"))
    card.pop("int8", None)
    copied.with_suffix(".json").write_text(json.dumps(card), encoding="utf-8")
    return copied


@pytest.mark.slow
def test_quantise_writes_the_int8_network_and_its_measures(path, gekitai, monkeypatch):
    monkeypatch.setattr(tool, "_FASTER", 0.0)
    monkeypatch.setattr(tool, "_LEAST_SCORE", 0.0)
    before = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    entry = tool.quantise(path, (gekitai,), seed=1, **SMALL)
    card = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert card == {**before, "int8": entry}
    version = path.with_name("agent.int8.onnx")
    assert entry["file"] == version.name
    assert entry["sha256"] == hashlib.sha256(version.read_bytes()).hexdigest()
    assert agents.make(f"puct:4:{path}", gekitai).path == version
    assert agents.make(f"trained:{path}", gekitai).path == path

    speed, score = entry["evaluations_per_second"], entry["score"]
    assert speed["times"] == pytest.approx(speed["int8"] / speed["float32"], rel=0.02)
    assert score["games"] == 4 == score["wins"] + score["draws"] + score["losses"]
    assert score["interval"][0] <= score["score"] <= score["interval"][1]
    assert entry["agreement"]["positions"] == 128
    assert entry["agreement"]["best_move"] > 0.8  # calibrated with only four games
    assert 0 < entry["agreement"]["kl"] < 0.02

    # The same seed gives the same file.
    again = tool.quantise(path, (gekitai,), seed=1, **SMALL)
    assert again["sha256"] == entry["sha256"]
    assert again["score"] == score


@pytest.mark.slow
@pytest.mark.parametrize("slow", [True, False])
def test_a_slow_or_weak_int8_network_is_not_kept(path, gekitai, monkeypatch, slow):
    monkeypatch.setattr(tool, "_FASTER", 1e9 if slow else 0.0)
    monkeypatch.setattr(tool, "_LEAST_SCORE", 2.0)
    old = path.with_name("agent.int8.onnx")
    old.write_bytes(b"of another day")
    entry = tool.quantise(path, (gekitai,), seed=1, **SMALL)
    assert entry["file"] is None
    assert ("score" in entry) != slow  # a slow version plays no match
    assert not old.exists()
    assert OnnxPolicy(gekitai, path, int8=True).path == path


def test_positions_of_a_search_depend_only_on_the_seed(gekitai):
    network = OnnxPolicy(gekitai)
    met, again, other = (met_by_search(gekitai, network, 100, seed) for seed in (3, 3, 4))
    assert len(met.played) == 100
    assert not gekitai.over(met.played).any()
    assert met.leaves.shape[1:] == gekitai.observation_shape
    assert len(met.leaves) > 1000
    np.testing.assert_array_equal(met.played, again.played)
    np.testing.assert_array_equal(met.leaves, again.leaves)
    assert not np.array_equal(met.played, other.played)


def test_the_command_passes_its_options_and_prints_the_entry(path, monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(tool, "quantise", lambda *args, **kwargs: seen.append(kwargs) or {"a": 1})
    assert main(["quantise", str(path), "--seed", "3", "--games", "8", "--simulations", "9"]) == 0
    assert seen == [{"seed": 3, "games": 8, "simulations": 9}]
    assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_errors_are_one_line(path, tmp_path, capsys):
    plain = shipped(boardenvs.make("dominoes175"))
    for arguments, message in (
        ([str(tmp_path / "no.onnx")], "no.onnx"),
        ([str(path), "--seed", "-1"], "seed"),
        ([str(path), "--games", "0"], "games"),
        ([str(plain)], "convolution"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["quantise", *arguments])
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
