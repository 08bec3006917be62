"""The measures of `boardenvs bench`: speed compared with upper bounds and other packages."""

from agents.bench.effort import FULL, QUICK, Effort
from agents.bench.machine import describe_machine
from agents.bench.measures import LONG, MEASURES, measure
from agents.bench.row import Row, report, results_table
from agents.bench.run import Bench

__all__ = [
    "FULL",
    "LONG",
    "MEASURES",
    "QUICK",
    "Bench",
    "Effort",
    "Row",
    "describe_machine",
    "measure",
    "report",
    "results_table",
]
