"""Arguments that subcommands share: a game, an engine, and files that are to be written."""

from __future__ import annotations

import argparse

import boardenvs
from agents.game_parameters import add_parameters, parameters
from agents.users_own import register_game
from boardenvs.game import Game

__all__ = [
    "add_engine",
    "add_game",
    "check_address",
    "make_game",
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


def make_game(options: argparse.Namespace) -> Game:
    """The game that was typed, with its parameters.

    Raises:
        ValueError: there is no such game or parameter.
    """
    name = register_game(options.game) if ":" in options.game else options.game
    return boardenvs.make(name, **parameters(options))
