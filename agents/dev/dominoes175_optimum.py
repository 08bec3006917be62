"""A program that prints how often policies win Dominoes 175; see its `optimum`."""

from __future__ import annotations

import argparse
from typing import get_args

from agents.games.dominoes175.optimum import Optimum, Policy
from boardenvs.dominoes175.rules import ENDS, GOAL

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Work out exactly how often the best policy, greedy and random play win Dominoes 175."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument(
        "--ends", type=int, default=ENDS, help=f"numbers of dots on an end (default {ENDS})"
    )
    parser.add_argument(
        "--goal", type=int, default=GOAL, help=f"height of a stack that wins (default {GOAL})"
    )


def run(options: argparse.Namespace) -> None:
    """Print how often each policy wins.

    Raises:
        ValueError: an argument is out of range.
    """
    for policy in get_args(Policy):
        optimum = Optimum(policy, options.ends, options.goal)
        print(f"{policy:<8}{optimum.rate:.8f}", flush=True)
    print(f"by {optimum.positions:,} positions each")
