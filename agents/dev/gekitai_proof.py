"""A program that settles whether the player to move in Gekitai can force a win.

It searches by proof numbers for a win of any length. A win that it finds is certain, but it never
proves that there is no win. With `--within` both answers are certain.
"""

from __future__ import annotations

import argparse

from agents.dev.proving import add_limits, add_position, limits, position, search_on
from agents.games.gekitai.proofs.solving import Solver
from boardenvs.gekitai import Gekitai

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Settle whether the player to move in a position of Gekitai can force a win."
_STEP = 1_000_000  # positions between two lines about the progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_position(parser, "B2")
    parser.add_argument(
        "--within",
        type=int,
        metavar="PLIES",
        help="ask for a win within so many plies; without it, that there is no win is not proved",
    )
    parser.add_argument(
        "--both-lines",
        choices=["win", "draw"],
        default="win",
        help="what it is if a placement gives both players a line: a win of who placed, as "
        "boardenvs plays (default), or a draw, as others play",
    )
    add_limits(
        parser,
        "size of the table, of 2**BITS times 24 bytes (default 22: 100 MB); searches of many "
        "millions of positions want 24 to 26",
    )


def run(options: argparse.Namespace) -> None:
    """Print the position and the proven result.

    Raises:
        ValueError: an argument is out of range, a move is illegal, or the game is over.
    """
    game, states = position("gekitai", options)
    assert isinstance(game, Gekitai)
    solver = Solver(game, options.table_bits, both_draw=options.both_lines == "draw")
    given = limits(options)
    if game.over(states)[0]:
        raise ValueError("moves must lead to a position that is not over")
    solver.search(states[0], 0, plies=options.within)  # compiles, and refuses
    print(game.to_text(states[0]), end="")
    player = game.seat_names[int(states["to_move"][0])]
    found, looked_at, seconds = search_on(
        lambda most: solver.search(states[0], most, plies=options.within), _STEP, given
    )
    within = "" if options.within is None else f" within {options.within} plies"
    if found.won:
        move = game.action_to_text(found.action)
        answer = f"can force a win{within}: in {found.plies} plies at most, by {move}"
    elif found.won is False:
        answer = f"cannot force a win{within}"
    elif found.settled:
        answer = "was not seen to force a win: every line of play left leads in circles"
    else:
        answer = f"was not seen to force a win{within}, which is not settled"
    print(f"{player} {answer}: {looked_at:,} positions, {seconds:.2f} s")
