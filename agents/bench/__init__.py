"""`boardenvs bench`: every floor of the package beside its ceiling and its peers."""

from agents.bench.effort import FULL, QUICK, Effort
from agents.bench.machine import describe_machine
from agents.bench.measures import measure
from agents.bench.row import Row, report, results_table
from agents.bench.run import Bench

__all__ = [
    "FULL",
    "QUICK",
    "Bench",
    "Effort",
    "Row",
    "describe_machine",
    "measure",
    "report",
    "results_table",
]
