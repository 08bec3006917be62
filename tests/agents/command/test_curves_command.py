"""`boardenvs curves`."""

from pathlib import Path

import pytest

from agents.command import main
from agents.curves import Curve, Point, write_curves


@pytest.fixture
def kept(tmp_path):
    """Return a file with curves of two learners."""
    curves = [
        Curve(
            learner,
            "game112",
            seed,
            points=[Point(0, 0, 0, -9, 9, 99), Point(5000, 60, elo, 0, 400, 99)],
        )
        for learner, elo in (("ppo", 100), ("self-play", 300))
        for seed in (0, 1)
    ]
    write_curves(tmp_path / "curves.json", curves)
    return str(tmp_path / "curves.json")


def test_curves_are_printed_and_drawn(kept, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="needs the extra [train]")
    (tmp_path / "mine.csv").write_text("decisions,elo\n0,0\n9000,350\n")
    own = f"my run={tmp_path / 'mine.csv'}"
    out = tmp_path / "curves.svg"
    assert main(["curves", "game112", "--json", kept, "--own", own, "--out", str(out)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["game112", "ppo", "2", "5,000", "1.0", "0.261"] in [row[:6] for row in rows]
    assert ["game112", "my", "run", "1", "9,000"] in [row[:5] for row in rows]
    assert "my run" in out.read_text()


def test_a_run_rated_once_is_printed(kept, tmp_path, capsys):
    (tmp_path / "mine.csv").write_text("decisions,score,low,high\n9000,0.5,0.4,0.6\n")
    assert (
        main(["curves", "game112", "--json", kept, "--own", f"mine={tmp_path / 'mine.csv'}"]) == 0
    )
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    (row,) = [row for row in rows if row[:3] == ["game112", "mine", "1"]]
    assert row[3:] == ["9,000", "0.500", "0.400", "to", "0.600"]


def test_existing_curves_are_not_trained_again(kept, capsys):
    pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    before = Path(kept).read_bytes()
    assert main(["curves", "game112", "--learn", "ppo", "--seeds", "0,1", "--json", kept]) == 0
    assert Path(kept).read_bytes() == before


def test_other_seeds_are_added(kept, monkeypatch, capsys):
    pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    monkeypatch.setattr("agents.curves.learners._ROLLOUT", 64)
    words = [
        "curves",
        "game112",
        "--learn",
        "ppo",
        "--seeds",
        "1,7",
        "--minutes",
        "0",
        "--json",
        kept,
    ]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert "game112 ppo 7: 512 decisions" in captured.err
    assert ["game112", "ppo", "3"] in [line.split()[:3] for line in captured.out.splitlines()]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["chess"], "no task 'chess'"),
        (["game112", "--suite", "v0"], "v0"),
        (["game112", "--learn", "ppo"], "--learn"),
        (["game112", "--minutes", "1"], "--minutes"),
        (["game112", "--out", "x.txt"], "--out must end in .svg, .png or .pdf"),
        (["game112", "--own", "mine.csv"], "--own must be NAME=FILE"),
        (["game112", "--own", "mine=there.csv"], "there.csv cannot be read"),
        (["game112", "--own", "mine=there"], "there cannot be read"),
        (["--own", "mine=there.csv"], "--own"),
        (["game112", "--json", "there.json"], "there.json cannot be read"),
    ],
)
def test_invalid_arguments_are_refused(words, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["curves", *words]) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.err.count("\n") == 1


def test_files_of_another_task_are_refused(kept, capsys):
    assert main(["curves", "gekitai", "--json", kept]) == 2
    assert "--json must have curves of gekitai" in capsys.readouterr().err
    assert main(["curves", "gekitai", "--learn", "ppo", "--json", kept]) == 2
    assert "--json must have curves of gekitai" in capsys.readouterr().err
    assert main(["curves", "game112", "--learn", "ppo", "--seeds", "x", "--json", kept]) == 2
    assert "--seeds" in capsys.readouterr().err
