"""Charts of lines with their intervals. Requires Matplotlib."""

from __future__ import annotations

import io
import itertools
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

__all__ = ["Line", "Panel", "draw_lines"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Line:
    """A line of a chart."""

    label: str
    """Text in the legend. Lines with the same label have the same colour in all panels."""
    x: npt.ArrayLike
    y: npt.ArrayLike
    interval: tuple[npt.ArrayLike, npt.ArrayLike] | None = None
    """Lower and upper ends of the 95% intervals, if known."""
    beside: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = ()
    """x and y of thin lines in the same colour, such as the runs behind a mean."""
    markers: bool = False
    """Whether each point has a marker."""


@dataclass(frozen=True)
class Panel:
    """One panel of a chart. All panels share the vertical axis."""

    x_label: str
    lines: Sequence[Line]
    log_x: bool = False
    """Whether the horizontal axis is logarithmic; from 0 to the least x above 0 it is linear."""
    marks: Mapping[str, float] = field(default_factory=dict)
    """x of dashed vertical lines, by their texts in the legend."""


def draw_lines(
    panels: Sequence[Panel],
    title: str,
    y_label: str,
    *,
    log_y: bool = False,
    y_limits: tuple[float, float] | None = None,
    levels: Sequence[float] = (),
    note: str = "",
    kind: str = "png",
    description: str | None = None,
) -> bytes:
    """Draw a chart and return its bytes, which are the same for the same arguments.

    Args:
        panels: panels side by side, at least one.
        title: title above the panels.
        y_label: label of the vertical axis.
        log_y: whether the vertical axis is logarithmic.
        y_limits: ends of the vertical axis.
        levels: y of grey horizontal lines.
        note: explanation of the lines, above the legend.
        kind: `svg`, `png`, or another format of Matplotlib.
        description: description in the metadata of an SVG.
    """
    labels = dict.fromkeys(line.label for panel in panels for line in panel.lines)
    looks = {
        label: {"color": colour, "linestyle": dash}
        for label, colour, dash in zip(
            labels, itertools.cycle(_COLOURS), itertools.cycle(_DASHES), strict=False
        )
    }
    with mpl.rc_context({"svg.hashsalt": "boardenvs", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 3.8), layout="constrained")
        row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, panel in zip(row, panels, strict=True):
            for line in panel.lines:
                _draw(axes, line, looks[line.label])
            for text, x in panel.marks.items():
                axes.axvline(x, color="grey", linewidth=1.2, linestyle="--", label=text)
            axes.set_xlabel(panel.x_label)
            if panel.log_x:
                _scale_x(axes, panel.lines)
            else:
                axes.xaxis.set_major_formatter("{x:,.10g}")
            for level in levels:
                axes.axhline(level, color="grey", linewidth=0.6)
            axes.grid(alpha=0.3)
            if log_y:
                axes.set_yscale("log")
            if y_limits is not None:
                axes.set_ylim(*y_limits)
        row[0].set_ylabel(y_label)
        shown: dict[str, Any] = {}
        for axes in row:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                shown.setdefault(label, handle)
        figure.legend(
            shown.values(),
            shown.keys(),
            loc="outside lower center",
            ncols=4,
            frameon=False,
            title=note or None,
        )
        figure.suptitle(textwrap.fill(title, 100), fontsize=11)
        picture = io.BytesIO()
        about = {"Date": None, "Description": description} if kind == "svg" else None
        figure.savefig(picture, format=kind, dpi=120, metadata=about)
    return picture.getvalue()


def _scale_x(axes: Any, lines: Sequence[Line]) -> None:
    """Make the horizontal axis logarithmic, with a place for 0 if a line has it."""
    some = [x for line in lines for x in (line.x, *(x for x, _ in line.beside))]
    places = np.concatenate([np.zeros(0), *(np.asarray(x, float) for x in some)])
    if (places == 0).any() and (places > 0).any():
        axes.set_xscale("symlog", linthresh=places[places > 0].min())
    else:
        axes.set_xscale("log")


def _draw(axes: Any, line: Line, look: Mapping[str, str]) -> None:
    """Draw a line, or a single point, with its interval."""
    colour = look["color"]
    for x, y in line.beside:
        axes.plot(x, y, color=colour, linewidth=0.5, alpha=0.5)
    x, y = np.asarray(line.x), np.asarray(line.y)
    ends = None if line.interval is None else [np.asarray(end) for end in line.interval]
    if len(set(x.tolist())) == 1:  # a line would be invisible
        bars = None if ends is None else [y[:1] - ends[0][:1], ends[1][:1] - y[:1]]
        axes.errorbar(x[:1], y[:1], bars, color=colour, fmt="o", capsize=3, label=line.label)
        return
    if ends is not None:
        axes.fill_between(x, *ends, color=colour, alpha=0.15, linewidth=0)
    marker = {"marker": "o", "markersize": 4} if line.markers else {}
    axes.plot(x, y, label=line.label, linewidth=1.8, **look, **marker)
