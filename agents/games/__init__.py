"""Knowledge of players about each game: a folder for each game, and the rule that finds it.

A module of `agents` is used by any game, or it lies in the folder of the one game that it is for.
The folder of a game of `boardenvs` has the game's name and lies here. That of a user's own game,
defined in a package P, is P.players. Either may hold

- agents, which a table `AGENTS` in its `__init__.py` declares, as that of `agents.specs` does:
  those of the name of an agent for any game take its place;
- other constants in its `__init__.py`: `ANALYSTS` (see `agents.analysis.analyst`), `OPPONENTS` and
  `PARAMETERS` (see `agents.play.choices`);
- modules of a fixed name that loops look for, such as `decisive`;
- `training.toml`, the settings of training;
- openings, `*.openings.json`, and a reader of lists of openings; see `agents.arena.openings`;
- trained networks, `*.onnx`, with their cards, and their versions in int8, `*.int8.onnx`.

The folders of a game follow from the bases of its class (`boardenvs.Game.packages`).
Each of the things above comes from the nearest folder that has it. A subclass with unchanged rules
has all that its base has. A subclass with rules of its own has nothing of its base.
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

_OWN = "players"
"""The folder of a user's game, within the game's package."""


def folder_of(name: str) -> str:
    """Return the package for the players of a game of `boardenvs`."""
    return f"{__name__}.{name}"


def folders(game: Game) -> list[str]:
    """Return the packages of a game's players, the nearest first."""
    places = []
    for home in game.packages:
        package, _, name = home.rpartition(".")
        ours = package == "boardenvs" and name in GAMES
        places.append(folder_of(name) if ours else f"{home}.{_OWN}")
    return [place for place in places if _places(place)]


def _places(package: str) -> list[str]:
    """Return the folders of a package without importing it; none if it does not exist."""
    spec = importlib.util.find_spec(package)
    return [] if spec is None else list(spec.submodule_search_locations or ())


def player_module_name(game: Game, name: str) -> str | None:
    """Return the name of a module of a game's players, such as `decisive`, or `None` without one.

    The module is not imported.

    Raises:
        ValueError: the players of a user's game cannot be imported.
    """
    for folder in folders(game):
        _imported(folder)
        if importlib.util.find_spec(f"{folder}.{name}") is not None:
            return f"{folder}.{name}"
    return None


def player_module(game: Game, name: str) -> ModuleType | None:
    """Import and return a module of a game's players, or `None` if they have none of this name.

    Raises:
        ValueError: it cannot be imported.
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
    """Return files of a game's folders that match a pattern such as `*.onnx`, the nearest first."""
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
    """Return the agents of a folder's table `AGENTS`; see `agents.specs`.

    Raises:
        ValueError: the module cannot be imported, or its table is invalid.
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
    """Raise `ValueError` for a game whose players do not lie in a folder.

    Args:
        game: the game to play.
        folder: folder of the games that the player supports.
        what: name of the player.
    """
    if folder not in folders(game):
        raise ValueError(f"{what} plays {folder.rpartition('.')[2]} alone, not {game.name}")


def _imported(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except Exception as error:
        if module.startswith(f"{__name__}."):
            raise
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{module} cannot be imported: {type(error).__name__}: {reason}"
        ) from error
