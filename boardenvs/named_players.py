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
    from boardenvs.game import Game
    from boardenvs.opponents import Opponent

__all__ = ["check_agents", "find_command", "make_builtin", "make_player"]

_SIGN = b"Players for the games of boardenvs"
"""In the first line of `agents/__init__.py`."""


def make_player(spec: str, game: Game, seed: int) -> Opponent:
    """A player by its spec, as `agents.make` makes it.

    Raises:
        ValueError: it cannot; or `agents` is not there, or not the right one.
    """
    made: Opponent = _found("agents.making", "make")(spec, game, seed)
    return made


def make_builtin(spec: str, game: Game) -> Opponent:
    """As `make_player`, but of the package's own agents alone: no code of a user's is run.

    That is for specs that may come from a file.
    """
    made: Opponent = _found("agents.making", "make_builtin")(spec, game)
    return made


def find_command() -> Callable[[], int]:
    """The `boardenvs` command itself, which stands in `agents`.

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
    """See that the package `agents` is the one that belongs to `boardenvs`, importing nothing.

    Raises:
        ValueError: it is another one, such as another distribution's or the user's own, or
            there is none. The line names the file that was found.
    """
    ours = Path(__file__).parent.resolve().with_name("agents")
    found: Any
    try:
        found = find_spec("agents")
    except ValueError:  # as a module that was made by hand has none
        found = None
    if found is None:
        raise ValueError(f"Python finds no package 'agents', which should be {ours}")
    where, loader = found.origin, found.loader
    # Where the place is right, another distribution may have put its file over ours.
    beside = where is not None and Path(where).parent.resolve() == ours
    # A compiled file without its source, as in a frozen program, may lack the line.
    if beside and (not where.endswith(".py") or _SIGN in loader.get_data(where)):
        return
    if where is None:  # a folder without __init__.py
        where = next(iter(found.submodule_search_locations or ()), "what has no file")
    raise ValueError(
        f"the package 'agents' that Python finds is not that of boardenvs, but {where}: rename "
        f"it, or give boardenvs an environment of its own"
    )
