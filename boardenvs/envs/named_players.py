"""Players by name, which the package `agents` makes.

`boardenvs` imports `agents` only here, when the first player is requested. Modules are
imported by name, since archives and frozen programs lack the metadata of an installation.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boardenvs.envs.opponents import Opponent
    from boardenvs.game import Game

__all__ = ["check_agents", "find_command", "make_builtin", "make_player"]

_SIGN = b"Players for the games of boardenvs"
"""Bytes that identify our `agents/__init__.py`."""


def make_player(spec: str, game: Game, seed: int) -> Opponent:
    """Make a player from its spec, as `agents.make` does.

    Raises:
        ValueError: if the spec is invalid, or the package `agents` is missing or another one.
    """
    made: Opponent = _found("agents.naming.spec", "make")(spec, game, seed)
    return made


def make_builtin(spec: str, game: Game) -> Opponent:
    """Make a built-in agent from its spec.

    It runs no code of the user, so the spec may come from a file.
    """
    made: Opponent = _found("agents.naming.spec", "make_builtin")(spec, game)
    return made


def find_command() -> Callable[[], int]:
    """Return the function of the `boardenvs` command, which is in the package `agents`.

    Raises:
        ValueError: if the package `agents` is missing or another one.
    """
    command: Callable[[], int] = _found("agents.command", "main")
    return command


@functools.cache
def _found(module: str, name: str) -> Any:
    check_agents()
    return getattr(importlib.import_module(module), name)


def check_agents() -> None:
    """Check, without importing it, that Python finds the package `agents` of `boardenvs`.

    Raises:
        ValueError: if Python finds no package `agents`, or another one.
    """
    ours = Path(__file__).resolve().parents[1].with_name("agents")
    found: Any = find_spec("agents")
    where = None if found is None else found.origin
    # At the right path, another distribution may have overwritten our file. A compiled file
    # without its source, as in a frozen program, may lack the line.
    if (
        where is None
        or Path(where).parent.resolve() != ours
        or (where.endswith(".py") and _SIGN not in found.loader.get_data(where))
    ):
        raise ValueError(
            f"package 'agents' must be that of boardenvs, {ours}, but Python finds "
            f"{where or 'no such package'}: rename the other package, or install boardenvs in "
            f"its own environment"
        )
