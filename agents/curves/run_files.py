"""A user's own training run as a curve, from a CSV file or TensorBoard events."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agents.benchmark.ladder import Ladder, read_ladder
from agents.curves.curve import Curve, Point, checked_points
from boardenvs.core.checks import shown

__all__ = ["read_run"]

_VALUES = ("value", "elo", "share", "score")


def read_run(path: str | Path, task: str, name: str | None = None, suite: str = "v1") -> Curve:
    r"""Read your own training run as a curve.

    A CSV file has a header and a line for each rating, as `Curve.to_csv` writes it:

    - `decisions`: number of decisions learned from;
    - one of `elo`, `share` (in a game for one player), `value` (either of these) or `score` (0 to
      1);
    - optionally `seconds`, the ends `low` and `high` of the rating's 95% interval, and `games`.

    TensorBoard events need scalars with one of the latter names after the last `/`, such as
    `benchmark/elo`. Their step is the number of decisions, and their seconds start at the first
    event.

    Args:
        path: path of the CSV file, or of TensorBoard's file or folder.
        task: task of the run.
        name: name of the run; by default the file's name.
        suite: suite of the task.

    Raises:
        ValueError: the file cannot be read, or has no valid ratings.

    Example:
        >>> import pathlib, tempfile
        >>> from agents.curves import read_run
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "mine.csv")
        ...     _ = path.write_text("decisions,elo\n0,0\n1000,250\n")
        ...     read_run(path, "gekitai").points[-1].value
        250.0
    """
    path = Path(path)
    ladder = read_ladder(suite, task)
    rows = _csv_rows(path) if path.suffix.lower() == ".csv" else _tensorboard_rows(path)
    curve = Curve(name or path.stem or str(path), task, suite=suite)
    for row in rows:
        try:
            curve.points.append(_point(row, ladder))
        except (KeyError, TypeError, ValueError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{path}: {shown(dict(row))} is not a rating: {reason}") from None
    in_order = sorted(curve.points, key=lambda point: (point.decisions, point.seconds))
    try:
        curve.points = checked_points(in_order)
    except ValueError as error:
        raise ValueError(f"{path} is not a run: {error}") from None
    if not any(point.decisions > 0 for point in curve.points):
        raise ValueError(f"{path} has no rating with decisions above 0")
    return curve


def _point(row: Mapping[str, Any], ladder: Ladder) -> Point:
    found = [key for key in _VALUES if row.get(key) not in (None, "")]
    if not found:
        raise ValueError(f"expected one of {', '.join(_VALUES)}")
    keys = (found[0], "low", "high")
    value, low, high = (float(row[found[0] if row.get(key) in (None, "") else key]) for key in keys)
    if found[0] == "score":
        value, low, high = (ladder.value_of(score) for score in (value, low, high))
    decisions, seconds = float(row["decisions"]), float(row.get("seconds") or 0)
    if not (math.isfinite(value) and decisions >= 0 and decisions.is_integer() and seconds >= 0):
        raise ValueError(
            "decisions must be whole and at least 0, seconds at least 0, and the rating finite"
        )
    return Point(int(decisions), seconds, value, low, high, int(row.get("games") or 0))


def _csv_rows(path: Path) -> Iterable[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path} is not a CSV file: {error}") from None


def _tensorboard_rows(path: Path) -> Iterable[Mapping[str, Any]]:
    if not path.exists():
        raise ValueError(f"{path} cannot be read: the file or folder does not exist")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(path), size_guidance={"scalars": 0})
    events.Reload()
    tags = events.Tags()["scalars"]
    for name in _VALUES:
        for tag in tags:
            if tag.rsplit("/", 1)[-1] == name:
                found = events.Scalars(tag)
                began = found[0].wall_time
                return [
                    {"decisions": one.step, "seconds": one.wall_time - began, name: one.value}
                    for one in found
                ]
    there = ", ".join(sorted(tags)) or "no scalars"
    raise ValueError(f"{path} has no scalar named {', '.join(_VALUES)}; it has {there}")
