"""Measurement of the fastest number of threads for a loop, while it runs."""

from __future__ import annotations

import math
import threading

__all__ = ["ThreadTuner"]

_MANY = 1024
"""Minimum work of a call, in plies, for a loop to start on all threads."""
_WORTH_NS = 30_000
"""Shorter calls (ns) run on one thread. To wake another thread takes a third of this."""
_FIRST_NS = 2_000_000_000
"""Time on one thread (ns) before the first trial, since threads may require a compilation."""
_SHARE = 0.02
"""Maximum share of the time that trials may lose."""
_TRIAL = 6
"""Number of calls in a trial."""
_BETWEEN = 20
"""Minimum number of calls between two trials."""
_GAIN = 0.95
"""The number of threads changes if this reduces the time to less than this share."""
_UNTIMED = 7
"""Number of calls between two timed calls, in the long run."""


class ThreadTuner:
    """The number of threads for one loop over batches of about one size.

    The tuner keeps the mean time per game for 1, 2, 4, ... threads. Now and then it tries the next
    larger or smaller number, less often if trials cost more. So it adapts when another program
    starts or stops using a core.
    """

    def __init__(self, most: int, plies: int) -> None:
        """Start without measurements.

        Args:
            most: maximum number of threads.
            plies: work of one call, in plies.
        """
        self._choices = [1 << k for k in range((most - 1).bit_length())] + [most]
        self._costs = [0.0] * len(self._choices)  # nanoseconds per game, 0 if unknown
        many = plies >= _MANY
        self._at = len(self._choices) - 1 if many else 0
        self._wait = 0 if many else _FIRST_NS  # nanoseconds until the next trial
        self._spent = 0  # nanoseconds since the last trial
        self._untimed = 1  # untimed calls to come; the first call may compile or start threads
        self._trial = -1  # index of the number under trial
        self._tried = 0  # number of calls of the trial
        self._taken = 0.0  # sum of the nanoseconds per game in the trial
        self._up = False
        self._lock = threading.Lock()  # two Python threads may run one loop
        self._left = math.inf  # nanoseconds per game before the last change
        self._lost = 0.0  # nanoseconds lost by the last change
        self.threads = self._choices[self._at]
        """Number of threads of the next call."""

    def is_timed(self) -> bool:
        """Return whether the caller should time the next call and then call `took`."""
        if self._untimed > 0:
            self._untimed -= 1
            return False
        return True

    def took(self, num: int, nanoseconds: int) -> None:
        """Record the time of a call over `num` games on `threads` threads."""
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
            # A single call counts little, since the machine may have been suspended.
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
        """Begin a trial, alternately of more and of fewer threads."""
        self._up = not self._up
        other = self._at + (1 if self._up else -1)
        if not 0 <= other < len(self._choices):
            other = 2 * self._at - other
        self._trial, self._tried, self._taken = other, 0, 0.0
        self.threads = self._choices[other]
        self._untimed = 1

    def _judge(self, num: int, cost: float) -> None:
        """Record the time of a call, and end the trial after enough calls or if it is slow."""
        mine = self._costs[self._at]
        self._tried += 1
        self._taken += cost
        if self._tried < _TRIAL and self._taken < 4 * _TRIAL * mine:
            return
        found = self._taken / self._tried
        self._costs[self._trial] = found
        if found < _GAIN * mine:
            # Also count the time that was lost if the last change was bad.
            lost = self._lost
            self._at, self._left, self._lost = self._trial, mine, 0.0
        else:
            lost = (found - mine) * num * (self._tried + 1)
        self._wait = int(max(0.0, lost) / _SHARE)
        self._trial, self._spent = -1, 0
        self.threads = self._choices[self._at]
