"""A program that counts the positions of the 112 game, and solves it and its misère form."""

from __future__ import annotations

import argparse
import functools

from agents.report.table import Table
from boardenvs.core.checks import whole_number

__all__ = ["DESCRIPTION", "add_arguments", "run", "value"]

DESCRIPTION = "Count the positions of the 112 game, and solve it and its misère form by search."
_RESULTS = {1: "first player wins", 0: "tie", -1: "second player wins"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument("--largest", type=int, default=9, help="largest size, 1 to 12 (default 9)")


def run(options: argparse.Namespace) -> None:
    """Print a table by size. In the misère form, the player who completes 1, 1, 2 loses.

    Raises:
        ValueError: the size is out of range.
    """
    rows = []
    for size in range(1, whole_number("largest", options.largest, 1, 12) + 1):
        value.cache_clear()
        results = [_RESULTS[value("0" * size, own_112)] for own_112 in (1, -1)]
        rows.append([f"{size}", f"{positions(size):,}", *results])
    print(Table(("size", "positions without 112", "game", "misère game"), rows, left=(2, 3)))


def positions(size: int) -> int:
    """Return the number of rows of 0 (empty), 1 and 2 without 1, 1, 2."""
    rows = [""]
    for _ in range(size):
        rows = [row + digit for row in rows for digit in "012" if (row + digit)[-3:] != "112"]
    return len(rows)


@functools.cache
def value(row: str, own_112: int) -> int:
    """Return the result of the player to move under perfect play.

    Args:
        row: values of the positions, 0 if empty, without 1, 1, 2.
        own_112: result of a player who completes 1, 1, 2: 1 in the game, -1 in the misère form.
    """
    best = -1 if "0" in row else 0
    for k, digit in enumerate(row):
        for new in "12" if digit == "0" else "":
            after = row[:k] + new + row[k + 1 :]
            best = max(best, own_112 if "112" in after else -value(after, own_112))
            if best > 0:
                return best
    return best
