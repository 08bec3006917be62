"""User code, which a spec names as `MODULE:NAME`.

A spec from the command line or from Python may run user code or a command. A spec from a file (a
run's folder, a store, an episode, a card, an `EnvSpec`) may run them only after `allow`.
"""

from __future__ import annotations

import hashlib
import importlib
import shlex
import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import boardenvs
from agents.naming.tables import known_agents
from boardenvs.core.checks import shown
from boardenvs.game import Game
from boardenvs.registration import game_class

__all__ = [
    "allow",
    "file_sha256",
    "import_object",
    "is_allowed",
    "is_user_code",
    "name_of_game",
    "register_game",
    "require_allowed",
    "search_here",
]

_COMMANDS = {"engine", "sb3", "text"}
"""Names of agents that run the code, the pickle or the command after the colon."""
_allowed: set[str] = set()


def is_user_code(spec: str, game: Game | None = None) -> bool:
    """Return whether a spec runs user code or a command.

    Args:
        spec: spec of an agent.
        game: game that the agent plays, if known. Agents that the game declares do not count as
            user code: importing the game means trusting its package.
    """
    name, colon, rest = spec.partition(":")
    if name == "mixed":
        return is_user_code(rest.partition(":")[2], game)
    return bool(colon) and (name in _COMMANDS or name not in known_agents(game))


def allow(spec: str) -> None:
    """Allow files to name an agent of your own and run its code, until this process ends.

    Args:
        spec: the spec in the file, such as `my_module:my_factory` or `sb3:model.zip`.

    Raises:
        ValueError: `spec` does not name user code.

    Example:
        >>> import agents
        >>> agents.allow("my_players:make_best")
    """
    if not isinstance(spec, str) or not is_user_code(spec):
        raise ValueError(f"spec must be an agent of your own, MODULE:FACTORY, got {shown(spec)}")
    _allowed.add(spec)


def is_allowed(spec: str, game: Game | None = None) -> bool:
    """Return whether a file may name an agent: it is declared in a table, or it was allowed."""
    return not is_user_code(spec, game) or spec in _allowed


def require_allowed(specs: Iterable[object], where: str, game: Game | None = None) -> None:
    """Raise `ValueError` for the first spec that runs user code and is not allowed.

    Args:
        specs: specs from a file.
        where: name of the file.
        game: game that the agents play, as for `is_user_code`.
    """
    for spec in specs:
        if isinstance(spec, str) and not is_allowed(spec, game):
            raise ValueError(
                f"{where} names {spec!r}, which runs code of your own and is not allowed: add "
                f"--allow {shlex.quote(spec)}, in Python agents.allow({spec!r})"
            )


def import_object(module: str, name: str) -> Any:
    """Import a module, which may be in the current folder, and return the object of this name.

    Exceptions of the module are passed on.
    """
    search_here()
    return getattr(importlib.import_module(module), name)


def search_here() -> None:
    """Let Python search the current folder for modules, as `python -m` does."""
    here = str(Path.cwd())
    if here not in sys.path:  # console scripts do not add it
        sys.path.insert(_place(here), here)


def file_sha256(module: str) -> str | None:
    """Return the SHA-256 of an imported module's file, or `None` if there is no file.

    The file may be in an archive.
    """
    found: Any = sys.modules.get(module)
    try:
        data = found.__loader__.get_data(found.__file__)
    except (AttributeError, TypeError, OSError):
        return None
    return hashlib.sha256(data).hexdigest()


def _place(folder: str) -> int:
    """Return the index in `sys.path` for a folder: 0, or after this package's folder.

    If the folder has its own `agents`, spawned processes must still find this package first.
    """
    ours = str(Path(__file__).parents[2])
    if PathFinder.find_spec("agents", [folder]) is None or ours not in sys.path:
        return 0
    return sys.path.index(ours) + 1


def name_of_game(game: Game) -> str:
    """Return the command's name for a game: its name, or `MODULE:CLASS` for a user's game."""
    cls = type(game)
    known = game.name in boardenvs.GAMES and game_class(game.name) is cls
    return game.name if known else f"{cls.__module__}:{cls.__qualname__}"


def register_game(spec: str) -> str:
    """Register the game `MODULE:CLASS` and return its name.

    Raises:
        ValueError: the class does not exist, or it is not a game.
    """
    from agents.agent import one_line

    module, _, name = spec.partition(":")
    try:
        cls = import_object(module, name)
    except (Exception, SystemExit) as error:
        raise ValueError(f"game {spec!r} cannot be imported: {one_line(error)}") from error
    return boardenvs.register(cls).name
