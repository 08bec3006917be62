"""A budget of positions that searches spend in steps, with their cost and progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from agents.report.progress import progress_bar

__all__ = ["LongSearch"]

_SILENT = 3.0
"""Seconds that a search may take without a word."""


class LongSearch:
    """The budget of each search of an agent.

    Example:
        >>> print(*LongSearch(500, 0, shown=False).steps(200))
        200 200 100
    """

    def __init__(self, budget: int, memory: int, *, shown: bool) -> None:
        """Create the budget.

        Args:
            budget: maximum number of positions.
            memory: memory of the table, in bytes.
            shown: whether to show cost and progress on standard error.
        """
        self._budget = budget
        self._memory = memory
        self._shown = shown
        self._spent = 0
        self._began = 0.0
        self._is_cost_known = not shown

    def steps(self, most: int) -> Iterator[int]:
        """Return the number of positions of each step of a search, until the budget is spent.

        After the first step of the first long search, its maximum cost is printed.

        Args:
            most: maximum number of positions of a step.
        """
        self._spent = 0
        self._began = time.perf_counter()
        with progress_bar(
            self._budget,
            unit="position",
            unit_scale=True,
            desc="exact",
            delay=_SILENT,
            shown=self._shown,
        ) as bar:
            while self._spent < self._budget:
                step = min(most, self._budget - self._spent)
                yield step
                self._spent += step
                if not self._is_cost_known and self._seconds(self._budget) > _SILENT:
                    self._is_cost_known = True
                    print(f"exact: at most {self._cost(self._budget)}", file=sys.stderr, flush=True)
                bar.update(step)

    def needed(self) -> str:
        """Return what a search needs that failed, for its error."""
        return (
            f"the search needs more than budget = {self._budget:,} positions; a budget of "
            f"{self._cost(10 * self._budget, memory=False)}, may suffice"
        )

    def _seconds(self, positions: int) -> float:
        """Return how long a number of positions takes at the speed so far."""
        return (time.perf_counter() - self._began) * positions / max(self._spent, 1)

    def _cost(self, positions: int, *, memory: bool = True) -> str:
        """Return the number of positions, their time and the memory, as text."""
        seconds = self._seconds(positions)
        took = f"{max(seconds, 1):.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
        if seconds >= 7200:
            took = f"{seconds / 3600:.0f} hours"
        used = f" and {self._memory / 1e9:.1f} GB" if memory else ""
        return f"{positions:,} positions, about {took}{used}"
