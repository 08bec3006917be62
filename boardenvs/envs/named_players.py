"""Players by name: `random` is known here, the package `agents` makes all others.

`boardenvs` imports `agents` only here, when the first such player is requested. Modules are
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
"""In the first line of `agents/__init__.py`."""


def make_player(spec: str, game: Game, seed: int) -> Opponent:
    """Make a player from its spec, as `agents.make` does.

    Raises:
        ValueError: the spec is wrong; or `agents` is not there, or not the right one.
    """
    made: Opponent = _found("agents.making", "make")(spec, game, seed)
    return made


def make_builtin(spec: str, game: Game) -> Opponent:
    """Make one of this package's own agents, as `make_player` does.

    No code of a user runs, so the spec may come from a file.
    """
    made: Opponent = _found("agents.making", "make_builtin")(spec, game)
    return made


def find_command() -> Callable[[], int]:
    """Return the `boardenvs` command, which is in the package `agents`.

    Raises:
        ValueError: `agents` is not there, or not the right one.
    """
    command: Callable[[], int] = _found("agents.command", "main")
    return command


@functools.cache
def _found(module: str, name: str) -> Any:
    check_agents()
    return getattr(importlib.import_module(module), name)


def check_agents() -> None:
    """Check, without an import, that Python finds the package `agents` of `boardenvs`.

    Raises:
        ValueError: Python finds no `agents`, or that of another distribution or of the user.
    """
    ours = Path(__file__).resolve().parents[1].with_name("agents")
    found: Any = find_spec("agents")
    where = None if found is None else found.origin
    # Where the place is right, another distribution may have put its file over ours. A compiled
    # file without its source, as in a frozen program, may lack the line.
    if (
        where is None
        or Path(where).parent.resolve() != ours
        or (where.endswith(".py") and _SIGN not in found.loader.get_data(where))
    ):
        raise ValueError(
            f"boardenvs needs its own package 'agents', {ours}, but Python finds "
            f"{where or 'none'}: rename that one, or give boardenvs an environment of its own"
        )
