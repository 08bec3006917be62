"""Arguments and searches of the programs that prove positions.

A search runs in steps. After each step, a line on standard error reports its progress.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import boardenvs
from agents.arguments import add_parameters, parameters
from agents.dev.values.saved_table import SavedTable, add_file
from agents.search.proofs.result import UNLIMITED, ProofResult
from boardenvs.core.checks import whole_number
from boardenvs.game import Game, States

__all__ = [
    "NO_LIMITS",
    "Limits",
    "MeasuredProof",
    "add_both_lines",
    "add_limits",
    "add_position",
    "limits",
    "position",
    "question",
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


def question(game: Game, options: argparse.Namespace) -> dict[str, Any]:
    """Return a description of the given position of a game, for `saved_table`."""
    moves = [game.action_to_text(game.action_from_text(move)) for move in options.moves]
    return {"game": game.name, "params": game.params, "moves": moves}


def add_limits(parser: argparse.ArgumentParser, table: str) -> None:
    """Add the arguments for `Limits`, the size of the table, and its file.

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
    add_file(parser)


def add_both_lines(parser: argparse.ArgumentParser) -> None:
    """Add the argument for the rule of Gekitai about a placement that satisfies both players."""
    parser.add_argument(
        "--both-lines",
        choices=["win", "draw"],
        default="win",
        help="result of a placement that gives both players a line: a win of the player who "
        "placed, as in boardenvs (default), or a draw",
    )


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
    search: Callable[[int], ProofResult],
    step: int,
    limits: Limits = NO_LIMITS,
    saved: SavedTable | None = None,
) -> MeasuredProof:
    """Search until a question is settled or a limit is reached.

    Args:
        search: function that continues the search for a given number of positions.
        step: number of positions between two progress lines.
        limits: limits of the whole search.
        saved: file of the search's table, which is written during the search and at its end.
    """
    positions = 0
    begin = time.perf_counter()
    while True:
        found = search(min(step, limits.positions - positions))
        positions += found.positions
        seconds = time.perf_counter() - begin
        ends = found.settled or positions >= limits.positions or seconds >= limits.seconds
        if saved is not None:
            saved.add(found.positions, last=ends)
        if ends:
            return MeasuredProof(found, positions, seconds)
        print(
            f"{positions:,} positions, {seconds:.0f} s: proof number {found.proof:,}, "
            f"disproof number {found.disproof:,}",
            file=sys.stderr,
            flush=True,
        )
