"""The curves of a benchmark as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib.figure import Figure

from agents.bench.row import Row

__all__ = ["draw"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_AXES = {"N": "games side by side", "cells": "cells of the board (N = 1,024)"}


def draw(rows: Sequence[Row], title: str) -> bytes:
    """Time a ply over the number of games and over the size of the board, as PNG.

    Args:
        rows: of a benchmark; those with a `point` are drawn, their ceilings dotted.
        title: stands above.
    """
    figure = Figure(figsize=(12, 5), dpi=120, layout="constrained")
    figure.suptitle(title, fontsize="small")
    names = list(dict.fromkeys(row.game.split()[0] for row in rows if row.point))
    for axes, (axis, text) in zip(figure.subplots(1, 2), _AXES.items(), strict=True):
        for name, colour in zip(names, _COLOURS, strict=False):
            points = sorted(
                (row.point[1], 1e9 / row.value, 1e9 / (row.against_value or row.value))
                for row in rows
                if row.point and row.point[0] == axis and row.game.split()[0] == name
            )
            if points:
                where, cost, ceiling = zip(*points, strict=True)
                axes.plot(where, cost, color=colour, marker="o", label=name)
                axes.plot(where, ceiling, color=colour, linestyle=":")
        axes.set(xlabel=text, ylabel="nanoseconds a ply; dotted: np.copyto of its bytes")
        axes.set_xscale("log", base=4 if axis == "N" else 10)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend()
    png = io.BytesIO()
    figure.savefig(png, format="png")
    return png.getvalue()
