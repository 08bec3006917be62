"""`Schedule`: which games are still to be played, and which are there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.arena.match import Games, Match, Numbers
from agents.arena.scores import Scores, agent_scores
from agents.arena.sequential import decided_after
from agents.arena.workers.batch import Batch
from boardenvs.game import Game

__all__ = ["Entry", "Schedule"]

_FIRST_LOOK = 32  # games that a pair plays before it can be seen to be decided


class Entry:
    """One match: its results so far, and what nobody has been told to play yet."""

    def __init__(self, specs: tuple[str, ...], match: Match, num_games: int, tested: bool) -> None:
        """Begin with no game played.

        Args:
            specs: of the agents.
            match: of these agents.
            num_games: how many games at most.
            tested: whether to stop when the sequential test has decided.
        """
        self.specs = specs
        self.match = match
        self.num_games = num_games
        self.tested = tested
        self.name = " - ".join(specs)
        self.waiting: Numbers = np.arange(num_games)
        """Games that nobody plays."""
        self.decided: int | None = None
        """After how many games the test has decided."""
        self._finished = np.zeros(num_games, np.bool_)
        self._returns = np.zeros((num_games, *match.seatings.shape[1:]), np.float32)
        self._who = np.zeros((num_games, *match.seatings.shape[1:]), np.int64)
        self._plies = np.zeros(num_games, np.int32)
        self._offenders = np.full(num_games, -1)
        self._seconds = np.zeros((num_games, len(specs)))
        self._choices = np.zeros((num_games, len(specs)), np.int64)
        self._looked = 0
        self._shortest: tuple[int, int, Games] | None = None
        self._longest: tuple[int, int, Games] | None = None

    @property
    def taken(self) -> int:
        """How many games are played or being played."""
        return self.num_games - len(self.waiting)

    @property
    def closed(self) -> int:
        """How many games are finished, or need not be played any more."""
        return int(self._finished.sum()) if self.decided is None else self.num_games

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.closed == self.num_games

    def add(self, games: Games) -> None:
        """Take note of finished games; those that are known or not asked for change nothing."""
        fresh = games.numbers < self.num_games
        fresh[fresh] = ~self._finished[games.numbers[fresh]]
        numbers = games.numbers[fresh]
        self._finished[numbers] = True
        self._returns[numbers] = games.returns[fresh]
        self._who[numbers] = games.who[fresh]
        self._plies[numbers] = games.plies[fresh]
        self._offenders[numbers] = games.offenders[fresh]
        self._seconds[numbers] = games.seconds[fresh]
        self._choices[numbers] = games.choices[fresh]
        self._keep_extremes(games.rows(fresh))
        if self.tested and self.decided is None:
            self._test()

    def _keep_extremes(self, games: Games) -> None:
        """Of games equally long the one with the lowest number, whenever it comes."""
        for k, plies in enumerate(games.plies.tolist()):
            number = int(games.numbers[k])
            if self._shortest is None or (plies, number) < self._shortest[:2]:
                self._shortest = plies, number, games.rows([k])
            if self._longest is None or (-plies, number) < (-self._longest[0], self._longest[1]):
                self._longest = plies, number, games.rows([k])

    @property
    def extremes(self) -> list[Games]:
        """The shortest and the longest of the finished games, one each; none without games."""
        return [games for _, _, games in filter(None, (self._shortest, self._longest))]

    def seated(self) -> list[tuple[list[str], list[float]]]:
        """Each game that counts: the agent in each seat, and the seat's result."""
        num_games = self.num_games if self.decided is None else self.decided
        who, returns = self._who[:num_games].tolist(), self._returns[:num_games].tolist()
        return [([self.specs[k] for k in w], r) for w, r in zip(who, returns, strict=True)]

    def skip(self, numbers: Numbers) -> None:
        """Nobody need play these games."""
        self.waiting = np.setdiff1d(self.waiting, numbers)

    def put_back(self, numbers: Numbers) -> None:
        """Those of these games that are not there wait again."""
        self.waiting = np.union1d(self.waiting, numbers[~self._finished[numbers]])

    def _test(self) -> None:
        """Look whether the games so far, as far as none before them is missing, decide it."""
        missing = np.flatnonzero(~self._finished)
        # A score is the mean over all seatings: of one seating alone, equals need not score 1/2.
        cycle = len(self.match.seatings)
        cycles = (int(missing[0]) if len(missing) else self.num_games) // cycle
        if cycles > self._looked:
            self._looked = cycles
            after = decided_after(self.cycle_scores(cycles * cycle))
            if after is not None:
                self.decided = after * cycle
                self.waiting = self.waiting[:0]

    def cycle_scores(self, num_games: int) -> np.ndarray:
        """Mean score of the first agent over each cycle of seatings, float64."""
        scores = self.scores(num_games)
        cycle = len(self.match.seatings)
        means: np.ndarray = ((1 + np.sign(scores.returns[:, 0], dtype=np.float64)) / 2)[
            : num_games // cycle * cycle
        ]
        return means.reshape(-1, cycle).mean(1)

    def scores(self, num_games: int | None = None) -> Scores:
        """What came out of the first games, by default all that count, none missing."""
        if num_games is None:
            num_games = self.num_games if self.decided is None else self.decided
        return agent_scores(
            self._returns[:num_games],
            self._who[:num_games],
            self._plies[:num_games],
            self._offenders[:num_games],
            len(self.specs),
            self._seconds[:num_games],
            self._choices[:num_games],
        )


class Schedule:
    """All matches, handed out in batches."""

    def __init__(self, game: Game, seed: int, entries: Sequence[Entry]) -> None:
        """Set up.

        Args:
            game: what is played in every match.
            seed: of every match.
            entries: the matches.
        """
        self.game = game
        self.seed = seed
        self.entries = list(entries)

    @property
    def left(self) -> int:
        """How many games wait for somebody to play them."""
        return sum(len(entry.waiting) for entry in self.entries)

    def take(self, most: int) -> Batch | None:
        """Some games of one match that nobody plays yet; `None` if there are none.

        Args:
            most: how many at most.
        """
        waiting = [k for k, entry in enumerate(self.entries) if len(entry.waiting)]
        if not waiting:
            return None
        if any(entry.tested for entry in self.entries):
            # All pairs keep pace, and none runs far ahead of what may be decided already.
            place = min(waiting, key=lambda k: self.entries[k].taken)
            most = min(most, max(_FIRST_LOOK, self.entries[place].taken // 2))
        else:
            place = waiting[0]
        entry = self.entries[place]
        numbers, entry.waiting = entry.waiting[:most], entry.waiting[most:]
        plies = entry.match.opening_plies
        named = entry.match.named
        openings = None if named is None else named.name
        return Batch(place, self.game, entry.specs, self.seed, plies, numbers, openings)

    def put_back(self, batch: Batch) -> None:
        """Whoever took a batch does not finish it: what is missing of it waits again."""
        entry = self.entries[batch.match]
        if entry.decided is None:
            entry.put_back(batch.numbers)
