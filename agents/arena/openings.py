"""The openings that a game has, by their names.

A file `*.openings.json` in a game's folder (see `agents.games`) has the openings of one name for
the parameters that it tells; other parameters of the game may be any. So a game has its "balanced"
openings for each board for which somebody has made them.

A list `*.txt` of anybody's, one opening a line, is read by the module `opening_lists` in the game's
folder, if it has one.
"""

from __future__ import annotations

from pathlib import Path

from agents.games import files, part
from agents.opening_files import NamedOpenings, openings_in, openings_listed_in, read_head
from boardenvs.game import Game

__all__ = ["NamedOpenings", "named_openings", "openings_of"]


def openings_of(game: Game) -> dict[str, Path]:
    """The files of all openings that a game has, with its parameters, by their names.

    Raises:
        ValueError: a file is none of openings.
    """
    found: dict[str, Path] = {}
    for path in files(game, "*.openings.json"):
        told = read_head(path)
        if told["params"].items() <= game.params.items():
            found.setdefault(told["name"], path)
    return found


def named_openings(game: Game, name: str) -> NamedOpenings:
    """The openings of a name, or of a list.

    Args:
        game: that begins with them.
        name: of openings of the game, or the path of a list, `*.txt`.

    Raises:
        ValueError: the game has none of that name with its parameters or no such lists, or the
            file is damaged or one of another game.
    """
    if name.lower().endswith(".txt"):
        lists = part(game, "opening_lists")
        if lists is None:
            raise ValueError(f"{game.name} has no lists of openings such as {name}")
        return openings_listed_in(Path(name), game, lists.read)
    known = openings_of(game)
    if name not in known:
        raise ValueError(f"{game!r} has no openings {name!r}; it has {list(known) or 'none'}")
    return openings_in(known[name], game)
