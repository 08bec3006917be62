"""Reference curves: train a learner and rate it at regular steps. Requires `[train]`."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from agents.benchmark.ladder import read_ladder
from agents.curves.curve import Curve, Point
from agents.curves.learners import LEARNERS
from agents.networks.sharded import one_torch_thread
from boardenvs.core.checks import callable_or_none, finite_number, shown, whole_number
from boardenvs.core.suggestion import did_you_mean
from boardenvs.kernels.interpreting import compile_first

__all__ = ["learn"]

_FIRST = 4096  # decisions before the first rating after the start
_GROWTH = 1.5  # ratio of the decisions of successive ratings


@compile_first()
def learn(
    learner: str,
    task: str,
    seed: int = 0,
    minutes: float = 10.0,
    suite: str = "v1",
    progress: Callable[[Curve, Point], None] | None = None,
) -> Curve:
    """Train one of the baseline learners on a task, and rate it on the ladder as it learns.

    On the same machine, the same seed makes the same agents. Ratings do not count as training time.

    Args:
        learner: name in `agents.curves.learners.LEARNERS`.
        task: name of a task of the suite.
        seed: seed of everything random, from 0 to 2**31 - 1.
        minutes: training time as CPU time of one core. Two busy cores need half of it.
        suite: name of the suite.
        progress: function called with the curve and each new point.

    Raises:
        ValueError: the learner, task or suite does not exist, the learner does not support the
            game, or a number is out of range.

    Example:
        >>> from agents.curves import learn
        >>> curve = learn("ppo", "game112", minutes=0)  # one round of training
        >>> [point.decisions for point in curve.points]
        [0, 16384]
    """
    if learner not in LEARNERS:
        raise ValueError(
            f"learner must be one of {', '.join(LEARNERS)}, got {shown(learner)}"
            f"{did_you_mean(str(learner), LEARNERS)}"
        )
    kind, about = LEARNERS[learner], read_ladder(suite, task).task
    kind.check(about)
    seed = whole_number("seed", seed, 0, 2**31 - 1)
    seconds = 60 * finite_number("minutes", minutes, 0)
    callable_or_none("progress", progress)
    command = f"boardenvs curves {task} --learn {learner} --seeds {seed} --minutes {minutes:g}"
    curve = Curve(learner, task, seed, suite, command, kind.met)
    torch.manual_seed(seed)
    begun = kind.make(about, seed)
    part = begun.part

    def rate(spent: float) -> None:
        point = curve.rate(lambda *_: begun.agent(), part.steps, spent)
        if progress is not None:
            progress(curve, point)

    spent, due = 0.0, float(_FIRST)
    rate(spent)
    while True:
        began = time.process_time()
        with one_torch_thread():  # more threads are slower for small networks
            part.advance()
        spent += time.process_time() - began
        over = spent >= seconds
        if part.steps >= due or over:
            rate(spent)
            due = part.steps * _GROWTH
        if over:
            return curve
