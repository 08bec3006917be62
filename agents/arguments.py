"""Arguments that subcommands share: a game, an engine, and files that are to be written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import boardenvs
from agents.making import with_time
from agents.users_own import register_game
from boardenvs.game import Game

__all__ = [
    "add_engine",
    "add_game",
    "add_time",
    "check_address",
    "check_place",
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
    parser.add_argument(
        "-p",
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the game, such as board_size=7; may be repeated",
    )


def add_engine(parser: argparse.ArgumentParser, text: str) -> None:
    """Let a subcommand work on this machine or on a Ray cluster, of which `text` tells."""
    parser.add_argument("--engine", choices=["local", "ray"], default="local", help=text)
    parser.add_argument(
        "--address", metavar="ADDR", help="of the Ray cluster; by default one that Ray finds"
    )


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


def check_address(options: argparse.Namespace) -> None:
    """Raise `ValueError` for the address of a cluster that is not to work."""
    if options.engine == "local" and options.address is not None:
        raise ValueError("--address is for --engine ray")


def make_game(options: argparse.Namespace) -> Game:
    """The game that was typed, with its parameters.

    Raises:
        ValueError: there is no such game or parameter.
    """
    params: dict[str, Any] = {}
    for text in options.param:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--param takes NAME=VALUE, got {text!r}")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    name = register_game(options.game) if ":" in options.game else options.game
    return boardenvs.make(name, **params)


def check_place(path: Path | None) -> None:
    """Refuse before the games are played what could not be written after them.

    Raises:
        ValueError: it is a folder, or there is no folder for it.
    """
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        reason = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ValueError(f"{path} cannot be written: {reason}")
