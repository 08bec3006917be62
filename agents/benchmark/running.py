"""The rating of a policy on one task: its games against reference agents, and the outcome."""

from __future__ import annotations

import collections
import contextlib
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.analysis.intervals import wilson
from agents.analysis.measures import Measure
from agents.arena.match import Match
from agents.arena.scores import Scores
from agents.arena.workers import local
from agents.arena.workers.batch import Players
from agents.arena.workers.local import Engine
from agents.benchmark.ladder import Ladder
from agents.benchmark.rating import Estimate, Evidence, fit, next_opponent
from agents.benchmark.rounds import Record, Rounds, round_size
from agents.benchmark.tournament import pair_scores
from agents.benchmark.training_opponents import met_in_training
from agents.naming.spec import UNKNOWN, Spec, specs_of
from boardenvs.core.checks import counted
from boardenvs.kernels.interpreting import compile_first

__all__ = ["LADDERS", "TIME_OVER", "Outcome", "run_task"]

Progress = Callable[[str], Any]
_LEAST = 20  # minimum number of pairs of games
LADDERS = 0.5
"""Games are enough if they add at most this share of the ladder's uncertainty."""
TIME_OVER = "the time was over"
"""The reason why a task ended that more time would continue."""
_LONG_ENOUGH = 60.0  # seconds of a task, of which measuring perfect play may take a third
_SOLO_ROUND = 500
_SOLO_GAMES = 10_000


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task."""

    ladder: Ladder
    agents: list[str]
    """The reference agents that the policy played; empty in a game for one player."""
    scores: list[Scores]
    """The scores against each of these agents; a single entry in a game for one player."""
    ended: str
    """The reason why the task ended."""
    seconds: float
    """Playing time in seconds, without games from a store and without compiling."""
    version: str
    """The version of the policy, or "unknown"."""
    estimate: Estimate | None = None
    """The rating; `None` in a game for one player."""
    met: tuple[str, ...] | None = None
    """Specs of agents that the policy met in training; `None` if unknown."""
    held_out: bool = False
    """Whether the policy was rated only against agents that it did not meet in training."""
    perfection: Measure | None = None
    """The policy's distance from perfect play, if measured."""
    seconds_per_game: float = 0.0
    """Mean playing time of a game in this call, with all its processes; 0 if none was played."""

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(scores.games for scores in self.scores)

    def value(self) -> tuple[float, float, float]:
        """Return the Elo, or the share won in a game for one player, with its 95% interval.

        Raises:
            ValueError: no game was played.
        """
        if not self.games:
            raise ValueError(f"{self.ladder.task.name} is not rated: no game was played")
        if self.estimate is not None:
            found = self.estimate
            return float(found.elo), float(found.low), float(found.high)
        wins = self.scores[0].wins[0]
        return wins / self.games, *wilson(wins, self.games)


class _Meeting:
    """A policy and a ladder's agents, with the games between them."""

    def __init__(self, ladder: Ladder, policy: Spec, seed: int) -> None:
        self.ladder = ladder
        self.game = policy.game
        self.seed = seed
        self.players = Players(seed)
        self.policy = self.players.get(policy, 0)
        alone = self.game.num_players == 1
        rivals = specs_of(ladder.specs, self.game)
        lineups = [(policy, *([] if alone else [rival])) for rival in rivals]
        self.records = [Record(specs) for specs in (lineups[:1] if alone else lineups)]
        self.version = policy.version(self.policy)
        self.planned = np.zeros(len(self.records), np.int64)
        """Number of games of each match in the rounds so far."""
        self.seconds_a_game = 0.0
        self.warming_seconds = 0.0
        """Seconds that `warm_up` has taken."""
        self._warm: set[int] = set()

    def warm_up(self, place: int, numbers: np.ndarray) -> None:
        """Play the first plies of a match once, so that compiling does not count as playing time.

        Args:
            place: the place of the match.
            numbers: the planned games of the match. If all have been played, nothing is done.
        """
        if place in self._warm or not len(self.records[place].missing(numbers)):
            return
        self._warm.add(place)
        began = time.monotonic()
        with compile_first():
            both = itertools.islice(self.match(place).play(np.arange(2)), 2)  # one ply for each
            collections.deque(both, 0)
        self.warming_seconds += time.monotonic() - began

    def match(self, place: int) -> Match:
        task = self.ladder.task
        return self.players.match(self.records[place].specs, task.opening_plies, task.openings)

    def most_pairs(self) -> np.ndarray:
        """Return the number of different pairs of games of the policy with each agent."""
        most = np.full(len(self.records), np.inf)
        if self.ladder.task.openings is not None:
            for place in range(len(self.records)):
                match = self.match(place)
                assert match.named is not None
                if all(getattr(player, "deterministic", False) for player in match.players):
                    most[place] = len(match.named.moves)
        return most

    def evidence(self) -> Evidence:
        """Return the results of the games of all rounds so far."""
        found = Evidence.none(len(self.records))
        for place, record in enumerate(self.records):
            scores = record.scores(np.arange(self.planned[place]))
            both = pair_scores(scores.returns[:, 0].tolist())
            found.pairs[place] = len(both)
            found.scores[place] = both.sum()
            found.squares[place] = (both**2).sum()
        return found


