"""A program that prints how often policies win Dominoes 175, with `Optimum`."""

from __future__ import annotations

import argparse
from typing import get_args

from agents.games.dominoes175.optimum import Optimum, Policy
from boardenvs.dominoes175.rules import ENDS, GOAL

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Compute exactly how often the best policy, greedy and random win Dominoes 175."


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


def run(options: argparse.Namespace) -> None:
    """Print the win rate of each policy.

    Raises:
        ValueError: an argument is out of range.
    """
    for policy in get_args(Policy):
        optimum = Optimum(policy, options.ends, options.goal)
        print(f"{policy:<8}{optimum.rate:.8f}", flush=True)
    print(f"by {optimum.positions:,} positions each")
