"""`Schedule`: the games of a tournament that are finished or still to be played."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.arena.games import Games, Numbers
from agents.arena.match import Match
from agents.arena.scores import Scores, agent_scores
from agents.arena.sequential import decided_after
from agents.arena.workers.batch import Batch
from agents.naming.spec import Spec

__all__ = ["Entry", "Schedule"]

_FIRST_LOOK = 32  # maximum size of a pair's first batch in a tested tournament


class Entry:
    """One match: its results so far, and the games that are still to be played."""

    def __init__(self, specs: tuple[Spec, ...], match: Match, num_games: int, tested: bool) -> None:
        """Create an entry without finished games.

        Args:
            specs: the agents.
            match: match of these agents.
            num_games: maximum number of games.
            tested: whether to stop when the sequential test has decided.
        """
        self.specs = specs
        self.match = match
        self.num_games = num_games
        self.tested = tested
        self.name = " - ".join(map(str, specs))
        self.waiting: Numbers = np.arange(num_games)
        """Numbers of the games that nobody plays yet."""
        self.decided: int | None = None
        """Number of games after which the test decided; `None` before that."""
        self._finished = np.zeros(num_games, np.bool_)
        self._games = Games.blank(num_games, match.game.num_players, len(specs))
        self._looked = 0
        self._shortest: tuple[int, int, Games] | None = None
        self._longest: tuple[int, int, Games] | None = None

    @property
    def taken(self) -> int:
        """Number of games that are finished or being played."""
        return self.num_games - len(self.waiting)

    @property
    def closed(self) -> int:
        """Number of games that are finished or no longer needed."""
        return int(self._finished.sum()) if self.decided is None else self.num_games

    @property
    def finished(self) -> bool:
        """Whether no more games are needed."""
        return self.closed == self.num_games

    def add(self, games: Games) -> None:
        """Add finished games; ignore known games and games beyond `num_games`."""
        fresh = games.numbers < self.num_games
        fresh[fresh] = ~self._finished[games.numbers[fresh]]
        games = games.rows(fresh)
        self._finished[games.numbers] = True
        self._games.put(games)
        self._keep_extremes(games)
        if self.tested and self.decided is None:
            self._test()

    def _keep_extremes(self, games: Games) -> None:
        """Keep the shortest and the longest game; the lowest number decides ties."""
        for k, plies in enumerate(games.plies.tolist()):
            number = int(games.numbers[k])
            if self._shortest is None or (plies, number) < self._shortest[:2]:
                self._shortest = plies, number, games.rows([k])
            if self._longest is None or (-plies, number) < (-self._longest[0], self._longest[1]):
                self._longest = plies, number, games.rows([k])

    @property
    def extremes(self) -> list[Games]:
        """The shortest and the longest of the finished games; empty without games."""
        return [games for _, _, games in filter(None, (self._shortest, self._longest))]

    def seated(self) -> list[tuple[list[str], list[float]]]:
        """Return the agent in each seat and each seat's result, for all games that count."""
        num_games = self.num_games if self.decided is None else self.decided
        who = self._games.who[:num_games].tolist()
        returns = self._games.returns[:num_games].tolist()
        return [([self.specs[k].text for k in w], r) for w, r in zip(who, returns, strict=True)]

    def skip(self, numbers: Numbers) -> None:
        """Remove games from those to be played."""
        self.waiting = np.setdiff1d(self.waiting, numbers)

    def put_back(self, numbers: Numbers) -> None:
        """Make the unfinished ones of these games available again."""
        self.waiting = np.union1d(self.waiting, numbers[~self._finished[numbers]])

    def _test(self) -> None:
        """Test whether the games before the first missing one decide the match."""
        missing = np.flatnonzero(~self._finished)
        # Each score is a mean over all seatings: in one seating, equal agents may not score 1/2.
        cycle = len(self.match.seatings)
        cycles = (int(missing[0]) if len(missing) else self.num_games) // cycle
        if cycles > self._looked:
            self._looked = cycles
            after = decided_after(self.cycle_scores(cycles * cycle))
            if after is not None:
                self.decided = after * cycle
                self.waiting = self.waiting[:0]

    def cycle_scores(self, num_games: int) -> np.ndarray:
        """Return the first agent's mean score over each cycle of seatings, float64."""
        scores = self.scores(num_games)
        cycle = len(self.match.seatings)
        means: np.ndarray = ((1 + np.sign(scores.returns[:, 0], dtype=np.float64)) / 2)[
            : num_games // cycle * cycle
        ]
        return means.reshape(-1, cycle).mean(1)

    def scores(self, num_games: int | None = None) -> Scores:
        """Return the scores of the first games, by default of all that count."""
        if num_games is None:
            num_games = self.num_games if self.decided is None else self.decided
        return agent_scores(self._games.rows(slice(num_games)), len(self.specs))


class Schedule:
    """All matches of a tournament, from which batches of games are taken."""

    def __init__(self, seed: int, entries: Sequence[Entry]) -> None:
        """Create a schedule.

        Args:
            seed: seed of every match.
            entries: the matches.
        """
        self.seed = seed
        self.entries = list(entries)

    @property
    def left(self) -> int:
        """Number of games that nobody plays yet."""
        return sum(len(entry.waiting) for entry in self.entries)

    def take(self, most: int) -> Batch | None:
        """Return a batch of games of one match that nobody plays yet, or `None`.

        Args:
            most: maximum number of games.
        """
        waiting = [k for k, entry in enumerate(self.entries) if len(entry.waiting)]
        if not waiting:
            return None
        if any(entry.tested for entry in self.entries):
            # All pairs advance together, and few games are played beyond a decision.
            place = min(waiting, key=lambda k: self.entries[k].taken)
            most = min(most, max(_FIRST_LOOK, self.entries[place].taken // 2))
        else:
            place = waiting[0]
        entry = self.entries[place]
        numbers, entry.waiting = entry.waiting[:most], entry.waiting[most:]
        plies = entry.match.opening_plies
        named = entry.match.named
        openings = None if named is None else named.name
        return Batch(place, entry.specs, self.seed, plies, numbers, openings)

    def put_back(self, batch: Batch) -> None:
        """Make the missing games of an abandoned batch available again."""
        entry = self.entries[batch.match]
        if entry.decided is None:
            entry.put_back(batch.numbers)
