"""`Rounds`: games that are planned a few at a time, by the results of earlier games.

`agents.arena.workers.local` plays a round in batches. The next round is planned when all games of
the round are finished. So the games do not depend on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from agents.arena.games import Games, Numbers
from agents.arena.scores import Scores, agent_scores
from agents.arena.workers.batch import Batch
from agents.naming.spec import Spec

__all__ = ["Plan", "Record", "Rounds", "round_size"]

_FIRST = 2  # minimum pairs of games in a round
_GROWTH = 6  # ratio of all earlier pairs to the pairs of a round
_LARGEST = 64  # maximum pairs of games in a round

Plan = Callable[[], tuple[int, Numbers] | None]
"""A function that returns the next round, the index of a match and the numbers of its games, or
`None` at the end."""


def round_size(pairs: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the number of pairs of games in the next round.

    Args:
        pairs: number of pairs played so far, shape (...).
    """
    return np.clip(np.floor(np.asarray(pairs) / _GROWTH), _FIRST, _LARGEST)


class Record:
    """The finished games of one match."""

    def __init__(self, specs: tuple[Spec, ...]) -> None:
        """Create a record without games.

        Args:
            specs: the agents.
        """
        self.specs = specs
        self._games: dict[int, Games] = {}

    def add(self, games: Games) -> None:
        """Add games; ignore known ones."""
        for row, number in enumerate(games.numbers.tolist()):
            if number not in self._games:
                self._games[number] = games.rows([row])

    def missing(self, numbers: Numbers) -> Numbers:
        """Return the numbers of games that have not been added."""
        wanted: Numbers = np.array([n for n in numbers.tolist() if n not in self._games], np.int64)
        return wanted

    def __len__(self) -> int:
        return len(self._games)

    def whole_pairs(self) -> Numbers:
        """Return the numbers of games whose partner with swapped seats is known, in order."""
        known = np.array(sorted(self._games), np.int64)
        whole: Numbers = known[np.isin(known ^ 1, known)]
        return whole

    def scores(self, numbers: Numbers) -> Scores:
        """Return the scores of added games, in the given order."""
        if not len(numbers):
            return agent_scores(Games.blank(0, len(self.specs), len(self.specs)), len(self.specs))
        games = Games.joined([self._games[number] for number in numbers.tolist()])
        return agent_scores(games, len(self.specs))


class Rounds:
    """Games to play, one round at a time; an `agents.arena.workers.local.Work`."""

    def __init__(
        self,
        seed: int,
        records: Sequence[Record],
        plan: Plan,
        opening_plies: int,
        openings: str | None,
    ) -> None:
        """Create rounds, without planning the first.

        Args:
            seed: seed of every match.
            records: finished games of the matches.
            plan: function called when a round is finished.
            opening_plies: number of random plies at the start of each game.
            openings: name of the openings, if the games use any.
        """
        self.seed = seed
        self.records = list(records)
        self._plan = plan
        self._opening = opening_plies, openings
        self._place = 0
        self._round = np.zeros(0, np.int64)
        self._waiting = np.zeros(0, np.int64)
        self._over = False

    @property
    def left(self) -> int:
        """Number of games of this round that nobody plays yet."""
        return len(self._waiting)

    def take(self, most: int) -> Batch | None:
        """Return a batch of games of this round, or `None` while its last games are played."""
        while not len(self._waiting):
            if self._over or len(self.records[self._place].missing(self._round)):
                return None
            planned = self._plan()
            if planned is None:
                self._over = True
                return None
            self._place, self._round = planned
            self._waiting = self.records[self._place].missing(self._round)
        numbers, self._waiting = self._waiting[:most], self._waiting[most:]
        specs = self.records[self._place].specs
        plies, openings = self._opening
        return Batch(self._place, specs, self.seed, plies, numbers, openings)

    def put_back(self, batch: Batch) -> None:
        """Make the missing games of an abandoned batch available again."""
        if batch.match == self._place:
            again = self.records[batch.match].missing(batch.numbers)
            self._waiting = np.union1d(self._waiting, again)
