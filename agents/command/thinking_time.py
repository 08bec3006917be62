"""`--time`: how long the agents of a subcommand think about each move."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from agents.making import with_time
from boardenvs.game import Game

__all__ = ["add_time", "timed"]


def add_time(parser: argparse.ArgumentParser) -> None:
    """Let a subcommand take a time to think."""
    parser.add_argument(
        "--time",
        metavar="TIME",
        help="how long agents that search think about each move, such as 500ms or 2s: "
        "'mcts' is then 'mcts:2s'",
    )


def timed(specs: Sequence[str], options: argparse.Namespace, game: Game) -> list[str]:
    """The agents' specs, with the time to think that was typed, if any.

    Raises:
        ValueError: it is no time, or no agent thinks by the clock; as `agents.making.with_time`.
    """
    if options.time is None:
        return list(specs)
    found = [with_time(spec, options.time, game) for spec in specs]
    if found == list(specs):
        raise ValueError(f"--time is for agents that search: not for {', '.join(specs)}")
    return found
