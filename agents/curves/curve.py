"""`Curve`: the strength of a learner on a task's ladder over its training."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import boardenvs
from agents.benchmark.ladder import Ladder, read_ladder
from agents.benchmark.running import run_task
from agents.naming.spec import PolicySpec
from boardenvs.core.checks import finite_number, shown, text_value, whole_number
from boardenvs.envs.opponents import Opponent
from boardenvs.files import check_suffix, write_atomically
from boardenvs.game import Game

__all__ = ["Curve", "Point", "read_curves", "reference_curves", "reference_path", "write_curves"]

_FORMAT = "boardenvs learning curves"
_AIM = 60.0  # half the interval in Elo points; learners differ by much more
_FAR = 1e6  # maximum rating in points
_SECONDS = 120.0  # maximum playing time of a rating


@dataclass(frozen=True)
class Point:
    """A learner's strength after some training.

    Example:
        >>> from agents.curves import Point
        >>> Point(1000, 2.5, value=180.0, low=120.0, high=240.0, games=180).decisions
        1000
    """

    decisions: int
    """Number of decisions that the learner has learned from."""
    seconds: float
    """Training time in seconds of one core."""
    value: float
    """Elo on the task's ladder; in a game for one player, the share of games won."""
    low: float
    """Lower end of the 95% interval."""
    high: float
    """Upper end of the 95% interval."""
    games: int
    """Number of games of the rating."""


