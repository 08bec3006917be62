"""The rating of a policy on one task: its games against reference agents, and the outcome."""

from __future__ import annotations

import collections
import contextlib
import functools
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
from agents.analysis.regret import regret
from agents.arena.games import Numbers
from agents.arena.scores import Scores
from agents.arena.workers import local
from agents.arena.workers.local import Engine
from agents.benchmark.ladder import Ladder
from agents.benchmark.rating import Estimate, Evidence, fit, next_opponent
from agents.benchmark.rounds import round_size
from agents.benchmark.task_games import TaskGames
from agents.benchmark.training_opponents import met_in_training
from agents.naming.spec import UNKNOWN, Spec, specs_of
from agents.players.text.agent import Answers, TextAgent
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
    answers: Answers | None = None
    """The numbers of answers in this call, if the policy is a text player."""

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


class _Rating(TaskGames):
    """The games of a policy and a ladder's agents, until its rating is certain enough."""

    def __init__(
        self, ladder: Ladder, policy: Spec, seed: int, seconds: float, aim: float, report: Progress
    ) -> None:
        alone = policy.game.num_players == 1
        rivals = specs_of(ladder.specs, policy.game)
        super().__init__(
            ladder.task, seed, [(policy,)] if alone else [(policy, rival) for rival in rivals]
        )
        self.ladder = ladder
        self.policy = self.players.get(policy, 0)
        self.version = policy.version(self.policy)
        self.allowed = np.ones(len(self.records), np.bool_)
        """The matches whose games count."""
        self.planned = np.zeros(len(self.records), np.int64)
        """Number of games of each match in the rounds so far."""
        self.estimate: Estimate | None = None
        self.ended = TIME_OVER
        self.seconds_a_game = 0.0
        self._seconds, self._aim, self._report = seconds, aim, report
        self._most = np.zeros(0)
        self._began = 0.0
        self._warming_seconds = 0.0
        self._warm: set[int] = set()

    def begin(self) -> None:
        """Check the agents, and start the clock.

        Raises:
            ValueError: an agent cannot be made.
        """
        for place in range(len(self.records)):
            self.match(place).check_players()
        self._most = self.most_pairs()
        self._began = time.monotonic()

    def spent(self) -> float:
        """Return the seconds since the start, without those of compiling."""
        return time.monotonic() - self._began - self._warming_seconds

    def plan(self) -> tuple[int, Numbers] | None:
        place, number = self._alone() if self.ladder.scale is None else self._against_next()
        if number < 1:
            return None
        first = int(self.planned[place])
        numbers = np.arange(first, first + number)
        self._warm_up(place, numbers)
        self.planned[place] += number
        return place, numbers

    def _against_next(self) -> tuple[int, int]:
        """Return the next match and its number of games, 0 at the end."""
        ladder, evidence = self.ladder, self.evidence()
        assert ladder.scale is not None
        self.estimate = estimate = fit(ladder.scale, evidence)
        games = int(self.planned.sum())
        if games:
            self._report(
                f"{ladder.task.name}: {estimate.elo:+.0f} ({estimate.low:+.0f} to "
                f"{estimate.high:+.0f}) after {counted(games, 'game')}"
            )
        if evidence.pairs.sum() >= _LEAST:
            if estimate.half_width <= self._aim:
                self.ended = f"the interval is within {self._aim:g} points"
                return 0, 0
            if estimate.by_games <= LADDERS * estimate.by_ladder:
                self.ended = "the remaining uncertainty is mainly the ladder's own"
                return 0, 0
        allowed = self.allowed & (evidence.pairs < self._most)
        if not allowed.any():
            self.ended = "all openings were played"
            return 0, 0
        place = int(next_opponent(ladder.scale, estimate, evidence.pairs, allowed))
        pairs = min(
            float(round_size(evidence.pairs.sum())), self._most[place] - evidence.pairs[place]
        )
        return place, 2 * int(self._affordable(2 * pairs) // 2)

    def _alone(self) -> tuple[int, int]:
        """Return the only match of a game for one player, and its number of games."""
        first = int(self.planned[0])
        if first:
            wins = self.records[0].scores(np.arange(first)).wins[0]
            low, high = wilson(wins, first)
            self._report(
                f"{self.task.name}: {wins / first:.4f} ({low:.4f} to {high:.4f}) "
                f"after {counted(first, 'game')}"
            )
        if first >= _SOLO_GAMES:
            self.ended = "all games were played"
            return 0, 0
        return 0, int(self._affordable(min(_SOLO_ROUND, _SOLO_GAMES - first)))

    def _affordable(self, games: float) -> float:
        left = self._seconds - self.spent()
        if left <= 0:
            return 0
        return games if not self.seconds_a_game else min(games, left / self.seconds_a_game)

    def _warm_up(self, place: int, numbers: Numbers) -> None:
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
        self._warming_seconds += time.monotonic() - began

    def evidence(self) -> Evidence:
        """Return the results of the games of all rounds so far."""
        found = Evidence.none(len(self.records))
        for place, planned in enumerate(self.planned):
            both = self.pair_scores(place, np.arange(planned))
            found.pairs[place] = len(both)
            found.scores[place] = both.sum()
            found.squares[place] = (both**2).sum()
        return found

    def play_all(self, engine: Engine | None, path: Path | None) -> None:
        """Play all rounds, by default in this process, and keep the games in a file, if any.

        Raises:
            ValueError: as `run_task`.
        """
        engine = engine or functools.partial(local.play_here, players=self.players)
        if path is not None and self.version == UNKNOWN:
            raise ValueError(
                "store requires a policy with an attribute version: a text that changes with its "
                "weights, so that games of other weights do not count"
            )
        played = 0
        with contextlib.nullcontext() if path is None else self.open_store(path) as store:
            start = self.spent()
            for games in self.play(engine, store):
                played += len(games)
                self.seconds_a_game = (self.spent() - start) / played


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
    aim = ladder.task.aim if aim is None else aim
    report = progress or (lambda _: None)
    rating = _Rating(ladder, policy, seed, seconds, aim, report)
    known = met_in_training(rating.policy) if met is None else tuple(met)
    alone = ladder.scale is None
    if held_out:
        strangers = _strangers(ladder, known)
        if not alone:
            rating.allowed = strangers
    rating.begin()
    perfection = None
    if ladder.task.solved and seconds >= _LONG_ENOUGH:
        report(f"{ladder.task.name}: distance from perfect play")
        perfection = _perfection(rating)
    text_player = rating.policy if isinstance(rating.policy, TextAgent) else None
    # Only this process counts the answers.
    rating.play_all(None if text_player else engine, store)
    places = np.flatnonzero(rating.planned).tolist()
    return Outcome(
        ladder,
        [] if alone else [ladder.specs[place] for place in places],
        [rating.records[place].scores(np.arange(rating.planned[place])) for place in places],
        rating.ended,
        rating.spent(),
        rating.version,
        rating.estimate,
        known,
        held_out and not alone,
        perfection,
        rating.seconds_a_game,
        text_player.answers if text_player else None,
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


def _perfection(rating: _Rating) -> Measure | None:
    """Return the distance from perfect play; `None` for a policy without probabilities."""
    from agents.analysis.exploitability import exploitability

    if not isinstance(rating.policy, Agent):
        return None
    if isinstance(rating.policy, TextAgent):
        return regret(rating.game, rating.policy, seed=rating.seed)
    try:
        return exploitability(rating.policy, rating.game, seed=rating.seed)
    except ValueError:  # its moves are random, with unknown probabilities
        return None
