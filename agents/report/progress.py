"""Progress of long work on standard error: a bar, or in a log one line every 10%."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import asyncio, auto

__all__ = ["progress_bar"]


class _Lines(asyncio.tqdm):
    """A progress bar that prints a line for every further tenth."""

    _tenths: int | None = None

    def __init__(self, **options: Any) -> None:
        form = "{desc}: {percentage:.0f}% ({n_fmt} of {total_fmt} {unit}s, {elapsed}{postfix})"
        own = {"bar_format": form, "miniters": 1, "mininterval": 0, "leave": False}
        super().__init__(**(options | own))

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Print a line if one is due; tqdm calls this method to draw the bar."""
        tenths = int(10 * self.n / self.total) if self.total else 10
        if self._tenths is not None and tenths > self._tenths:
            print(self, file=self.fp, flush=True)
        self._tenths = tenths


def progress_bar(total: int, *, unit: str, shown: bool = True, **options: Any) -> auto.tqdm[Any]:
    """Return a `tqdm` on standard error, a bar in a terminal or a notebook and lines elsewhere.

    Args:
        total: number of units.
        unit: name of a unit, such as "game".
        shown: whether to print anything.
        **options: options of `tqdm.tqdm`, such as `desc`, `initial` and `unit_scale`.
    """
    in_notebook = auto.tqdm is not asyncio.tqdm
    as_bar = in_notebook or (sys.stderr is not None and sys.stderr.isatty())
    kind = auto.tqdm if as_bar else _Lines
    return kind(total=total, unit=unit, disable=not shown or sys.stderr is None, **options)
