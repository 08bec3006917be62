"""The curves of a benchmark as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bench.row import Row
from agents.report.line_chart import Line, Panel, draw_lines

__all__ = ["draw"]

_AXES = {"N": "games side by side", "cells": "cells of the board (N = 1,024)"}


def draw(rows: Sequence[Row], title: str) -> bytes:
    """Draw the time of a ply over the number of games and over the size of the board, as PNG.

    Args:
        rows: of a benchmark; those with a `point` are drawn, their ceilings thin.
        title: stands above.
    """
    return draw_lines(
        [_panel(rows, axis) for axis in _AXES],
        title,
        "nanoseconds a ply",
        log_y=True,
        note="thin: np.copyto of its bytes",
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
