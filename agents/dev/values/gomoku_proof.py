"""A program that proves whether a player can force a win in Gomoku, on boards up to 8 x 8."""

from __future__ import annotations

import argparse

from agents.dev.values.proving import (
    Limits,
    add_limits,
    add_position,
    limits,
    position,
    question,
    search_on,
)
from agents.dev.values.saved_table import SavedTable, saved_table
from agents.games.gomoku.proofs.proof import Solver
from boardenvs.core.checks import counted
from boardenvs.game import States
from boardenvs.gomoku import Gomoku

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Prove whether either player can force a win in a position of Gomoku."
_STEP = 200_000  # positions between two progress lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_position(parser, "'2 F'")
    add_limits(parser, "size of the table, 2**BITS times 24 bytes (default 22)")


def run(options: argparse.Namespace) -> None:
    """Print the position and the proved result.

    Raises:
        ValueError: an argument is out of range, a move is illegal, the game is over, or the file
            does not belong to the question.
        OSError: the file cannot be read or written.
    """
    game, states = position("gomoku", options)
    assert isinstance(game, Gomoku)
    solver = Solver(game, options.table_bits)
    given = limits(options)
    solver.search(states[0], 0)  # compiles, and checks the arguments
    saved = saved_table(options, question(game, options), solver.table)
    print(game.to_text(states[0]), end="")
    first = _settle(solver, states, given, saved, attack=True)
    if (
        not first
        and _settle(solver, states, given, saved, attack=False) is False
        and first is False
    ):
        print("It is a draw.")


def _settle(
    solver: Solver, states: States, given: Limits, saved: SavedTable | None, *, attack: bool
) -> bool | None:
    """Print and return whether the player to move (`attack`) or the other player forces a win."""
    game = solver.game
    seat = int(states["to_move"][0])
    player = game.seat_names[seat if attack else 1 - seat]
    found, looked_at, seconds = search_on(
        lambda most: solver.search(states[0], most, attack=attack), _STEP, given, saved
    )
    if found.won:
        move = f", by {game.action_to_text(found.action)}" if attack else ""
        answer = f"can force a win, in at most {counted(found.plies, 'ply', 'plies')}{move}"
    elif found.won is False:
        answer = "cannot force a win"
    else:
        answer = "has no known forced win, and the search is not finished"
    print(f"{player} {answer}: {looked_at:,} positions, {seconds:.2f} s", flush=True)
    return found.won
