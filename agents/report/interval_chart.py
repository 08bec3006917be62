"""Charts of values with their intervals for HTML pages: a mark and a bar for each value."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.report.formats import interval_text

__all__ = ["Bar", "interval_chart"]

_ROW = 46  # pixels from one row to the next
_LABEL = 24  # pixels of a row for its label and numbers, above the bar
_MOST_TICKS = 5  # maximum number of labels that fit on a phone
_MARGIN = 4  # percent of free space on both sides, for marks and labels at the ends


@dataclass(frozen=True)
class Bar:
    """One row of a chart. A value with an interval of length 0 is drawn as a fixed point."""

    label: str
    value: float
    low: float
    high: float


def interval_chart(bars: Sequence[Bar], text: Callable[[float], str], title: str) -> str:
    """Return an SVG element as wide as its page. Lengths stretch with the page, letters do not.

    Its colours are from `agents.report.page`, which hides the intervals on a narrow page.

    Args:
        bars: rows from the top, at least one.
        text: function that returns a value as text.
        title: name of the chart for screen readers.

    Raises:
        ValueError: there are no bars.
    """
    if not bars:
        raise ValueError("bars must have at least one bar, got an empty list")
    first, last = min(bar.low for bar in bars), max(bar.high for bar in bars)
    if first == last:
        first, last = first - 1, last + 1

    def place(value: float) -> str:
        share = (value - first) / (last - first)
        return f"{_MARGIN + (100 - 2 * _MARGIN) * share:.3f}%"

    bottom = _ROW * len(bars) + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="100%" '
        f'height="{bottom + 22}" role="img" aria-label="{html.escape(title)}">'
    ]
    for tick in _ticks(first, last):
        x = place(tick)
        colour = "quiet" if tick == 0 else "edge"
        # Only beside the bars, so that no line crosses a name or a number.
        parts += [
            f'<line x1="{x}" x2="{x}" y1="{k * _ROW + _LABEL}" y2="{(k + 1) * _ROW}" '
            f'stroke="var(--{colour})"/>'
            for k in range(len(bars))
        ]
        parts.append(
            f'<text x="{x}" y="{bottom + 17}" text-anchor="middle" fill="var(--quiet)">'
            f"{html.escape(text(tick))}</text>"
        )
    for k, bar in enumerate(bars):
        parts.append(_row(bar, k * _ROW, place, text))
    return "\n".join([*parts, "</svg>"])


def _row(bar: Bar, top: int, place: Callable[[float], str], text: Callable[[float], str]) -> str:
    """Return the label and the numbers, and below them the bar with its mark."""
    label = html.escape(bar.label)
    y = top + 33
    ends = interval_text(bar.low, bar.high, text)
    known = bar.low < bar.high
    numbers = (
        f'{text(bar.value)}<tspan class="range"> ({ends})</tspan>'
        if known
        else f"{text(bar.value)} (fixed)"
    )
    parts = [
        f"<g><title>{label}: {text(bar.value)}{f' ({ends})' if known else ''}</title>",
        # A nested svg cuts off a long name before the numbers.
        f'<svg y="{top}" width="62%" height="{_LABEL}"><text y="17" fill="var(--ink)" '
        f'font-weight="600">{label}</text></svg>',
        f'<text x="100%" y="{top + 17}" text-anchor="end" fill="var(--ink)">{numbers}</text>',
    ]
    if known:
        low, high = place(bar.low), place(bar.high)
        parts.append(
            f'<g stroke="var(--mark)" stroke-width="2">'
            f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
            f'<line x1="{low}" x2="{low}" y1="{y - 5}" y2="{y + 5}"/>'
            f'<line x1="{high}" x2="{high}" y1="{y - 5}" y2="{y + 5}"/></g>'
            f'<circle cx="{place(bar.value)}" cy="{y}" r="5" fill="var(--mark)"/>'
        )
    else:
        parts.append(
            f'<svg x="{place(bar.value)}" y="{y}" overflow="visible">'
            f'<path d="M0-7 7 0 0 7-7 0z" fill="var(--ink)"/></svg>'
        )
    return "".join([*parts, "</g>"])


def _ticks(first: float, last: float) -> list[float]:
    """Return evenly spaced round numbers from `first` to `last`, at most `_MOST_TICKS`."""
    power = 10.0 ** math.floor(math.log10((last - first) / _MOST_TICKS))
    for step in (power, 2 * power, 5 * power, 10 * power):
        numbers = range(math.ceil(first / step), math.floor(last / step) + 1)
        if len(numbers) <= _MOST_TICKS:
            break
    return [float(f"{k * step:.12g}") for k in numbers]
