"""Users' runs in CSV files and TensorBoard files."""

import pytest

from agents.benchmark.ladder import read_ladder
from agents.curves import read_run


def test_columns_can_have_any_order_and_further_columns_are_ignored(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("loss,elo,seconds,decisions\n0.1,250,9.5,1000\n0.2,-5,,0\n")
    curve = read_run(path, "gekitai", "my run")
    assert curve.learner == "my run"
    assert [(p.decisions, p.seconds, p.value) for p in curve.points] == [
        (0, 0.0, -5.0),
        (1000, 9.5, 250.0),
    ]


def test_scores_are_converted_to_ratings(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("decisions,score\n10,0.5\n")
    (point,) = read_run(path, "gekitai").points
    assert point.value == read_ladder("v1", "gekitai").best / 2
    assert read_run(path, "gekitai").scores() == [0.5]


def test_interval_ends_are_converted_like_the_rating(tmp_path):
    path = tmp_path / "mine.csv"
    top = read_ladder("v1", "gekitai").best
    for key, whole in (("score", 1), ("elo", top), ("value", top)):
        path.write_text(f"decisions,{key},low,high\n9,{whole / 2},0,{whole}\n9,0,,\n", "utf-8")
        points = read_run(path, "gekitai").points
        assert [(p.value, p.low, p.high) for p in points] == [(top / 2, 0, top), (0, 0, 0)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("decisions\n5\n", "value, elo, share, score"),
        ("elo\n5\n", "'decisions'"),
        ("decisions,elo\n1.5,3\n", "'1.5'.*decisions must be "),
        ("decisions,elo\n1,inf\n", "'inf'.*rating"),
        ("decisions,elo\n1,much\n", "'much'"),
        ("decisions,elo,seconds\n1,2,inf\n", "seconds must be "),
        ("decisions,elo,low\n1,2,nan\n", "low must be "),
        ("decisions,elo,low\n1,2,3\n", "from low to high, got 2.0, 3.0 and 2.0"),
        ("decisions,elo,seconds\n1,2,9\n2,2,8\n", "seconds .* 8.0 .* 9.0"),
        ("decisions,elo\n0,5\n", "mine.csv .*rating"),
        ("", "mine.csv .*rating"),
        (f"decisions,elo\n1,{'9' * 200_000}\n", "mine.csv .*CSV.*field limit"),
        ("decisions,elo\n1,\udcff\n", "mine.csv .*CSV.*utf-8"),
    ],
)
def test_invalid_csv_files_are_refused(tmp_path, text, told):
    path = tmp_path / "mine.csv"
    path.write_text(text, "utf-8", "surrogateescape")
    with pytest.raises(ValueError, match=told) as error:
        read_run(path, "game112")
    assert "\n" not in str(error.value)


def test_missing_files_are_refused(tmp_path):
    for name in ("mine.csv", "mine"):
        with pytest.raises(ValueError, match="cannot be read"):
            read_run(tmp_path / name, "game112")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard", "ignore::FutureWarning")
def test_scalars_of_tensorboard_are_read(tmp_path):
    writing = pytest.importorskip("torch.utils.tensorboard")
    with writing.SummaryWriter(str(tmp_path)) as writer:
        for step, elo in ((0, 0.0), (100, 50.0), (300, 125.0)):
            writer.add_scalar("benchmark/elo", elo, step, walltime=1000 + step / 10)
            writer.add_scalar("loss", 1.0, step)
    points = read_run(tmp_path, "gekitai").points
    assert [(p.decisions, p.seconds, p.value) for p in points] == [
        (0, 0.0, 0.0),
        (100, 10.0, 50.0),
        (300, 30.0, 125.0),
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard", "ignore::FutureWarning")
def test_missing_scalars_are_refused_with_the_names_found(tmp_path):
    writing = pytest.importorskip("torch.utils.tensorboard")
    with writing.SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("train/loss", 1.0, 1)
    with pytest.raises(ValueError, match=r"scalar .*elo.* train/loss"):
        read_run(tmp_path, "gekitai")
