"""A measurement of how many threads pay for a loop, made while it runs."""

from __future__ import annotations

import math
import threading

__all__ = ["ThreadTuner"]

_MANY = 1024
"""A loop starts on all threads if a call has at least this much work, in plies."""
_WORTH_NS = 30_000
"""Calls shorter than this run on one thread. To wake another thread takes a third of this."""
_FIRST_NS = 2_000_000_000
"""Work on one thread before more are tried, since the loop may have to be compiled for them."""
_SHARE = 0.02
"""The share of the time that trials of other numbers of threads may lose."""
_TRIAL = 6
"""Calls in a trial of a number of threads."""
_BETWEEN = 20
"""The least number of calls between two trials."""
_GAIN = 0.95
"""Another number of threads is taken if it needs less than this share of the time."""
_UNTIMED = 7
"""Calls between two timed ones, in the long run."""


class ThreadTuner:
    """The number of threads for one loop over batches of about one size.

    For 1, 2, 4, ... threads the tuner keeps the mean time of a game in the last calls. From time to
    time it tries the next larger or smaller number for some calls, less often if trials cost more.
    So it notices when another program takes a core, and when that program ends.
    """

    def __init__(self, most: int, plies: int) -> None:
        """Start without any measurement.

        Args:
            most: the largest number of threads.
            plies: the work of one call, in plies.
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
        """How many threads the next call takes."""

    def is_timed(self) -> bool:
        """Return whether the caller should time the next call and then call `took`."""
        if self._untimed > 0:
            self._untimed -= 1
            return False
        return True

    def took(self, num: int, nanoseconds: int) -> None:
        """Take the time of a call over `num` games on `threads` threads."""
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
            # A single call counts little: the machine may have been asleep.
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
        """Begin a trial of more threads, or of fewer, in turn."""
        self._up = not self._up
        other = self._at + (1 if self._up else -1)
        if not 0 <= other < len(self._choices):
            other = 2 * self._at - other
        self._trial, self._tried, self._taken = other, 0, 0.0
        self.threads = self._choices[other]
        self._untimed = 1

    def _judge(self, num: int, cost: float) -> None:
        """Take the time of a call of the trial, and end the trial if it is long or bad enough."""
        mine = self._costs[self._at]
        self._tried += 1
        self._taken += cost
        if self._tried < _TRIAL and self._taken < 4 * _TRIAL * mine:
            return
        found = self._taken / self._tried
        self._costs[self._trial] = found
        if found < _GAIN * mine:
            # If the last change was bad, what was lost since then counts as well.
            lost = self._lost
            self._at, self._left, self._lost = self._trial, mine, 0.0
        else:
            lost = (found - mine) * num * (self._tried + 1)
        self._wait = int(max(0.0, lost) / _SHARE)
        self._trial, self._spent = -1, 0
        self.threads = self._choices[self._at]
