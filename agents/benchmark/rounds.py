"""`Rounds`: games that are planned a few at a time, by what came of those before.

`agents.arena.workers.local` plays a round in batches. The next round is planned when the last game
of this one is finished. So the same games are played for any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from agents.arena.games import Games, Numbers
from agents.arena.scores import Scores, agent_scores
from agents.arena.workers.batch import Batch
from boardenvs.game import Game

__all__ = ["Plan", "Record", "Rounds", "round_size"]

_FIRST = 2  # pairs of games of the first round
_GROWTH = 6  # a round has so many times fewer pairs than were played before
_LARGEST = 64

Plan = Callable[[], tuple[int, Numbers] | None]
"""The next round: the place of a match, and the numbers of its games; `None` for the end."""


def round_size(pairs: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """How many pairs of games the next round has.

    Args:
        pairs: that were played, shape (...).
    """
    return np.clip(np.floor(np.asarray(pairs) / _GROWTH), _FIRST, _LARGEST)


class Record:
    """The finished games of one match."""

    def __init__(self, specs: tuple[str, ...]) -> None:
        """Begin with none.

        Args:
            specs: of the agents.
        """
        self.specs = specs
        self._games: dict[int, Games] = {}

    def add(self, games: Games) -> None:
        """Add games; those that are known change nothing."""
        for row, number in enumerate(games.numbers.tolist()):
            if number not in self._games:
                self._games[number] = games.rows([row])

    def missing(self, numbers: Numbers) -> Numbers:
        """Return those of these games that have not been added."""
        wanted: Numbers = np.array([n for n in numbers.tolist() if n not in self._games], np.int64)
        return wanted

    def __len__(self) -> int:
        return len(self._games)

    def whole_pairs(self) -> Numbers:
        """Return the known games whose partner, with swapped seats, is known as well, in order."""
        known = np.array(sorted(self._games), np.int64)
        whole: Numbers = known[np.isin(known ^ 1, known)]
        return whole

    def scores(self, numbers: Numbers) -> Scores:
        """Return the scores of games that have been added, in this order."""
        if not len(numbers):
            return agent_scores(Games.blank(0, len(self.specs), len(self.specs)), len(self.specs))
        games = Games.joined([self._games[number] for number in numbers.tolist()])
        return agent_scores(games, len(self.specs))


class Rounds:
    """Games to play, one round at a time; an `agents.arena.workers.local.Work`."""

    def __init__(
        self,
        game: Game,
        seed: int,
        records: Sequence[Record],
        plan: Plan,
        opening_plies: int,
        openings: str | None,
    ) -> None:
        """Plan nothing yet.

        Args:
            game: what is played in every match.
            seed: of every match.
            records: of the matches.
            plan: asked when a round is finished.
            opening_plies: random plies with which each game begins.
            openings: the name of the openings with which they begin, if they do.
        """
        self.game = game
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
        """How many games of this round nobody plays."""
        return len(self._waiting)

    def take(self, most: int) -> Batch | None:
        """Some games of this round that nobody plays; `None` while the last of them are played."""
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
        return Batch(self._place, self.game, specs, self.seed, plies, numbers, openings)

    def put_back(self, batch: Batch) -> None:
        """Whoever took a batch does not finish it."""
        if batch.match == self._place:
            again = self.records[batch.match].missing(batch.numbers)
            self._waiting = np.union1d(self._waiting, again)
