"""Arguments that subcommands share: a game, a time to think, and an engine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import boardenvs
from agents.game_parameters import add_parameters, parameters
from agents.making import with_time
from agents.user_code import register_game
from boardenvs.game import Game

__all__ = [
    "add_engine",
    "add_game",
    "add_time",
    "check_address",
    "make_game",
    "timed",
]


def add_game(parser: argparse.ArgumentParser, *, optional: bool) -> None:
    """Let a subcommand take a game, with its parameters."""
    parser.add_argument(
        "game",
        nargs="?" if optional else None,
        metavar="GAME",
        help="name of the game, or MODULE:CLASS of your own",
    )
    add_parameters(parser)


def make_game(options: argparse.Namespace) -> Game:
    """The game that was typed, with its parameters.

    Raises:
        ValueError: there is no such game or parameter.
    """
    name = register_game(options.game) if ":" in options.game else options.game
    return boardenvs.make(name, **parameters(options))


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


def add_engine(parser: argparse.ArgumentParser, text: str) -> None:
    """Let a subcommand work on this machine or on a Ray cluster, of which `text` tells."""
    parser.add_argument("--engine", choices=["local", "ray"], default="local", help=text)
    parser.add_argument(
        "--address", metavar="ADDRESS", help="of the Ray cluster; by default one that Ray finds"
    )


def check_address(options: argparse.Namespace) -> None:
    """Raise `ValueError` for the address of a cluster that is not to work."""
    if options.engine == "local" and options.address is not None:
        raise ValueError("--address is for --engine ray")
