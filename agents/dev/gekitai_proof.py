"""A program that settles whether the player to move in Gekitai can force a win.

By default it searches by proof numbers for a win of any length. What it finds is certain, but it
never proves that there is none. With `--within` both answers are certain. `--plies` asks a plainer
and slower search, deeper and deeper.
"""

from __future__ import annotations

import argparse
import time

import boardenvs
from agents.dev.proof_limits import add_limits, ask_on, limits
from agents.game_parameters import add_parameters, parameters
from agents.games.gekitai.proofs.proof import ProofSearch
from agents.games.gekitai.proofs.solving import Solver
from boardenvs.game import States
from boardenvs.gekitai import Gekitai

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Settle whether the player to move in a position of Gekitai can force a win."
_AT_A_TIME = 1_000_000  # positions between two lines that tell how far a search is


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument("moves", nargs="*", metavar="MOVE", help="moves played before, such as B2")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--within",
        type=int,
        metavar="PLIES",
        help="ask for a win within so many plies; without it, that there is no win is not proved",
    )
    how.add_argument(
        "--plies",
        type=int,
        help="ask for a win within 1, 3, 5, ... plies, by a plainer and slower search",
    )
    add_parameters(parser)
    parser.add_argument(
        "--both-lines",
        choices=["win", "draw"],
        default="win",
        help="what it is if a placement gives both players a line: a win of who placed, as "
        "boardenvs plays (default), or a draw, as others play",
    )
    add_limits(
        parser,
        "size of the table, of 2**BITS times 24 bytes, or 32 with --plies (default 22: 100 or "
        "134 MB); searches of many millions of positions want 24 to 26",
    )


def run(options: argparse.Namespace) -> None:
    """Print the position and what is proved of it.

    Raises:
        ValueError: an argument is out of range, a move is illegal, or the game is over.
    """
    game = boardenvs.make("gekitai", **parameters(options))
    assert isinstance(game, Gekitai)
    states = game.new(1, 0)
    for move in options.moves:
        game.play(states, [game.action_from_text(move)], illegal="raise")
    if options.plies is None:
        _solve(game, states, options)
    else:
        _search_deeper(game, states, options)


def _solve(game: Gekitai, states: States, options: argparse.Namespace) -> None:
    """Search by proof numbers, and print the answer; progress goes to standard error."""
    solver = Solver(game, options.table_bits, both_draw=options.both_lines == "draw")
    given = limits(options)
    if game.over(states)[0]:
        raise ValueError("the game is over: there is nothing to prove")
    solver.search(states[0], 0, plies=options.within)  # compiles, and refuses
    print(game.to_text(states[0]), end="")
    player = game.seat_names[int(states["to_move"][0])]
    found, looked_at, spent = ask_on(
        lambda most: solver.search(states[0], most, plies=options.within), given, _AT_A_TIME
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
    print(f"{player} {answer}: {looked_at:,} positions, {spent:.2f} s")


def _search_deeper(game: Gekitai, states: States, options: argparse.Namespace) -> None:
    """Print a row for each depth, until a win is found."""
    if options.positions is not None or options.seconds is not None:
        raise ValueError("--positions and --seconds are for proof numbers, not for --plies")
    if options.both_lines != "win":
        raise ValueError("--both-lines draw is for proof numbers, not for --plies")
    search = ProofSearch(game, options.table_bits)
    search.fewest_plies(states[:0], options.plies)  # compiles, and refuses what cannot be asked
    print(game.to_text(states[0]), end="")
    player = game.seat_names[int(states["to_move"][0])]
    for within in range(1, options.plies + 1, 2):
        begin, before = time.perf_counter(), search.positions
        found = search.fewest_plies(states, within)[0] > 0
        seconds = time.perf_counter() - begin
        print(
            f"{player} {'can' if found else 'cannot'} force a win within {within} plies: "
            f"{search.positions - before:,} positions, {seconds:.2f} s",
            flush=True,
        )
        if found:
            break
