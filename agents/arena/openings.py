"""The openings that a game has, by their names.

A file `*.openings.json` in a game's folder (see `agents.games`) has the openings of one name for
the parameters that it tells; other parameters of the game may be any. So a game has its "balanced"
openings for each board for which somebody has made them.

The module `opening_lists` in the game's folder, if there is one, reads lists `*.txt` with one
opening per line.
"""

from __future__ import annotations

from pathlib import Path

from agents.arena.opening_files import NamedOpenings, openings_in, openings_listed_in, read_head
from agents.games import files, player_module
from boardenvs.game import Game

__all__ = ["NamedOpenings", "named_openings", "openings_of"]


def openings_of(game: Game) -> dict[str, Path]:
    """The files of all openings that a game has, with its parameters, by their names.

    Raises:
        ValueError: a file is none of openings.
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
        name: the name of some of the game's openings, or the path of a list, `*.txt`.

    Raises:
        ValueError: the game has no openings of that name for its parameters, the game does not
            support such lists, or the file is damaged or belongs to another game.
    """
    if name.lower().endswith(".txt"):
        lists = player_module(game, "opening_lists")
        if lists is None:
            raise ValueError(f"{game.name} has no lists of openings such as {name}")
        return openings_listed_in(Path(name), game, lists.read)
    known = openings_of(game)
    if name not in known:
        raise ValueError(f"{game!r} has no openings {name!r}; it has {list(known) or 'none'}")
    return openings_in(known[name], game)
