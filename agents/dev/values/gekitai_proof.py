"""A program that proves whether the player to move in Gekitai can force a win.

By default, a proof-number search looks for a win of any length. It can prove a win, but not that
there is no win. With `--within`, it can prove both.
"""

from __future__ import annotations

import argparse

from agents.dev.values.proving import (
    add_both_lines,
    add_limits,
    add_position,
    limits,
    position,
    question,
    search_on,
)
from agents.dev.values.saved_table import saved_table
from agents.games.gekitai.proofs.solving import Solver
from boardenvs.core.checks import counted
from boardenvs.gekitai import Gekitai

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Prove whether the player to move in a position of Gekitai can force a win."
_STEP = 1_000_000  # positions between two progress lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_position(parser, "B2")
    parser.add_argument(
        "--within",
        type=int,
        metavar="PLIES",
        help="maximum length of the win; without it, the search can prove only wins",
    )
    add_both_lines(parser)
    add_limits(
        parser,
        "size of the table, 2**BITS times 24 bytes (default 22: 100 MB); use 24 to 26 for searches "
        "of many millions of positions",
    )


def run(options: argparse.Namespace) -> None:
    """Print the position and the proved result.

    Raises:
        ValueError: an argument is out of range, a move is illegal, the game is over, or the file
            does not belong to the question.
        OSError: the file cannot be read or written.
    """
    game, states = position("gekitai", options)
    assert isinstance(game, Gekitai)
    solver = Solver(game, options.table_bits, both_draw=options.both_lines == "draw")
    given = limits(options)
    if game.over(states)[0]:
        raise ValueError("moves must lead to a position that is not over")
    solver.search(states[0], 0, plies=options.within)  # compiles, and checks the arguments
    asked = {"within": options.within, "both_lines": options.both_lines}
    saved = saved_table(options, question(game, options) | asked, solver.table)
    print(game.to_text(states[0]), end="")
    player = game.seat_names[int(states["to_move"][0])]
    found, looked_at, seconds = search_on(
        lambda most: solver.search(states[0], most, plies=options.within), _STEP, given, saved
    )
    within = "" if options.within is None else f" within {counted(options.within, 'ply', 'plies')}"
    if found.won:
        move = game.action_to_text(found.action)
        answer = f"can force a win, in at most {counted(found.plies, 'ply', 'plies')}, by {move}"
    elif found.won is False:
        answer = f"cannot force a win{within}"
    elif found.settled:
        answer = "has no known forced win: all remaining lines of play repeat positions"
    else:
        answer = f"has no known forced win{within}, and the search is not finished"
    print(f"{player} {answer}: {looked_at:,} positions, {seconds:.2f} s")
