"""Arguments that several commands share: a game, its parameters, a thinking time, an engine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import boardenvs
from agents.naming.spec import Spec
from agents.naming.user_code import register_game
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
    """Add the arguments for a game and its parameters."""
    parser.add_argument(
        "game",
        nargs="?" if optional else None,
        metavar="GAME",
        help="name of the game, or MODULE:CLASS of your own",
    )
    add_parameters(parser)


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Add the option `-p NAME=VALUE` for parameters of the game."""
    parser.add_argument(
        "-p",
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the game, such as board_size=7; may be repeated",
    )


_PYTHON = {"True": True, "False": False, "None": None}
"""Values as Python writes them, unlike JSON."""


def parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the given parameters by name.

    Raises:
        ValueError: a parameter is not NAME=VALUE.
    """
    found: dict[str, Any] = {}
    for text in options.param:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--param must be NAME=VALUE, got {text!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = _PYTHON.get(value, value)
    return found


def make_game(options: argparse.Namespace) -> Game:
    """Return the given game with its parameters.

    Raises:
        ValueError: the game or a parameter does not exist.
    """
    params = parameters(options)
    name = register_game(options.game) if ":" in options.game else options.game
    return boardenvs.make(name, **params)


def add_time(parser: argparse.ArgumentParser) -> None:
    """Add the option for a thinking time."""
    parser.add_argument(
        "--time",
        metavar="TIME",
        help="how long agents that search think about each move, such as 500ms or 2s: "
        "'mcts' is then 'mcts:2s'",
    )


def timed(specs: Sequence[Spec], options: argparse.Namespace) -> list[Spec]:
    """Return the agents, with the thinking time if one is given.

    Raises:
        ValueError: as `Spec.with_time`, or none of the agents searches.
    """
    if options.time is None:
        return list(specs)
    found = [spec.with_time(options.time) for spec in specs]
    if found == list(specs):
        raise ValueError(
            f"--time requires an agent that searches, got {', '.join(map(str, specs))}"
        )
    return found


def add_engine(parser: argparse.ArgumentParser, text: str) -> None:
    """Add the options for this machine or a Ray cluster; `text` is the help."""
    parser.add_argument("--engine", choices=["local", "ray"], default="local", help=text)
    parser.add_argument(
        "--address",
        metavar="ADDRESS",
        help="address of the Ray cluster; by default one that Ray finds",
    )


def check_address(options: argparse.Namespace) -> None:
    """Raise `ValueError` for an address of a cluster without the engine ray."""
    if options.engine == "local" and options.address is not None:
        raise ValueError("--address requires --engine ray, got --engine local")
