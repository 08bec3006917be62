"""Picture of the learning curve of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.report.line_chart import Line, Panel, draw_lines

__all__ = ["draw_curve"]


def draw_curve(
    title: str, history: Sequence[dict[str, Any]], opponents: Sequence[str], best: int
) -> bytes:
    """Draw the score against fixed opponents over training, with its 95% interval, as PNG.

    For several board sizes, a thin line shows the score on each size.

    Args:
        title: title of the picture.
        history: evaluations, as `Evaluation.point` returns them.
        opponents: names of the opponents to draw.
        best: steps of the checkpoint that becomes the agent.

    Returns:
        The PNG file.
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
