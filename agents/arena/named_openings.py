"""Named openings of a game.

A file `*.openings.json` in a game's folder (see `agents.games`) has the openings of one name. It
lists the parameters of the game that must match. So a game may have "balanced" openings for several
boards, one file each.

The optional module `opening_lists` in the game's folder reads lists `*.txt` with one opening per
line.
"""

from __future__ import annotations

from pathlib import Path

from agents.arena.opening_files import NamedOpenings, openings_in, openings_listed_in, read_head
from agents.naming.game_folders import files, player_module
from boardenvs.game import Game

__all__ = ["NamedOpenings", "named_openings", "openings_of"]


def openings_of(game: Game) -> dict[str, Path]:
    """Return the files of openings for a game with its parameters, by name.

    Raises:
        ValueError: a file is not a file of openings.
    """
    found: dict[str, Path] = {}
    for path in files(game, "*.openings.json"):
        head = read_head(path)
        if head["params"].items() <= game.params.items():
            found.setdefault(head["name"], path)
    return found


def named_openings(game: Game, name: str) -> NamedOpenings:
    """Return the openings of a name or of a list.

    Args:
        game: the game that begins with the openings.
        name: name of openings of the game, or path of a list, `*.txt`.

    Raises:
        ValueError: the game has no openings of that name for its parameters, the game does not
            support lists, or the file is damaged or for another game.
    """
    if name.lower().endswith(".txt"):
        lists = player_module(game, "opening_lists")
        if lists is None:
            raise ValueError(f"{game.name} does not support lists of openings, got {name!r}")
        return openings_listed_in(Path(name), game, lists.read)
    known = openings_of(game)
    if name not in known:
        has = f"it has {list(known)}" if known else "it has no named openings"
        raise ValueError(f"{game!r} has no openings {name!r}; {has}")
    return openings_in(known[name], game)
