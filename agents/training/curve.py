"""The learning curve of a run as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.report.line_chart import Line, Panel, draw_lines

__all__ = ["draw_curve"]


def draw_curve(
    title: str, history: Sequence[dict[str, Any]], opponents: Sequence[str], best: int
) -> bytes:
    """Draw the score against fixed opponents over training, with its 95% interval, as PNG.

    Where there are boards of several sizes, a thin line shows the score on each.

    Args:
        title: stands above.
        history: one evaluation each: `steps`, and for each opponent
            `{"score", "low", "high"}`, and where there are several sizes the same on each,
            `sizes`.
        opponents: which of them to draw.
        best: the steps at which the agent that was kept stood.
    """
    steps = [point["steps"] for point in history]
    sizes = history[0].get("sizes", {}) if history else {}
    lines = [
        Line(
            opponent if opponent == "alone" else f"vs {opponent}",
            steps,
            [point[opponent]["score"] for point in history],
            (
                [point[opponent]["low"] for point in history],
                [point[opponent]["high"] for point in history],
            ),
            [
                (steps, [point["sizes"][size][opponent]["score"] for point in history])
                for size in sizes
            ],
        )
        for opponent in opponents
    ]
    return draw_lines(
        [Panel("decisions of the learner", lines, marks={"kept": best})],
        title,
        "score, draws counting half",
        y_limits=(-0.02, 1.02),
        levels=[0.5],
        note=f"95% Wilson interval shaded{'; thin: each size' if sizes else ''}",
    )
