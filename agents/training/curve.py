"""The learning curve of a run as a picture."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

__all__ = ["draw_curve"]


def draw_curve(
    title: str, history: Sequence[dict[str, Any]], opponents: Sequence[str], best: int
) -> bytes:
    """Score against fixed opponents over training, with its 95% interval, as PNG.

    Where there are boards of several sizes, a thin line shows the score on each.

    Args:
        title: stands above.
        history: one evaluation each: `steps`, and for each opponent
            `{"score", "low", "high"}`, and where there are several sizes the same on each,
            `sizes`.
        opponents: which of them to draw.
        best: the steps at which the agent that was kept stood.
    """
    figure = Figure(figsize=(8, 5), dpi=120, layout="constrained")
    axes = figure.subplots()
    steps = [point["steps"] for point in history]
    sizes = history[0].get("sizes", {}) if history else {}
    for opponent, colour, marker in zip(
        opponents, ("#0072b2", "#d55e00", "#009e73", "#cc79a7"), "osD^", strict=False
    ):
        found = [point[opponent] for point in history]
        axes.fill_between(
            steps, [f["low"] for f in found], [f["high"] for f in found], color=colour, alpha=0.2
        )
        for size in sizes:
            scores = [point["sizes"][size][opponent]["score"] for point in history]
            axes.plot(steps, scores, color=colour, linewidth=0.5, alpha=0.6)
        axes.plot(
            steps,
            [f["score"] for f in found],
            color=colour,
            marker=marker,
            label=opponent if opponent == "alone" else f"vs {opponent}",
        )
    axes.axvline(best, color="grey", linewidth=1.2, linestyle="--", label="kept")
    axes.axhline(0.5, color="grey", linewidth=0.8, linestyle=":")
    axes.set_title("\n".join(textwrap.wrap(title, 72)), fontsize=11)  # a game's is long
    axes.set(xlabel="decisions of the learner", ylabel="score, draws counting half")
    axes.set_ylim(-0.02, 1.02)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.grid(alpha=0.3)
    thin = "; thin: each size" if sizes else ""
    axes.legend(title=f"95% Wilson interval shaded{thin}", loc="lower right")
    png = io.BytesIO()
    figure.savefig(png, format="png")
    return png.getvalue()
