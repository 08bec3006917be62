"""Over how many threads a loop is spread: Numba's threads, TBB first, as many as measured to pay.

Results never depend on it. What pays depends on the loop, on the number of games and on what
else the machine does just then, so it is measured while the loops run: see `Pace`.
"""

from __future__ import annotations

import math
import os
import threading
from contextlib import AbstractContextManager
from typing import Any

from boardenvs.numba_doors import Threads

__all__ = [
    "Pace",
    "cores",
    "fix_threads",
    "fixed_threads",
    "most_threads",
    "threads_for",
    "turn",
    "usable",
]

_MANY = 1024
"""Plies' worth of work in a call, with which a loop begins on all threads."""
_WORTH_NS = 30_000
"""A call that takes one thread less is left to it: to wake another costs a third of that."""
_FIRST_NS = 2_000_000_000
"""Of work on one thread before others are tried: for these it may have to be compiled anew."""
_SHARE = 0.02
"""Of the time may be lost by trying other numbers of threads."""
_TRIAL = 6
"""Calls that a number of threads is tried for."""
_BETWEEN = 20
"""Calls between two trials, at least."""
_GAIN = 0.95
"""Another number of threads is changed to if no more than this share of the time will do."""
_UNTIMED = 7
"""Calls between two that are timed, in the long run."""


_threads = Threads()
_fixed: int | None = None


def usable() -> bool:
    """Whether this process may use Numba's threads; starts them where it may."""
    return _threads.usable()


def turn() -> AbstractContextManager[Any]:
    """Return the context manager to hold during a call that uses Numba's threads.

    Call `usable` first, which starts the threads.
    """
    return _threads.turn


def cores() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def most_threads() -> int:
    """Over how many threads a loop may be spread, unless its caller names a number."""
    return _threads.most()


def fixed_threads() -> int | None:
    """What `fix_threads` was told."""
    return _fixed


def fix_threads(num: int | None) -> None:
    """From now on take so many threads wherever the caller names no number.

    Args:
        num: at least 1; `None` for as many as measured to pay.

    Raises:
        ValueError: it is no such number.
    """
    from boardenvs.checks import whole_number

    global _fixed  # noqa: PLW0603
    _fixed = None if num is None else whole_number("num", num, 1)


def threads_for(num: int | None) -> int:
    """How many threads a caller gets that names a number, or `None` for as many as there are."""
    return num or _fixed or most_threads()


class Pace:
    """How many threads pay for one loop over about so many games, measured as it runs.

    For 1, 2, 4, ... threads, up to the most, it knows what a game took, averaged over the last
    calls. Now and then the next larger or smaller number is tried for some calls, the less often
    the more that costs. So a program that takes a core away is noticed, and so is its end.
    """

    def __init__(self, most: int, plies: int) -> None:
        """Nothing is known yet.

        Args:
            most: threads.
            plies: that a call does, or what costs as much.
        """
        self._choices = [1 << k for k in range((most - 1).bit_length())] + [most]
        self._costs = [0.0] * len(self._choices)  # nanoseconds a game; 0 while unknown
        many = plies >= _MANY
        self._at = len(self._choices) - 1 if many else 0
        self._wait = 0 if many else _FIRST_NS  # for the next trial
        self._spent = 0  # nanoseconds since the last one
        self._untimed = 1  # calls to come: the first one may compile, load and start things
        self._trial = -1  # the number of threads under trial,
        self._tried = 0  # for so many calls,
        self._taken = 0.0  # and the nanoseconds a game of these calls
        self._up = False
        self._lock = threading.Lock()  # two Python threads may run one loop
        self._left = math.inf  # what a game took with the number last changed from,
        self._lost = 0.0  # and the nanoseconds that the change has lost since then
        self.threads = self._choices[self._at]
        """To take for the next call."""

    def is_timed(self) -> bool:
        """Whether the next call is to be timed, and `took` to be told."""
        if self._untimed > 0:
            self._untimed -= 1
            return False
        return True

    def took(self, num: int, nanoseconds: int) -> None:
        """What a call over `num` games took on `threads`."""
        if self._lock.acquire(blocking=False):
            try:
                self._weigh(num, nanoseconds)
            finally:
                self._lock.release()

    def _weigh(self, num: int, nanoseconds: int) -> None:
        cost = nanoseconds / num
        if self._trial >= 0:
            self._judge(num, cost)
            return
        at, costs = self._at, self._costs
        beside = [*costs[max(0, at - 1) : at], *costs[at + 1 : at + 2]]
        skipped = _UNTIMED if costs[at] and all(beside) else 0
        self._lost += (cost - self._left) * num * (1 + skipped)
        if costs[at]:
            # No single call tells much: the machine may have been asleep.
            cost = costs[at] + (min(cost, 50 * costs[at]) - costs[at]) / 16
        costs[at] = cost
        if at == 0 and nanoseconds < _WORTH_NS:
            self._untimed = 32 * _UNTIMED
            return
        self._spent += nanoseconds * (1 + skipped)
        soon = _BETWEEN * nanoseconds if any(beside) else 0
        better = any(known and known < _GAIN * cost for known in beside)
        if self._spent >= (soon if better else max(self._wait, soon)):
            self._begin()
        else:
            self._untimed = skipped

    def _begin(self) -> None:
        """Try more threads or fewer, in turn where there are both."""
        self._up = not self._up
        other = self._at + (1 if self._up else -1)
        if not 0 <= other < len(self._choices):
            other = 2 * self._at - other
        self._trial, self._tried, self._taken = other, 0, 0.0
        self.threads = self._choices[other]
        self._untimed = 1

    def _judge(self, num: int, cost: float) -> None:
        """Another call of a trial; a bad one ends it soon."""
        mine = self._costs[self._at]
        self._tried += 1
        self._taken += cost
        if self._tried < _TRIAL and self._taken < 4 * _TRIAL * mine:
            return
        found = self._taken / self._tried
        self._costs[self._trial] = found
        if found < _GAIN * mine:
            # What was lost since the last change, if that was a bad one, is made up for, too.
            lost = self._lost
            self._at, self._left, self._lost = self._trial, mine, 0.0
        else:
            lost = (found - mine) * num * (self._tried + 1)
        self._wait = int(max(0.0, lost) / _SHARE)
        self._trial, self._spent = -1, 0
        self.threads = self._choices[self._at]
