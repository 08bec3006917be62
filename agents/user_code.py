"""Code of the user's own, which a spec names as `MODULE:NAME`.

One rule for all: what runs a user's code or a command is taken from the command line and from
Python, never from a file (a run's folder, a store, an episode, a card, an `EnvSpec`) unless the
command names it again, by `allow`.
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
from agents.specs import known_agents
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
]

_COMMANDS = {"engine", "text"}
"""Kinds of agents that run what stands behind the colon, whether or not this package makes them."""
_allowed: set[str] = set()


def is_user_code(spec: str, game: Game | None = None) -> bool:
    """Whether a spec runs code or a command of the user's own: any that no table declares.

    Args:
        spec: of an agent.
        game: what it is to play, if that is known. The agents that its own players declare count
            as this package's: who imported the game trusts the package that it lies in.
    """
    name, colon, rest = spec.partition(":")
    if name == "mixed":
        return is_user_code(rest.partition(":")[2], game)
    return bool(colon) and (name in _COMMANDS or name not in known_agents(game))


def allow(spec: str) -> None:
    """Let files name an agent of your own, whose code is then run, while this process lasts.

    Args:
        spec: as the file has it, such as `my_module:my_factory`.

    Raises:
        ValueError: it is no such spec.

    Example:
        >>> import agents
        >>> agents.allow("my_players:make_best")
    """
    if not isinstance(spec, str) or not is_user_code(spec):
        raise ValueError(f"expected an agent of your own, MODULE:FACTORY, got {shown(spec)}")
    _allowed.add(spec)


def is_allowed(spec: str, game: Game | None = None) -> bool:
    """Whether a file may name an agent: one that a table declares, or one that was allowed."""
    return not is_user_code(spec, game) or spec in _allowed


def require_allowed(specs: Iterable[object], where: str, game: Game | None = None) -> None:
    """Raise `ValueError` for the first spec out of a file that runs code and that nobody allowed.

    Args:
        specs: of agents, as the file names them.
        where: what names them.
        game: what they are to play, as for `is_user_code`.
    """
    for spec in specs:
        if isinstance(spec, str) and not is_allowed(spec, game):
            raise ValueError(
                f"{where} names {spec!r}, which runs code of your own only if the command names it "
                f"again: add --allow {shlex.quote(spec)}, in Python agents.allow({spec!r})"
            )


def import_object(module: str, name: str) -> Any:
    """Import a module and return the object of this name; the current folder is searched, too.

    Whatever goes wrong in the module is raised.
    """
    here = str(Path.cwd())
    if here not in sys.path:  # as `python -m` does; console scripts leave it out
        sys.path.insert(_place(here), here)
    return getattr(importlib.import_module(module), name)


def file_sha256(module: str) -> str | None:
    """Return the SHA-256 of the file of an imported module, or `None` if there is no such file.

    The file may lie in an archive.
    """
    found: Any = sys.modules.get(module)
    try:
        data = found.__loader__.get_data(found.__file__)
    except (AttributeError, TypeError, OSError):
        return None
    return hashlib.sha256(data).hexdigest()


def _place(folder: str) -> int:
    """Where in `sys.path` a folder goes: first, but after this package if it holds another one.

    Processes that are spawned from here look for `agents` anew.
    """
    ours = str(Path(__file__).parent.parent)
    if PathFinder.find_spec("agents", [folder]) is None or ours not in sys.path:
        return 0
    return sys.path.index(ours) + 1


def name_of_game(game: Game) -> str:
    """What the command calls a game: its name, or `MODULE:CLASS` of a user's own."""
    cls = type(game)
    known = game.name in boardenvs.GAMES and game_class(game.name) is cls
    return game.name if known else f"{cls.__module__}:{cls.__qualname__}"


def register_game(spec: str) -> str:
    """Register the game that `MODULE:CLASS` names.

    Returns:
        Its name.

    Raises:
        ValueError: there is no such class, or it is no game.
    """
    from agents.agent import one_line

    module, _, name = spec.partition(":")
    try:
        cls = import_object(module, name)
    except (Exception, SystemExit) as error:
        raise ValueError(f"game {spec!r} cannot be imported: {one_line(error)}") from error
    return boardenvs.register(cls).name
