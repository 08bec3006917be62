"""A question to the proof-number search: what comes back, and how a program asks it for long."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boardenvs.checks import whole_number

__all__ = ["UNLIMITED", "Found", "Limits", "add_limits", "answer_room", "ask_on", "limits"]

UNLIMITED = 1 << 62
"""More positions than any search looks at."""
_ANSWER = [(name, np.int64) for name in ("won", "rank", "action", "positions", "proof", "disproof")]


@dataclass(frozen=True)
class Found:
    """What a search has come to."""

    won: bool | None
    """Whether the attacker forces a win; `None` if that is not settled."""
    plies: int
    """If so, within how many plies; else 0."""
    action: int
    """If so, and the attacker is to move, an action that does; else -1."""
    positions: int
    """How many positions were looked at."""
    proof: int
    """How much is left to settle until the win is proved: the proof number."""
    disproof: int
    """How much until it is seen that there is none."""

    @property
    def settled(self) -> bool:
        """Whether there is nothing left to search.

        In a game that can repeat itself it may be so with `won` not known: no win was found, but
        lines of play led in circles.
        """
        return self.proof == 0 or self.disproof == 0

    @classmethod
    def read(cls, answer: npt.NDArray[np.void]) -> Found:
        """What compiled code has written in `answer_room`."""
        won, *rest = answer[0].item()
        return cls(bool(won) if won >= 0 else None, *rest)


def answer_room() -> npt.NDArray[np.void]:
    """One record for compiled code to write an answer in: the fields of `Found`.

    `won` is 1 or 0, or -1 for not settled; the plies are called `rank`.
    """
    return np.zeros(1, np.dtype((np.record, np.dtype(_ANSWER))))


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
    search: Callable[[int], Found], limits: Limits, at_a_time: int
) -> tuple[Found, int, float]:
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
