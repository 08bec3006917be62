"""A program that checks a winning strategy of Gekitai with `check_strategy`."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from agents.games.gekitai.proofs.check_strategy import FILE, check_strategy

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Check independently that a strategy wins Gekitai for the first player."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument(
        "file", nargs="?", type=Path, default=FILE, help="file to check (default: the shipped one)"
    )


def run(options: argparse.Namespace) -> None:
    """Check the strategy and print the maximum length of the game.

    Raises:
        ValueError: the strategy does not win.
        OSError: the file cannot be read.
    """
    checked = check_strategy(np.load(options.file))
    print(
        f"The first player wins within {checked.plies} plies: {checked.positions:,} positions "
        f"and {checked.replies:,} replies checked."
    )
