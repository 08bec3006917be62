"""Results of the benchmark: one row for each figure and its comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.report.table import Table

__all__ = ["Row", "results_table", "rows_as_json"]


@dataclass(frozen=True)
class Row:
    """A figure and the ceiling or peer that it is compared with."""

    measure: str
    """Name of the measure."""
    game: str
    """Name of the game with its non-default parameters, or an empty string without a game."""
    value: float
    unit: str
    against: str | None = None
    """Name of the ceiling or peer, or `None` without a comparison."""
    against_value: float | None = None
    """Figure of the ceiling or peer in `unit`, or `None` if the peer is not installed or has not
    reached the measured score."""
    point: tuple[str, int] | None = None
    """Name of the horizontal axis in the plot and the value on it, for rows of a curve."""
    spread: tuple[float, float] | None = None
    """Lowest and highest value of the runs of which `value` is the median, or `None`. The highest
    is infinite if a run has not reached the measured score."""

    @property
    def ratio(self) -> float | None:
        """`value` divided by `against_value`, or `None` without `against_value`."""
        return self.value / self.against_value if self.against_value else None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary for JSON."""
        return {
            "measure": self.measure,
            "game": self.game,
            "value": self.value,
            "unit": self.unit,
            "against": self.against,
            "against_value": self.against_value,
            "ratio": self.ratio,
            "spread": self.spread and [one if math.isfinite(one) else None for one in self.spread],
        }


def rows_as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows as a list of dictionaries for JSON."""
    return [row.to_dict() for row in rows]


def _number(value: float | None) -> str:
    """Return a number with three significant digits and a suffix such as k or M."""
    if value is None:
        return "-"
    if math.isinf(value):
        return "not reached"
    for least, size, suffix in ((1e9, 1e9, " G"), (1e6, 1e6, " M"), (1e4, 1e3, " k")):
        if value >= least:
            return f"{value / size:.3g}{suffix}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _with_spread(row: Row) -> str:
    """Return the value of a row, and its spread in brackets."""
    value = _number(row.value)
    if row.spread is None:
        return value
    low, high = map(_number, row.spread)
    return f"{value} ({low} to {high})"


def results_table(rows: Sequence[Row]) -> Table:
    """Return the rows as a table."""
    cells = [
        (
            row.measure,
            row.game,
            _with_spread(row),
            row.unit,
            row.against or "",
            _number(row.against_value) if row.against else "",
            "" if row.ratio is None else f"{row.ratio:.3g}",
        )
        for row in rows
    ]
    head = ("measure", "game", "value", "unit", "against", "its value", "ratio")
    return Table(head, cells, left=(0, 1, 3, 4))
