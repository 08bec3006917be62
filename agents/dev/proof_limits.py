"""Long proof-number searches: how long they may take, and lines that report their progress."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from agents.search.proofs.result import UNLIMITED, ProofResult
from boardenvs.core.checks import whole_number

__all__ = ["Limits", "add_limits", "ask_on", "limits"]


@dataclass(frozen=True)
class Limits:
    """How long a program searches at most."""

    positions: int
    seconds: float


def add_limits(parser: argparse.ArgumentParser, table: str) -> None:
    """Let a program take `Limits`, and the size of its table.

    Args:
        parser: of the program's arguments.
        table: what its help says of the table's size.
    """
    parser.add_argument(
        "--positions", type=int, metavar="N", help="look at so many at most for each question"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="SECONDS", help="search about so long for each question"
    )
    parser.add_argument("--table-bits", type=int, default=22, metavar="BITS", help=table)


def limits(options: argparse.Namespace) -> Limits:
    """The limits that a program was given.

    Raises:
        ValueError: one is not above 0.
    """
    positions, seconds = options.positions, options.seconds
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be above 0, got {seconds}")
    return Limits(
        UNLIMITED if positions is None else whole_number("positions", positions, 1),
        math.inf if seconds is None else seconds,
    )


def ask_on(
    search: Callable[[int], ProofResult], limits: Limits, at_a_time: int
) -> tuple[ProofResult, int, float]:
    """Search until a question is settled or the limits are reached, and tell how far it is.

    Args:
        search: looks at so many positions more, at most.
        limits: of it all.
        at_a_time: after so many positions a line on standard error tells how it goes.

    Returns:
        What the search has come to, after how many positions, and seconds.
    """
    looked_at = 0
    begin = time.perf_counter()
    while True:
        found = search(min(at_a_time, limits.positions - looked_at))
        looked_at += found.positions
        spent = time.perf_counter() - begin
        if found.settled or looked_at >= limits.positions or spent >= limits.seconds:
            return found, looked_at, spent
        print(
            f"{looked_at:,} positions, {spent:.0f} s: proof number {found.proof:,}, "
            f"disproof number {found.disproof:,}",
            file=sys.stderr,
            flush=True,
        )
