"""Plot of the curves of a benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from agents.report.line_chart import Line, Panel, draw_lines
from agents.speed.row import Row

__all__ = ["draw"]

_AXES = {"N": "number of games", "cells": "cells of the board (N = 1,024)"}


def draw(rows: Sequence[Row], title: str) -> bytes:
    """Return a PNG of the time per ply against the number of games and against the board size.

    Args:
        rows: rows of a benchmark. Only rows with a `point` are drawn. Thin lines are ceilings.
        title: title of the figure.
    """
    return draw_lines(
        [_panel(rows, axis) for axis in _AXES],
        title,
        "nanoseconds per ply",
        log_y=True,
        note="thin lines: np.copyto of the same bytes",
    )


def _panel(rows: Sequence[Row], axis: str) -> Panel:
    games: dict[str, list[tuple[int, float, float]]] = {}
    for row in rows:
        if row.point and row.point[0] == axis:
            point = (row.point[1], 1e9 / row.value, 1e9 / (row.against_value or row.value))
            games.setdefault(row.game.split()[0], []).append(point)
    lines = []
    for name, points in games.items():
        x, cost, ceiling = zip(*sorted(points), strict=True)
        lines.append(Line(name, x, cost, beside=[(x, ceiling)]))
    return Panel(_AXES[axis], lines, log_x=True)
