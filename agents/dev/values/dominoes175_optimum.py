"""A program that prints how often policies win Dominoes 175, and what information is worth."""

from __future__ import annotations

import argparse
from typing import get_args

import numpy as np
import numpy.typing as npt

from agents.analysis.intervals import wilson
from agents.games.dominoes175.known_order import winnable
from agents.games.dominoes175.optimum import Optimum, Policy
from boardenvs.core.checks import whole_number
from boardenvs.dominoes175.rules import CELLS, ENDS, GOAL
from boardenvs.envs.playout import playout
from boardenvs.game import Game, States
from boardenvs.registration import make

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Compute how often policies win Dominoes 175, with and without knowing the tiles."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument(
        "--ends",
        type=int,
        default=ENDS,
        help=f"different values of a tile's end (default {ENDS})",
    )
    parser.add_argument(
        "--goal", type=int, default=GOAL, help=f"height of a winning stack (default {GOAL})"
    )
    parser.add_argument(
        "--deals",
        type=int,
        default=300_000,
        help="shuffled deals for the measured shares, 0 or more (default 300,000)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")


def run(options: argparse.Namespace) -> None:
    """Print the exact win rates, and the measured ones of the game with its usual tiles.

    Raises:
        ValueError: an argument is out of range.
    """
    deals = whole_number("deals", options.deals, 0)
    seed = whole_number("seed", options.seed, 0)
    for policy in get_args(Policy):
        optimum = Optimum(policy, options.ends, options.goal, progress=True)
        print(f"{policy:<8}{optimum.rate:.8f}", flush=True)
        if policy == "best":
            doubles, others = after_first_tile(optimum)
    print(f"by {optimum.positions:,} positions each")
    print(f"best after a first double: {doubles:.8f}, after another tile: {others:.8f}")
    if deals and (options.ends, options.goal) == (ENDS, GOAL):
        game = make("dominoes175")
        states = game.new(deals, seed)
        print_share("the rule of the test mode", first_fit(game, states.copy()))
        print_share("order of the tiles known", winnable(states["grid"][:, :CELLS], ENDS, GOAL))


def after_first_tile(optimum: Optimum) -> tuple[float, float]:
    """Return the mean win rates of the best policy after a first double and another first tile."""
    rates: tuple[list[float], list[float]] = [], []
    for high in range(optimum.ends):
        for low in range(high + 1):
            tile = 1 << (high * (high + 1) // 2 + low)
            ways = [optimum.value(tile, (1 + top, 0, 0)) for top in {low, high}]
            rates[low < high].append(max(ways))
    doubles, others = (float(np.mean(some)) if some else float("nan") for some in rates)
    return doubles, others


def first_fit(game: Game, states: States) -> npt.NDArray[np.bool_]:
    """Play as the test mode of the console program, and return which games are won.

    It takes the tiles in the order of the cells, and plays each on the first stack that it fits,
    with its larger end on top if both ends are possible: the first legal action of a game.
    """
    playout(game, states, lambda live, _: game.legal(live).argmax(1), illegal="raise")
    won: npt.NDArray[np.bool_] = game.returns(states)[:, 0] > 0
    return won


def print_share(name: str, won: npt.NDArray[np.bool_]) -> None:
    """Print a measured share with its 95% interval."""
    low, high = wilson(int(won.sum()), len(won))
    print(f"{name}: {won.mean():.5f} ({low:.5f} to {high:.5f}), {len(won):,} deals", flush=True)
