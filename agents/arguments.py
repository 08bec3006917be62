"""Arguments that commands share: a game with its parameters, a time to think, and an engine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import boardenvs
from agents.making import with_time
from agents.user_code import register_game
from boardenvs.game import Game

__all__ = [
    "add_engine",
    "add_game",
    "add_parameters",
    "add_time",
    "check_address",
    "make_game",
    "parameters",
    "timed",
]


def add_game(parser: argparse.ArgumentParser, *, optional: bool) -> None:
    """Let a command take a game, with its parameters."""
    parser.add_argument(
        "game",
        nargs="?" if optional else None,
        metavar="GAME",
        help="name of the game, or MODULE:CLASS of your own",
    )
    add_parameters(parser)


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Let a command take parameters of its game, as `-p NAME=VALUE`."""
    parser.add_argument(
        "-p",
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the game, such as board_size=7; may be repeated",
    )


def parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that were typed, by name.

    Raises:
        ValueError: a text is not NAME=VALUE.
    """
    found: dict[str, Any] = {}
    for text in options.param:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--param takes NAME=VALUE, got {text!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def make_game(options: argparse.Namespace) -> Game:
    """Return the game that was typed, with its parameters.

    Raises:
        ValueError: there is no such game or parameter.
    """
    name = register_game(options.game) if ":" in options.game else options.game
    return boardenvs.make(name, **parameters(options))


def add_time(parser: argparse.ArgumentParser) -> None:
    """Let a command take a time to think."""
    parser.add_argument(
        "--time",
        metavar="TIME",
        help="how long agents that search think about each move, such as 500ms or 2s: "
        "'mcts' is then 'mcts:2s'",
    )


def timed(specs: Sequence[str], options: argparse.Namespace, game: Game) -> list[str]:
    """Return the agents' specs, with the time to think that was typed, if any.

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
    """Let a command work on this machine or on a Ray cluster; `text` is the help."""
    parser.add_argument("--engine", choices=["local", "ray"], default="local", help=text)
    parser.add_argument(
        "--address", metavar="ADDRESS", help="of the Ray cluster; by default one that Ray finds"
    )


def check_address(options: argparse.Namespace) -> None:
    """Raise `ValueError` if the address of a cluster is given for work on this machine."""
    if options.engine == "local" and options.address is not None:
        raise ValueError("--address is for --engine ray")
