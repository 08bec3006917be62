"""A program that plays the tournament of a benchmark task and writes the ladder into the package.

    python -m agents.dev make_ladder TASK --store FOLDER --minutes 30

The program continues from the games in the folder and saves the ladder regularly. It ends when the
time is over, or when the 95% interval of each rating difference between neighbours is at most plus
or minus `_AIM` points. All games come from one seed. They do not depend on the number of workers or
on interruptions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import boardenvs
from agents.analysis.exploitability import exploitability
from agents.analysis.measures import Distance
from agents.arena.results import first_games
from agents.arena.workers import local
from agents.benchmark.ladder import choices_of, ladder_dict, ladder_path
from agents.benchmark.rating import Scale
from agents.benchmark.task_games import TaskGames
from agents.benchmark.tasks import SUITES, Task, suite
from agents.benchmark.tournament import (
    Crosstable,
    neighbour_errors,
    next_pair,
    rate_ladder,
)
from agents.naming.spec import Spec, specs_of
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.files import write_atomically

__all__ = ["DESCRIPTION", "SEED", "add_arguments", "run"]

DESCRIPTION = "Play the tournament of a benchmark task, and write its ladder into the package."
SEED = 2026
"""Seed of the tournaments."""
_AIM = 12.0  # Elo points; small, because these errors add to the error of every rating
_FIRST = 50  # pairs of games that all neighbours play first
_ROUND = 25  # pairs of games in a round
_SOLO_GAMES = 10_000
_SAVED = 60.0  # seconds between two writes of the ladder
_KEPT = 16  # games of each match that the file lists one by one


class _Tournament(TaskGames):
    """Games between a ladder's agents: stored games, and games to play."""

    def __init__(self, suite_name: str, task: Task, deadline: float) -> None:
        game = task.make()
        self.suite = suite_name
        self.deadline = deadline
        self.specs = specs_of(task.agents, game)
        size = len(task.agents)
        self.places = [(low, high) for high in range(size) for low in range(high)]
        if game.num_players == 1:
            lineups: list[tuple[Spec, ...]] = [(spec,) for spec in self.specs]
        else:  # the stronger agent first
            lineups = [(self.specs[high], self.specs[low]) for low, high in self.places]
        super().__init__(task, SEED, lineups)
        self.most = np.full((size, size), np.inf)
        """Maximum number of different pairs of games between agents, shape (A, A)."""
        for (low, high), most in zip(self.places, self.most_pairs(), strict=False):
            self.most[high, low] = most
        self.rounds = 0
        self.saved = time.monotonic()

    def version(self, spec: Spec) -> str:
        return spec.version(self.players.get(spec, 0))

    def plan(self) -> tuple[int, np.ndarray] | None:
        return self._solo() if self.game.num_players == 1 else self._pair()

    def _late(self) -> bool:
        if time.monotonic() - self.saved > _SAVED:
            self.write()
            self.saved = time.monotonic()
        return time.monotonic() > self.deadline

    def _solo(self) -> tuple[int, np.ndarray] | None:
        place = min(range(len(self.records)), key=lambda k: len(self.records[k]))
        done = len(self.records[place])
        if done >= _SOLO_GAMES or self._late():
            return None
        return place, np.arange(done, min(done + 500, _SOLO_GAMES))

    def _pair(self) -> tuple[int, np.ndarray] | None:
        table = self.table()
        errors = neighbour_errors(rate_ladder(table))
        if (self._all_began(table) and errors.max() <= _AIM) or self._late():
            return None
        pair = next_pair(table, self.rounds, _FIRST, self.most)
        self.rounds += 1
        if pair is None:
            return None
        place = self.places.index(pair)
        done = len(self.records[place])
        print(
            f"{self.task.name}: {sum(map(len, self.records))} games, largest error of neighbours "
            f"{errors.max():.0f} points; next {' - '.join(map(str, self.records[place].specs))}",
            file=sys.stderr,
            flush=True,
        )
        games = 2 * _ROUND
        return place, np.arange(done, done + games)

    def _all_began(self, table: Crosstable) -> bool:
        beside = np.arange(len(self.task.agents) - 1)
        wanted = np.minimum(_FIRST, self.most[beside + 1, beside])
        return bool((table.pairs[beside + 1, beside] >= wanted).all())

    def table(self) -> Crosstable:
        """Return the results of all pairs of games."""
        table = Crosstable.none(len(self.task.agents))
        for place, (low, high) in enumerate(self.places):
            found = self.pair_scores(place, self.records[place].whole_pairs())
            table.pairs[high, low] = len(found)
            table.scores[high, low] = found.sum()
            table.squares[high, low] = ((found - 1) ** 2).sum()
        return table

    def write(self) -> None:
        """Write the ladder of the games so far."""
        data = self._solo_ladder() if self.game.num_players == 1 else self._rated_ladder()
        text = json.dumps(data, indent=1)
        path = Path(str(ladder_path(self.suite, self.task.name)))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, f"{text}\n".encode())
        print(f"wrote {path.name}", file=sys.stderr, flush=True)

    def _agents(self, scale: Scale | None) -> list[dict[str, Any]]:
        return [
            {
                "spec": spec.text,
                **({} if scale is None else {"elo": round(float(scale.elo[k]), 2)}),
                "version": self.version(spec),
                "choices": choices_of(spec),
            }
            for k, spec in enumerate(self.specs)
        ]

    def _made(self) -> dict[str, Any]:
        command = (
            f"python -m agents.dev make_ladder {self.task.name} --suite {self.suite} --store FOLDER"
        )
        return {"seed": SEED, "boardenvs": boardenvs.__version__, "command": command}

    def _rated_ladder(self) -> dict[str, Any]:
        table = self.table()
        scale = rate_ladder(table)
        errors = neighbour_errors(scale)
        pairs = []
        for place, record in enumerate(self.records):
            if not (whole := record.whole_pairs()).size:
                continue
            scores = record.scores(whole)
            both = self.pair_scores(place, whole)
            pairs.append(
                {
                    "a": record.specs[0].text,
                    "b": record.specs[1].text,
                    "games": scores.games,
                    "wins": scores.wins[0],
                    "draws": scores.draws[0],
                    "losses": scores.losses[0],
                    "pair_scores": [int((both == half / 2).sum()) for half in range(5)],
                    "first": first_games(scores, _KEPT),
                }
            )
        return ladder_dict(
            self.suite,
            self.task,
            self._agents(scale),
            made=self._made(),
            neighbours=[round(float(error), 2) for error in errors],
            covariance=np.round(scale.covariance, 4).tolist(),
            pairs=pairs,
        )

    def _solo_ladder(self) -> dict[str, Any]:
        solos = []
        for record in self.records:
            numbers = np.arange(len(record))
            scores = record.scores(numbers[: len(numbers) - len(record.missing(numbers))])
            measure = exploitability(record.specs[0].text, self.game, seed=SEED)
            assert isinstance(measure, Distance)
            low, high = measure.interval
            solos.append(
                {
                    "agent": record.specs[0].text,
                    "games": scores.games,
                    "wins": scores.wins[0],
                    "distance": {"value": measure.value, "low": low, "high": high},
                    "best": min(1.0, measure.best),
                    "first": first_games(scores, _KEPT),
                }
            )
        return ladder_dict(
            self.suite, self.task, self._agents(None), made=self._made(), solos=solos
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="task to play (default: all)")
    parser.add_argument(
        "--suite", choices=list(SUITES), default="v1", help="benchmark suite (default v1)"
    )
    parser.add_argument(
        "--store", type=Path, metavar="FOLDER", required=True, help="folder for the games"
    )
    parser.add_argument(
        "--minutes", type=float, default=30.0, help="minutes for each task (default 30)"
    )
    parser.add_argument("--workers", type=int, default=1, help="number of processes (default 1)")


def run(options: argparse.Namespace) -> None:
    """Make ladders, or continue unfinished ones.

    Raises:
        ValueError: a task is not in the suite, or a number is out of range.
        OSError: the store cannot be written.
    """
    tasks = suite(options.suite)
    for name in options.tasks:
        if name not in tasks:
            raise ValueError(f"TASK must be one of {', '.join(tasks)}, got {name!r}")
    minutes = finite_number("minutes", options.minutes, 0)
    workers = whole_number("workers", options.workers, 1)
    options.store.mkdir(parents=True, exist_ok=True)
    for name in options.tasks or tasks:
        deadline = time.monotonic() + 60 * minutes
        tournament = _Tournament(options.suite, tasks[name], deadline)
        path = options.store / f"{options.suite}-{name}.games"
        with tournament.open_store(path) as store:
            try:
                for _ in tournament.play(lambda work: local.play(work, workers), store):
                    pass
            finally:
                tournament.write()