def run_task(
    ladder: Ladder,
    policy: Spec,
    seed: int,
    seconds: float,
    aim: float | None = None,
    store: Path | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    met: Sequence[str] | None = None,
    *,
    held_out: bool = False,
) -> Outcome:
    """Rate a policy on a task, until its interval is narrow enough or the time is over.

    Args:
        ladder: ladder of the task.
        policy: the policy, for the game of the task.
        seed: seed of everything random.
        seconds: playing time, after which no more games begin. Compiling does not count.
        aim: half the width of the interval at which the task ends, in points; by default the
            task's.
        store: file that keeps the games and may have games of an earlier run.
        engine: function that plays the games; by default this process plays, as it must for a
            `PolicySpec`.
        progress: function called repeatedly with the rating so far, in words.
        met: specs of agents that the policy met in training; by default from its card, if it has
            one.
        held_out: whether to rate the policy only against agents that it did not meet in training.

    Raises:
        ValueError: the policy cannot be made or fails, or the store has other games. With
            `held_out`, the agents that the policy met are unknown, or it met all agents.
    """
    meeting = _Meeting(ladder, policy, seed)
    known = met_in_training(meeting.policy) if met is None else tuple(met)
    strangers = _strangers(ladder, known) if held_out else np.ones(len(ladder.specs), np.bool_)
    for place in range(len(meeting.records)):
        meeting.match(place).check_players()
    most = meeting.most_pairs()
    began = time.monotonic()
    ended = [TIME_OVER]
    report = progress or (lambda _: None)
    aim = ladder.task.aim if aim is None else aim
    perfection = None
    if ladder.task.solved and seconds >= _LONG_ENOUGH:
        report(f"{ladder.task.name}: distance from perfect play")
        perfection = _perfection(meeting)
    latest: list[Estimate] = []

    def spent() -> float:
        return time.monotonic() - began - meeting.warming_seconds

    def affordable(games: float) -> float:
        left = seconds - spent()
        if left <= 0:
            return 0
        return games if not meeting.seconds_a_game else min(games, left / meeting.seconds_a_game)

    def plan() -> tuple[int, np.ndarray] | None:
        assert ladder.scale is not None
        evidence = meeting.evidence()
        estimate = fit(ladder.scale, evidence)
        latest[:] = [estimate]
        games = int(meeting.planned.sum())
        if games:
            report(
                f"{ladder.task.name}: {estimate.elo:+.0f} ({estimate.low:+.0f} to "
                f"{estimate.high:+.0f}) after {counted(games, 'game')}"
            )
        if evidence.pairs.sum() >= _LEAST:
            if estimate.half_width <= aim:
                ended[0] = f"the interval is within {aim:g} points"
                return None
            if estimate.by_games <= LADDERS * estimate.by_ladder:
                ended[0] = "the remaining uncertainty is mainly the ladder's own"
                return None
        allowed = strangers & (evidence.pairs < most)
        if not allowed.any():
            ended[0] = "all openings were played"
            return None
        place = int(next_opponent(ladder.scale, estimate, evidence.pairs, allowed))
        pairs = min(float(round_size(evidence.pairs.sum())), most[place] - evidence.pairs[place])
        number = 2 * int(affordable(2 * pairs) // 2)
        if number < 2:
            return None
        first = int(meeting.planned[place])
        numbers = np.arange(first, first + number)
        meeting.warm_up(place, numbers)
        meeting.planned[place] += number
        return place, numbers

    def plan_alone() -> tuple[int, np.ndarray] | None:
        first = int(meeting.planned[0])
        wins = meeting.records[0].scores(np.arange(first)).wins[0] if first else 0
        if first:
            low, high = wilson(wins, first)
            report(
                f"{ladder.task.name}: {wins / first:.4f} ({low:.4f} to {high:.4f}) "
                f"after {counted(first, 'game')}"
            )
        if first >= _SOLO_GAMES:
            ended[0] = "all games were played"
            return None
        number = int(affordable(min(_SOLO_ROUND, _SOLO_GAMES - first)))
        if number < 1:
            return None
        numbers = np.arange(first, first + number)
        meeting.warm_up(0, numbers)
        meeting.planned[0] += number
        return 0, numbers

    alone = ladder.scale is None
    work = Rounds(
        seed,
        meeting.records,
        plan_alone if alone else plan,
        ladder.task.opening_plies,
        ladder.task.openings,
    )
    played = 0
    with _opened(store, meeting) as kept:
        playing = local.play_here(work, meeting.players) if engine is None else engine(work)
        start = spent()
        with contextlib.closing(playing):
            for place, games in playing:
                if kept is not None:
                    kept.add(meeting.records[place].specs, games)
                meeting.records[place].add(games)
                played += len(games)
                meeting.seconds_a_game = (spent() - start) / played
    places = [place for place, number in enumerate(meeting.planned) if number]
    return Outcome(
        ladder,
        [] if alone else [ladder.specs[place] for place in places],
        [meeting.records[place].scores(np.arange(meeting.planned[place])) for place in places],
        ended[0],
        spent(),
        meeting.version,
        None if alone else latest[0],
        known,
        held_out and not alone,
        perfection,
        meeting.seconds_a_game,
    )


def _strangers(ladder: Ladder, met: tuple[str, ...] | None) -> npt.NDArray[np.bool_]:
    """Return a mask of the ladder's agents that the policy did not meet in training."""
    if met is None:
        raise ValueError(
            "held_out requires met, because the agents that the policy met in training are unknown"
        )
    strangers = np.array([spec not in met for spec in ladder.specs], np.bool_)
    if ladder.scale is not None and not strangers.any():
        raise ValueError(
            f"held_out requires an agent of {ladder.task.name} that the policy did not meet in "
            "training, but it met all"
        )
    return strangers


def _perfection(meeting: _Meeting) -> Measure | None:
    """Return the distance from perfect play; `None` for a policy without probabilities."""
    from agents.analysis.exploitability import exploitability

    if not isinstance(meeting.policy, Agent):
        return None
    try:
        return exploitability(meeting.policy, meeting.game, seed=meeting.seed)
    except ValueError:  # its moves are random, with unknown probabilities
        return None


def _opened(path: Path | None, meeting: _Meeting) -> contextlib.AbstractContextManager[Any]:
    """Return the store that keeps the games, or a context of `None`. Record its games."""
    if path is None:
        return contextlib.nullcontext()
    from agents.arena.storage.store import Lineup, Store

    if meeting.version == UNKNOWN:
        raise ValueError(
            "store requires a policy with an attribute version: a text that changes with its "
            "weights, so that games of other weights do not count"
        )
    named = meeting.match(0).named
    store = Store.open(path, meeting.game, meeting.seed, None if named is None else named.version)
    try:
        plies = meeting.ladder.task.opening_plies
        versions = {
            spec.text: spec.version(meeting.players.get(spec, 1))
            for record in meeting.records
            for spec in record.specs[1:]
        }
        versions.setdefault(meeting.records[0].specs[0].text, meeting.version)
        store.enter(
            [
                Lineup(record.specs, tuple(versions[spec.text] for spec in record.specs), plies)
                for record in meeting.records
            ]
        )
        for record in meeting.records:
            for games in store.games(record.specs):
                record.add(games)
    except BaseException:
        store.close()
        raise
    return store
