"""`TaskGames`: the matches of one task, with their finished games and their store."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from agents.arena.games import Games, Numbers
from agents.arena.match import Match
from agents.arena.workers.batch import Players
from agents.arena.workers.local import Engine
from agents.benchmark.rounds import Record, Rounds
from agents.benchmark.tasks import Task
from agents.benchmark.tournament import pair_scores
from agents.naming.spec import Spec

if TYPE_CHECKING:
    from agents.arena.storage.store import Store

__all__ = ["TaskGames"]


class TaskGames(ABC):
    """The matches of one task. A subclass plans their rounds."""

    def __init__(self, task: Task, seed: int, lineups: Sequence[tuple[Spec, ...]]) -> None:
        """Create matches without games.

        Args:
            task: the task.
            seed: seed of every match.
            lineups: agents of each match.
        """
        self.task = task
        self.seed = seed
        self.game = lineups[0][0].game
        self.players = Players(seed)
        self.records = [Record(specs) for specs in lineups]
        """Finished games of each match."""

    @abstractmethod
    def plan(self) -> tuple[int, Numbers] | None:
        """Return the next round, as `agents.benchmark.rounds.Plan`."""

    def match(self, place: int) -> Match:
        """Return a match by its index."""
        specs = self.records[place].specs
        return self.players.match(specs, self.task.opening_plies, self.task.openings)

    def most_pairs(self) -> npt.NDArray[np.float64]:
        """Return the maximum number of different pairs of games in each match, shape (M,)."""
        most = np.full(len(self.records), np.inf)
        if self.task.openings is not None:
            for place in range(len(self.records)):
                match = self.match(place)
                assert match.named is not None
                if all(getattr(player, "deterministic", False) for player in match.players):
                    most[place] = len(match.named.moves)
        return most

    def pair_scores(self, place: int, numbers: Numbers) -> npt.NDArray[np.float64]:
        """Return the first agent's score in each pair of these games, shape (P,)."""
        return pair_scores(self.records[place].scores(numbers).returns[:, 0].tolist())

    def open_store(self, path: Path) -> Store:
        """Open the store that keeps the games, and add its games to the records.

        Raises:
            ValueError: the store has other games.
            OSError: the store cannot be written.
        """
        from agents.arena.storage.store import Lineup, Store

        named = self.match(0).named
        store = Store.open(path, self.game, self.seed, None if named is None else named.version)
        try:
            plies = self.task.opening_plies
            store.enter(
                [
                    Lineup(
                        record.specs,
                        tuple(
                            spec.version(self.players.get(spec, place))
                            for place, spec in enumerate(record.specs)
                        ),
                        plies,
                    )
                    for record in self.records
                ]
            )
            for record in self.records:
                for games in store.games(record.specs):
                    record.add(games)
        except BaseException:
            store.close()
            raise
        return store

    def play(self, engine: Engine, store: Store | None = None) -> Iterator[Games]:
        """Play the planned rounds, and yield finished games after they are kept."""
        task = self.task
        work = Rounds(self.seed, self.records, self.plan, task.opening_plies, task.openings)
        with contextlib.closing(engine(work)) as playing:
            for place, games in playing:
                if store is not None:
                    store.add(self.records[place].specs, games)
                self.records[place].add(games)
                yield games
