"""A program that checks winning strategies of Gekitai with `check_strategy`."""

from __future__ import annotations

import argparse
from pathlib import Path

from agents.games.gekitai.proofs.check_strategy import (
    check_strategy,
    read_strategy,
    shipped_files,
)

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = "Check independently that strategies win Gekitai for the first player."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    parser.add_argument(
        "files", nargs="*", type=Path, help="files to check (default: all shipped ones)"
    )


def run(options: argparse.Namespace) -> None:
    """Check the strategies and print the maximum length of the game of each.

    Raises:
        ValueError: a strategy does not win.
        OSError: a file cannot be read.
    """
    for file in options.files or shipped_files():
        strategy = read_strategy(file)
        checked = check_strategy(strategy)
        side, both = strategy.side, ", a draw if both qualify" if strategy.both_draw else ""
        print(
            f"{side} x {side}, {strategy.pieces} pieces{both}: the first player wins within "
            f"{checked.plies} plies; {checked.positions:,} positions and {checked.replies:,} "
            "replies checked",
            flush=True,
        )
