"""The list of measures, the only one, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable

from agents.bench.batch import batch_steps
from agents.bench.row import Row
from agents.bench.run import Bench

__all__ = ["MEASURES"]

MEASURES: dict[str, Callable[[Bench], list[Row]]] = {
    "batches": batch_steps,
}
"""Name of each to the function that makes its rows."""
