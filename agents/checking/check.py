"""`check_learner`: runs a learner on the probe games, and names the likely cause of a failure."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.agent import blamed
from agents.checking.measuring import NEAR, Exact, Measured
from agents.checking.mistakes import MISTAKES, UNMASKED
from agents.checking.report import LearnerReport, ProbeResult, Verdict
from boardenvs.core.checks import finite_number, shown, whole_number
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game

if TYPE_CHECKING:  # the import registers the probe games
    from boardenvs.probes import Probe

__all__ = ["Train", "check_learner", "longest_time"]

Train = Callable[[Game, int, float], Any]
"""A function of a game, a seed and a time in seconds that returns a policy."""

_MORE = 2
"""A probe that is not right is trained again with this multiple of the time."""
_LEARNING = 0.9
"""A learner is still learning if more time reduces its distance below this share."""
_LEARNING_WITH_CAUSE = 0.75
"""The same for a learner that has learned what a known mistake leads to."""


@dataclass
class _Runs:
    """All trainings of one probe."""

    probe: type[Probe]
    exact: Exact
    first: list[Measured]
    more: list[Measured] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return all(run.is_right for run in self.first)

    @property
    def all(self) -> list[Measured]:
        return [*self.first, *self.more]

    @property
    def progress(self) -> tuple[float, float]:
        first, more = (
            float(np.mean([run.distance for run in runs])) for runs in (self.first, self.more)
        )
        return first, more

    @property
    def last(self) -> list[Measured]:
        """The trainings with the most time."""
        return self.more or self.first

    @property
    def is_learned(self) -> bool:
        """Whether all trainings with the same time are right, in a probe that needs learning."""
        groups = (self.first, self.more)
        right = any(runs and all(run.is_right for run in runs) for runs in groups)
        return self.exact.has_choices and right

    def distance(self, mistake: str) -> float:
        """Return the mean distance of the last trainings to what a mistake leads to."""
        models = MISTAKES[mistake]
        return float(
            np.mean([min(run.distance_to(one, self.exact) for one in models) for run in self.last])
        )


def longest_time(probes: int, seeds: int, seconds: float) -> float:
    """Return the seconds of all trainings if no probe is right."""
    return probes * seeds * seconds * (1 + _MORE)


def check_learner(
    train: Train,
    *,
    probes: Iterable[str] | None = None,
    seeds: int = 3,
    seconds: float = 60,
    progress: bool = False,
) -> LearnerReport:
    """Run a learner on the probe games, and name the likely cause of each failure.

    A probe is a tiny game that isolates one mistake of learning with turns, masks, seats, chance or
    hidden information. A learner is right if its policy plays almost perfectly against perfect
    play, and its values, if it returns any, are almost exact. A probe that is not right is trained
    again with twice the time and other seeds. It is wrong if every training fails, more time does
    not help, and the learner has learned another probe. Otherwise it is not learned in the time.

    Args:
        train: a function `train(game, seed, seconds)` that learns the game in about this time, and
            returns a policy: a spec, an object with `act(states) -> actions`, or a function
            `(observations, masks) -> actions`. Observations are int8 of shape
            `(N, *game.observation_shape)` of the seat to move, and masks are bool of shape
            (N, num_actions). It may return a tuple of a policy and a function `values(observations,
            masks)`. Values are the expected result of the seat to move, shape (N,), or of every
            seat, shape (N, num_players).
        probes: names of probes; by default all of `boardenvs.probes.PROBES`.
        seeds: number of trainings of each probe.
        seconds: time of each training, in seconds.
        progress: whether to show a progress bar on standard error.

    Returns:
        A report with a verdict for each probe. `passed` is whether no probe is wrong.

    Raises:
        ValueError: an argument is not valid, or `train` or its policy fails.

    Example:
        >>> import agents
        >>> report = agents.check_learner(lambda game, seed, seconds: "mcts:200",
        ...                               probes=["probe_one_ply", "probe_reply"], seeds=1)
        >>> [result.verdict for result in report.results], report.passed
        (['right', 'right'], True)
    """
    from agents.report.progress import progress_bar
    from boardenvs.probes import PROBES

    if not callable(train):
        raise ValueError(f"train must be a function (game, seed, seconds), got {shown(train)}")
    names = [*PROBES] if probes is None else _known(probes, PROBES)
    seeds = whole_number("seeds", seeds, 1)
    seconds = finite_number("seconds", seconds, 0)
    runs = []
    with progress_bar(len(names) * seeds, unit="training", shown=progress) as bar:
        for name in names:
            bar.set_description_str(name)
            exact = _exact(name)
            found = _Runs(PROBES[name], exact, [])
            for seed in range(seeds):
                found.first.append(_trained(train, exact, seed, seconds))
                bar.update()
            if not found.is_right:
                bar.total += seeds
                for seed in range(seeds, 2 * seeds):
                    found.more.append(_trained(train, exact, seed, _MORE * seconds))
                    bar.update()
            runs.append(found)
    return LearnerReport(_results(runs), seeds, seconds)


@functools.cache
def _exact(name: str) -> Exact:
    from boardenvs.probes import PROBES

    probe: Callable[..., Game] = PROBES[name]
    return Exact(probe())


def _known(probes: Iterable[str], known: Iterable[str]) -> list[str]:
    if not isinstance(probes, Iterable):
        raise ValueError(f"probes must be a list of names, got {shown(probes)}")
    names = [probes] if isinstance(probes, str) else [*probes]
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ValueError(
                f"probes must be names of {', '.join(known)}, got {shown(name)}"
                f"{did_you_mean(name, known)}"
            )
    if not names:
        raise ValueError("probes must have at least one name, got none")
    return names


def _trained(train: Train, exact: Exact, seed: int, seconds: float) -> Measured:
    """Train once, and measure the result.

    Raises:
        ValueError: `train` fails, or returns something invalid. The message names the probe.
    """
    game = exact.tree.game
    with contextlib.ExitStack() as stack:
        stack.enter_context(blamed(f"train on {game.name} with seed {seed}"))
        learned = train(game, seed, seconds)
    try:
        return Measured(learned, exact, seed)
    except ValueError as error:
        raise ValueError(f"{game.name} with seed {seed}: {error}") from error


def _results(runs: Sequence[_Runs]) -> list[ProbeResult]:
    """Return the verdict of each probe."""
    learned_any = any(one.is_learned for one in runs)
    fits = {
        mistake: float(np.mean([min(one.distance(mistake), 1.0) for one in runs]))
        for mistake in (MISTAKES if not all(one.is_right for one in runs) else ())
    }
    return [_result(one, learned_any, fits) for one in runs]


def _result(runs: _Runs, learned_any: bool, fits: dict[str, float]) -> ProbeResult:
    verdict: Verdict = "right"
    causes: list[str] = []
    if not runs.is_right:
        causes = _causes(runs, fits)
        before, after = runs.progress
        least = (_LEARNING_WITH_CAUSE if causes else _LEARNING) * before
        fails = not any(run.is_right for run in runs.all) and after > least
        # Without values, a slow learner plays like one with a mistake.
        may_be_slow = runs.probe.slow and any(run.values is None for run in runs.last)
        wrong = fails and learned_any and not may_be_slow
        verdict = "wrong" if wrong else "not learned in the time"
    worst = max(runs.last, key=lambda run: run.distance)
    return ProbeResult(
        runs.probe.name,
        runs.probe.checks,
        worst.exact,
        float(np.mean([run.learned for run in runs.last if run.exact == worst.exact])),
        float(np.mean([run.score for run in runs.last])),
        verdict,
        causes if verdict == "wrong" else (),
        None if verdict == "right" else runs.progress,
    )


def _causes(runs: _Runs, fits: dict[str, float]) -> list[str]:
    """Return the mistakes that lead to what was learned, the most likely first.

    Mistakes that explain this probe equally well are sorted by how well they explain all probes.
    """
    causes = [mistake for mistake in MISTAKES if runs.distance(mistake) <= NEAR]
    causes.sort(key=lambda mistake: fits[mistake])
    return [UNMASKED, *causes] if all(run.illegal for run in runs.last) else causes