@dataclass
class Curve:
    """The ratings of one training run.

    Example:
        >>> import agents
        >>> from agents.curves import Curve
        >>> curve = Curve("mine", "game112", seed=0)
        >>> point = curve.rate(lambda game, seed: agents.make("greedy", game), 1000, seconds=2.5)
        >>> [point.decisions for point in curve.points]
        [1000]
    """

    learner: str
    """Name of the learner."""
    task: str
    """Name of a task of the suite."""
    seed: int = 0
    """Seed of the run and of its ratings."""
    suite: str = "v1"
    command: str | None = None
    """Command that makes the curve again."""
    met: tuple[str, ...] = ()
    """The ladder's agents that the learner met in training."""
    points: list[Point] = field(default_factory=list)

    @property
    def ladder(self) -> Ladder:
        """Ladder on which the learner is rated."""
        return read_ladder(self.suite, self.task)

    def rate(
        self,
        make_agent: Callable[[Game, int], Opponent],
        decisions: int,
        seconds: float,
        aim: float = _AIM,
    ) -> Point:
        """Rate the learner in its current state, as `agents.benchmark` does, and add the point.

        Args:
            make_agent: function of the task's game and a seed that returns an object with
                `act(states) -> actions`.
            decisions: number of decisions that the learner has learned from.
            seconds: training time in seconds.
            aim: half the width of the interval at which the rating ends, in points.

        Raises:
            ValueError: the agent cannot be made or fails, or a number is out of range.
        """
        decisions = whole_number("decisions", decisions, 0)
        seconds = finite_number("seconds", seconds, 0)
        ladder = self.ladder
        policy = PolicySpec.labelled(self.learner, ladder.task.make(), make_agent)
        found = run_task(ladder, policy, self.seed, _SECONDS, aim)
        value, low, high = (round(x, 4) for x in found.value())
        point = Point(decisions, round(seconds, 3), value, low, high, found.games)
        self.points.append(point)
        return point

    def scores(self) -> list[float]:
        """Return the points' scores: 0 is `random`, 1 the strongest agent or the best policy."""
        ladder = self.ladder
        return [ladder.score(point.value) for point in self.points]

    def to_csv(self, path: str | Path) -> None:
        """Write the points as rows of a CSV file, which `boardenvs curves --own` draws.

        Raises:
            ValueError: `path` has the suffix of another format.
            OSError: the file cannot be written.
        """
        check_suffix("path", Path(path), ".csv")
        text = io.StringIO(newline="")
        rows = csv.DictWriter(text, list(Point.__dataclass_fields__))
        rows.writeheader()
        rows.writerows(asdict(point) for point in self.points)
        write_atomically(Path(path), text.getvalue().encode())

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as JSON values."""
        return {
            "learner": self.learner,
            "seed": self.seed,
            "command": self.command,
            "boardenvs": boardenvs.__version__,
            "met": list(self.met),
            "points": [list(asdict(point).values()) for point in self.points],
        }


def reference_path(suite: str, task: str) -> Traversable:
    """Return the file of the reference curves of a task."""
    return resources.files(__package__) / "results" / suite / f"{task}.json"


def reference_curves(task: str, suite: str = "v1") -> list[Curve]:
    """Return the reference curves of a task; an empty list if it has none.

    Raises:
        ValueError: the suite or task does not exist.

    Example:
        >>> from agents.curves import reference_curves
        >>> {curve.task for curve in reference_curves("gekitai")}
        {'gekitai'}
    """
    read_ladder(suite, task)
    path = reference_path(suite, task)
    return read_curves(path) if path.is_file() else []


def read_curves(path: str | Path | Traversable) -> list[Curve]:
    """Read curves of one task from a file of `boardenvs curves --json FILE`.

    Raises:
        ValueError: the file cannot be read, is not a file of curves, or is for another ladder.

    Example:
        >>> import pathlib, tempfile
        >>> from agents.curves import Curve, read_curves, write_curves
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "curves.json")
        ...     write_curves(path, [Curve("mine", "game112")])
        ...     [curve.learner for curve in read_curves(path)]
        ['mine']
    """
    try:
        there = Path(path) if isinstance(path, str) else path
        data = json.loads(there.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a file of learning curves: {error}") from None
    try:
        form = data["format"]
        suite, task = data["suite"], data["task"]
        ladder = read_ladder(suite, task)
        curves = [
            Curve(
                text_value("learner", one["learner"]),
                task,
                whole_number("seed", one["seed"], 0),
                suite,
                one["command"] and text_value("command", one["command"]),
                tuple(text_value("an agent that was met", spec) for spec in one["met"]),
                checked_points(Point(*point) for point in one["points"]),
            )
            for one in data["curves"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{path} is not a file of learning curves: {reason}") from None
    if form != _FORMAT:
        raise ValueError(
            f"{path} is not a file of learning curves: format must be {_FORMAT!r}, "
            f"got {shown(form)}"
        )
    if data.get("ladder") != ladder.sha256:
        raise ValueError(f"{path} must be rated on this package's ladder of {suite} {task}")
    return curves


def checked_points(points: Iterable[Point]) -> list[Point]:
    """Return the points if they form a curve.

    Raises:
        ValueError: a value is not a number or out of range or not between its ends, or decisions
            or seconds decrease.
    """
    found: list[Point] = []
    for one in points:
        point = Point(
            whole_number("decisions", one.decisions, 0),
            finite_number("seconds", one.seconds, 0),
            finite_number("value", one.value, -_FAR, _FAR),
            finite_number("low", one.low, -_FAR, _FAR),
            finite_number("high", one.high, -_FAR, _FAR),
            whole_number("games", one.games, 0),
        )
        if not point.low <= point.value <= point.high:
            raise ValueError(
                f"value must be from low to high, got {point.value}, {point.low} and {point.high}"
            )
        if found and (point.decisions < found[-1].decisions or point.seconds < found[-1].seconds):
            raise ValueError(
                f"decisions and seconds must not decrease, got {point.decisions} and "
                f"{point.seconds} after {found[-1].decisions} and {found[-1].seconds}"
            )
        found.append(point)
    return found


def write_curves(path: str | Path, curves: Sequence[Curve]) -> None:
    """Write curves of one task, for `read_curves`.

    Raises:
        ValueError: `curves` is empty or has several tasks, or `path` has the suffix of another
            format.
        OSError: the file cannot be written.

    Example:
        >>> import pathlib, tempfile
        >>> from agents.curves import Curve, write_curves
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "curves.json")
        ...     write_curves(path, [Curve("mine", "game112")])
        ...     path.is_file()
        True
    """
    check_suffix("path", Path(path), ".json")
    about = {(curve.suite, curve.task) for curve in curves}
    if len(about) != 1:
        raise ValueError(f"curves must be of one task, got {len(about)} tasks")
    data = {
        "format": _FORMAT,
        "suite": curves[0].suite,
        "task": curves[0].task,
        "ladder": curves[0].ladder.sha256,
        "curves": [curve.to_dict() for curve in curves],
    }
    # One line for each point.
    text = json.dumps(data, indent=1)
    write_atomically(Path(path), f"{_flat(text)}\n".encode())


def _flat(text: str) -> str:
    """Return JSON text with each innermost list on one line."""
    return re.sub(r"\[([^\[\]{}]*)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
