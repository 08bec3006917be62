"""A game's parameters as people type them: `-p NAME=VALUE`."""

from __future__ import annotations

import argparse
import json
from typing import Any

__all__ = ["add_parameters", "parameters"]


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """Let a command take parameters of its game."""
    parser.add_argument(
        "-p",
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the game, such as board_size=7; may be repeated",
    )


def parameters(options: argparse.Namespace) -> dict[str, Any]:
    """The parameters that were typed.

    Raises:
        ValueError: something is no NAME=VALUE.
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
