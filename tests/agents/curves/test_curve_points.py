"""Learning curves: points, files and errors."""

import json
import re
from pathlib import Path

import pytest

import agents.curves
from agents.benchmark.ladder import read_ladder
from agents.benchmark.tasks import suite
from agents.curves import Curve, Point, read_curves, read_run, reference_curves, write_curves


def some(task="game112"):
    points = [Point(0, 0.0, -10.0, -60.0, 40.0, 200), Point(500, 1.25, 200.5, 150.0, 250.0, 180)]
    return Curve("mine", task, 3, command="make it", met=("random",), points=points)


def test_the_rating_of_a_point_agrees_with_the_benchmark():
    curve = Curve("greedy", "game112", seed=4)
    point = curve.rate(lambda game, seed: agents.make("greedy", game, seed), 7, 2.5, aim=60)
    card = agents.benchmark(
        lambda game, seed: agents.make("greedy", game, seed), tasks=["game112"], seed=4, aim=60
    )
    (task,) = card.to_dict()["tasks"]
    assert (point.value, point.low, point.high) == tuple(
        round(task[key], 4) for key in ("elo", "low", "high")
    )
    assert (point.decisions, point.seconds, point.games) == (7, 2.5, task["games"])
    assert curve.points == [point]
    assert curve.scores() == [pytest.approx(task["score"], abs=1e-6)]


def test_points_of_a_game_for_one_player_are_shares():
    ladder = read_ladder("v1", "pizza_order")
    curve = Curve("mine", "pizza_order", points=[Point(1, 1, ladder.shares[0], 0, 1, 9)])
    curve.points.append(Point(2, 2, 1.0, 0.9, 1.0, 9))
    assert curve.scores() == [0, 1]


@pytest.mark.parametrize("name", suite("v1"))
def test_scores_and_values_are_inverse(name):
    ladder = read_ladder("v1", name)
    for score in (-0.5, 0.0, 0.3, 1.0):
        assert ladder.score(ladder.value_of(score)) == pytest.approx(score)
    assert ladder.value_of(1) == pytest.approx(ladder.best)


def test_curves_round_trip_through_a_file(tmp_path):
    path = tmp_path / "curves.json"
    curves = [some(), Curve("other", "game112", 1)]
    write_curves(path, curves)
    assert read_curves(path) == curves
    points = [line for line in path.read_text().splitlines() if line.lstrip().startswith("[")]
    assert len(points) == 2  # one line each


def test_csv_files_round_trip_and_their_columns_are_documented(tmp_path):
    path = tmp_path / "mine.csv"
    some().to_csv(path)
    assert read_run(path, "game112").points == some().points
    page = (Path(agents.curves.__file__).parent / "README.md").read_text(encoding="utf-8")
    for column in path.read_text(encoding="utf-8").splitlines()[0].split(","):
        assert re.search(rf"^\| [^|]*`{column}`[^|]* \|", page, re.MULTILINE), column


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "boardenvs ladder"}, "format .*'boardenvs ladder'"),
        ({"ladder": "0"}, "curves.json .*ladder"),
        ({"task": "chess"}, "task 'chess'"),
        ({"curves": [{}]}, "learner"),
        ({"curves": 3}, "curves.json "),
    ],
)
def test_files_of_other_kinds_are_refused(tmp_path, change, told):
    path = tmp_path / "curves.json"
    write_curves(path, [some()])
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match=told):
        read_curves(path)


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([[0, 0.0, float("nan"), 0, 0, 2]], "value must be "),
        ([[0.5, 0.0, 0, 0, 0, 2]], "decisions must be "),
        ([[0, 0.0, 0, 0, 0, True]], "games must be "),
        ([[0, 0.0, 0, 0, 0]], "missing"),
        (
            [[2, 3.0, 0, 0, 0, 2], [1, 4.0, 0, 0, 0, 2]],
            "decisions .* 1 .*4.0.* 2 .*3.0",
        ),
    ],
)
def test_invalid_points_are_refused(tmp_path, points, told):
    path = tmp_path / "curves.json"
    write_curves(path, [some()])
    tree = json.loads(path.read_text())
    tree["curves"][0]["points"] = points
    path.write_text(json.dumps(tree))
    with pytest.raises(ValueError, match=rf"curves\.json .*{told}"):
        read_curves(path)


def test_missing_and_malformed_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"there\.json cannot be read"):
        read_curves(tmp_path / "there.json")
    (tmp_path / "text.json").write_text("mine")
    with pytest.raises(ValueError, match=r"text\.json "):
        read_curves(tmp_path / "text.json")


def test_curves_of_one_task_are_written(tmp_path):
    for curves in ([], [some(), some("gekitai")]):
        with pytest.raises(ValueError, match="curves must be "):
            write_curves(tmp_path / "curves.json", curves)


@pytest.mark.parametrize("numbers", [(-1, 0.0), (0.5, 0.0), (1, -1.0), (1, float("nan"))])
def test_numbers_out_of_range_are_refused(numbers):
    with pytest.raises(ValueError, match="must be"):
        some().rate(lambda game, seed: agents.make("greedy", game, seed), *numbers)


@pytest.mark.parametrize("name", suite("v1"))
def test_reference_curves_belong_to_the_current_ladder(name):
    curves = reference_curves(name)  # raises for another ladder
    seeds = {learner: set() for learner in ("ppo", "ppo-pool", "self-play")}
    for curve in curves:
        seeds[curve.learner].add(curve.seed)
        assert curve.points[0].decisions == 0
        assert [p.decisions for p in curve.points] == sorted({p.decisions for p in curve.points})
        assert all(point.low < point.value < point.high for point in curve.points)
    assert all(found in (set(), {0, 1, 2}) for found in seeds.values())
