"""Arguments and searches of the programs that prove positions.

A search runs in steps. After each step, a line on standard error reports its progress.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import boardenvs
from agents.arguments import add_parameters, parameters
from agents.search.proofs.result import UNLIMITED, ProofResult
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States

__all__ = [
    "NO_LIMITS",
    "Limits",
    "MeasuredProof",
    "add_limits",
    "add_position",
    "limits",
    "position",
    "search_on",
]


class Limits(NamedTuple):
    """Limits of a search."""

    positions: int = UNLIMITED
    """Maximum number of positions."""
    seconds: float = math.inf
    """Time after which the search stops at the end of a step."""


NO_LIMITS = Limits()


class MeasuredProof(NamedTuple):
    """The result of a search and its cost."""

    result: ProofResult
    positions: int
    seconds: float


def add_position(parser: argparse.ArgumentParser, example: str) -> None:
    """Add the arguments for the game's parameters and a position.

    Args:
        parser: parser of the program.
        example: a move as text, for the help.
    """
    parser.add_argument(
        "moves", nargs="*", metavar="MOVE", help=f"moves from the start, such as {example}"
    )
    add_parameters(parser)


def position(name: str, options: argparse.Namespace) -> tuple[Game, States]:
    """Return the given game, and the given position as records of shape (1,).

    Raises:
        ValueError: a parameter does not exist or is out of range, or a move is illegal.
    """
    game = boardenvs.make(name, **parameters(options))
    states = game.new(1, 0)
    for move in options.moves:
        game.play(states, [game.action_from_text(move)], illegal="raise")
    return game, states


def add_limits(parser: argparse.ArgumentParser, table: str) -> None:
    """Add the arguments for `Limits` and the size of the table.

    Args:
        parser: parser of the program.
        table: help for the size of the table.
    """
    parser.add_argument(
        "--positions",
        type=int,
        metavar="N",
        help="maximum number of positions for each question",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="SECONDS",
        help="approximate time limit for each question",
    )
    parser.add_argument("--table-bits", type=int, default=22, metavar="BITS", help=table)


def limits(options: argparse.Namespace) -> Limits:
    """Return the given limits.

    Raises:
        ValueError: a limit is not above 0.
    """
    positions, seconds = options.positions, options.seconds
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be above 0, got {seconds}")
    return Limits(
        UNLIMITED if positions is None else whole_number("positions", positions, 1),
        math.inf if seconds is None else seconds,
    )


def search_on(
    search: Callable[[int], ProofResult], step: int, limits: Limits = NO_LIMITS
) -> MeasuredProof:
    """Search until a question is settled or a limit is reached.

    Args:
        search: function that continues the search for a given number of positions.
        step: number of positions between two progress lines.
        limits: limits of the whole search.
    """
    positions = 0
    begin = time.perf_counter()
    while True:
        found = search(min(step, limits.positions - positions))
        positions += found.positions
        seconds = time.perf_counter() - begin
        if found.settled or positions >= limits.positions or seconds >= limits.seconds:
            return MeasuredProof(found, positions, seconds)
        print(
            f"{positions:,} positions, {seconds:.0f} s: proof number {found.proof:,}, "
            f"disproof number {found.disproof:,}",
            file=sys.stderr,
            flush=True,
        )
