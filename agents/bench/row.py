"""One figure of the benchmark and its comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.report.table import Table

__all__ = ["Row", "report", "results_table"]


@dataclass(frozen=True)
class Row:
    """A figure, and the ceiling or peer measured in turn with it."""

    measure: str
    """Name of the measure."""
    game: str
    """Name of the game, with parameters that are not the defaults; empty for none."""
    value: float
    unit: str
    against: str | None = None
    """The ceiling or the peer."""
    against_value: float | None = None
    """Figure of the peer in the same unit; `None` if the peer is not installed."""
    point: tuple[str, int] | None = None
    """Horizontal axis of the curve in the plot, and the place on it."""

    @property
    def ratio(self) -> float | None:
        """`value` over `against_value`, where there is one."""
        return self.value / self.against_value if self.against_value else None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        return {
            "measure": self.measure,
            "game": self.game,
            "value": self.value,
            "unit": self.unit,
            "against": self.against,
            "against_value": self.against_value,
            "ratio": self.ratio,
        }


def report(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the figures as JSON values."""
    return [row.to_dict() for row in rows]


def _number(value: float | None) -> str:
    """Return a number with three significant digits and a suffix such as k or M."""
    if value is None:
        return "-"
    for least, size, suffix in ((1e9, 1e9, " G"), (1e6, 1e6, " M"), (1e4, 1e3, " k")):
        if value >= least:
            return f"{value / size:.3g}{suffix}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def results_table(rows: Sequence[Row]) -> Table:
    """Return the figures as a table."""
    cells = [
        (
            row.measure,
            row.game,
            _number(row.value),
            row.unit,
            row.against or "",
            _number(row.against_value) if row.against else "",
            "" if row.ratio is None else f"{row.ratio:.3g}",
        )
        for row in rows
    ]
    head = ("measure", "game", "value", "unit", "against", "its value", "ratio")
    return Table(head, cells, left=(0, 1, 3, 4))
