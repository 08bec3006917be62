"""What users name as `MODULE:NAME`: things of their own, imported from where they are."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import boardenvs

__all__ = ["find", "register_game"]


def find(module: str, name: str) -> Any:
    """What a module calls by a name; the current folder is searched, too.

    Whatever goes wrong in the module is raised.
    """
    here = str(Path.cwd())
    if here not in sys.path:  # as `python -m` does; console scripts leave it out
        sys.path.insert(_place(here), here)
    return getattr(importlib.import_module(module), name)


def _place(folder: str) -> int:
    """Where in `sys.path` a folder goes: first, but after this package if it holds another one.

    Processes that are spawned from here look for `agents` anew.
    """
    ours = str(Path(__file__).parent.parent)
    if PathFinder.find_spec("agents", [folder]) is None or ours not in sys.path:
        return 0
    return sys.path.index(ours) + 1


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
        cls = find(module, name)
    except (Exception, SystemExit) as error:
        raise ValueError(f"game {spec!r} cannot be imported: {one_line(error)}") from error
    return boardenvs.register(cls).name
