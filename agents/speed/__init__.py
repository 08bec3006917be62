"""The measures of `boardenvs bench`: speed compared with upper bounds and other packages."""

from agents.speed.effort import FULL, QUICK, Effort
from agents.speed.machine import describe_machine
from agents.speed.measures import LONG, MEASURES, measure
from agents.speed.row import Row, results_table, rows_as_json
from agents.speed.run import Bench

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
    "results_table",
    "rows_as_json",
]
