"""Players by name: `random` is known here, all others the package `agents` makes.

`boardenvs` imports nothing of `agents`; it finds it by the entry points of the group
`boardenvs.agents`, when the first such player is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boardenvs.game import Game
    from boardenvs.opponents import Opponent

__all__ = ["check_agents", "find_command", "make_builtin", "make_player"]

_GROUP = "boardenvs.agents"
_SIGN = b"Players for the games of boardenvs"
"""In the first line of `agents/__init__.py`."""


def make_player(spec: str, game: Game, seed: int) -> Opponent:
    """A player by its spec, as `agents.make` makes it.

    Raises:
        ValueError: it cannot; or `agents` is not there, or not the right one.
    """
    made: Opponent = _found("make")(spec, game, seed)
    return made


def make_builtin(spec: str, game: Game) -> Opponent:
    """As `make_player`, but of the package's own agents alone: no code of a user's is run.

    That is for specs that may come from a file.
    """
    made: Opponent = _found("make_builtin")(spec, game)
    return made


def find_command() -> Callable[[], int]:
    """The `boardenvs` command itself, which stands in `agents`.

    Raises:
        ValueError: `agents` is not there, or not the right one.
    """
    command: Callable[[], int] = _found("command")
    return command


@functools.cache
def _found(name: str) -> Any:
    check_agents()
    for found in entry_points(group=_GROUP, name=name):
        return found.load()
    raise ValueError(
        "boardenvs finds its agents only where it is installed, as by pip install: there is no "
        f"entry point {name!r} of {_GROUP!r}"
    )


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
    if beside and _SIGN in loader.get_data(where):
        return
    if where is None:  # a folder without __init__.py
        where = next(iter(found.submodule_search_locations or ()), "what has no file")
    raise ValueError(
        f"the package 'agents' that Python finds is not that of boardenvs, but {where}: rename "
        f"it, or give boardenvs an environment of its own"
    )
