"""Finding the folders of a game's players, and the files, modules and constants in them.

`agents.games` describes what a folder may hold.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import importlib.util
import tempfile
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

from boardenvs.game import Game
from boardenvs.registration import GAMES

__all__ = [
    "constant",
    "declared",
    "files",
    "folder_of",
    "folders",
    "player_module",
    "player_module_name",
    "require",
]

_GAMES = "agents.games"
"""Package with the players of the games of `boardenvs`."""
_OWN = "players"
"""Name of the folder with the players of a user's game, within the game's package."""


def folder_of(name: str) -> str:
    """Return the package for the players of a game of `boardenvs`; it need not exist."""
    return f"{_GAMES}.{name}"


def folders(game: Game) -> list[str]:
    """Return the packages with a game's players, the nearest first."""
    places = []
    for home in game.packages:
        package, _, name = home.rpartition(".")
        ours = package == "boardenvs" and name in GAMES
        places.append(folder_of(name) if ours else f"{home}.{_OWN}")
    return [place for place in places if _places(place)]


def _places(package: str) -> list[str]:
    """Return a package's directories without importing it; empty if there is no such package."""
    spec = importlib.util.find_spec(package)
    return [] if spec is None else list(spec.submodule_search_locations or ())


def player_module_name(game: Game, name: str) -> str | None:
    """Return the full name of a module of a game's players, or `None` if there is no such module.

    The module, such as `decisive`, is not imported.

    Raises:
        ValueError: the players of a user's game cannot be imported.
    """
    for folder in folders(game):
        _imported(folder)
        if importlib.util.find_spec(f"{folder}.{name}") is not None:
            return f"{folder}.{name}"
    return None


def player_module(game: Game, name: str) -> ModuleType | None:
    """Import and return a module of a game's players, or `None` if there is no such module.

    Raises:
        ValueError: the module cannot be imported.
    """
    module = player_module_name(game, name)
    return None if module is None else _imported(module)


def constant(game: Game, name: str, default: Any) -> Any:
    """Return a constant such as `ANALYSTS` of the nearest folder whose `__init__.py` has it.

    Raises:
        ValueError: the players of a user's game cannot be imported.
    """
    modules = [_imported(folder) for folder in folders(game)]
    return next((getattr(one, name) for one in modules if hasattr(one, name)), default)


def files(game: Game, pattern: str) -> Iterator[Path]:
    """Yield the files of a game's folders that match a pattern like `*.onnx`, the nearest first."""
    for folder in folders(game):
        for place in _places(folder):
            there = Path(place)
            yield from sorted((there if there.is_dir() else _copied(folder)).glob(pattern))


@functools.cache
def _copied(folder: str) -> Path:
    """Copy a package's data files out of an archive and return the folder of the copies.

    The folder is deleted when the process ends.
    """
    kept = tempfile.TemporaryDirectory(prefix="boardenvs-", ignore_cleanup_errors=True)
    atexit.register(kept.cleanup)
    for file in resources.files(_imported(folder)).iterdir():
        if file.is_file() and not file.name.endswith((".py", ".pyc")):
            Path(kept.name, file.name).write_bytes(file.read_bytes())
    return Path(kept.name)


def declared(folder: str) -> Mapping[str, str]:
    """Return the table `AGENTS` of a folder, which declares its agents; see `agents.naming.tables`.

    Raises:
        ValueError: the folder cannot be imported, or `AGENTS` is not a table of strings.
    """
    table = getattr(_imported(folder), "AGENTS", {})
    if not isinstance(table, Mapping) or not all(
        isinstance(text, str) for entry in table.items() for text in entry
    ):
        raise ValueError(
            f"{folder}.AGENTS must be a dictionary such as {{'greedy': 'greedy:GreedyAgent'}}, "
            f"got {table!r}"
        )
    return table


def require(game: Game, folder: str, what: str) -> None:
    """Raise `ValueError` if a game does not use a folder.

    Args:
        game: the game to play.
        folder: package of the supported game, such as `agents.games.gekitai`.
        what: name of the player, for the message.
    """
    if folder not in folders(game):
        raise ValueError(f"{what} supports only {folder.rpartition('.')[2]}, got {game.name}")


def _imported(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except Exception as error:
        if module.startswith(f"{_GAMES}."):
            raise
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{module} cannot be imported: {type(error).__name__}: {reason}"
        ) from error
