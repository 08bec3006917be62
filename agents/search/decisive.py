"""Decisive moves and forced wins: hooks by which a game helps the tree search.

The idea is from F. Teytaud, O. Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree
search algorithms", CIG 2010. A game that has decisive moves has a module `decisive` (see
`agents.games`) with the hook `decisive_action`, and perhaps `forced_win`. Such games have two
players, and neither chance nor hidden parts.
"""

from __future__ import annotations

from typing import Any

from agents.games import player_module, player_module_name
from boardenvs.game import Game
from boardenvs.kernels.hook import hook

__all__ = [
    "checked_decisive",
    "checked_forced",
    "decisive_action",
    "decisive_module_name",
    "forced_win",
    "knows_decisive",
]

_FORCED, _FORCED_AT_ROOT = 64, 10_000
"""How much is searched for a forced win at each leaf and at the root, see `forced_win`."""


@hook(optional=True)
def decisive_action(s: Any, p: Any, before: int) -> int:
    """Return an action that wins at once, else one that may stop the next player's win, else -1.

    The second kind is returned only where it is cheap to find. The result depends only on the
    position. `before` tells where to look:

    - -2: everywhere.
    - -1: nothing was decisive a ply ago, so what is now came of the last action.
    - else the last action but one: the last action kept its player from a win that came of it,
      and whatever wins now came of it, too. Of the last action came whatever would win for the
      other.
    """
    return -1


@hook(optional=True)
def forced_win(s: Any, p: Any, most: int) -> tuple[int, int]:
    """Return the first action of a forced win, and its largest number of plies; -1, 0 for none.

    This hook is for wins that a search of the game's own finds with little work, such as victory by
    continuous fours, where `decisive_action` does not win at once. `most` limits the search. The
    position stays as it is.
    """
    return -1, 0


def knows_decisive(game: Game) -> bool:
    """Return whether a game has decisive moves."""
    return decisive_module_name(game) is not None


def checked_decisive(what: str, value: Any, game: Game) -> bool:
    """Return the checked option of a search to look for decisive moves.

    Args:
        what: the option's name.
        value: `None` for true if the game has such moves.
        game: what is played.

    Raises:
        ValueError: the value is something else, or it is true and the game has no decisive moves.
    """
    if value is None:
        return knows_decisive(game)
    if not isinstance(value, bool):
        raise ValueError(f"{what} must be True, False or None, got {value!r}")
    if value and not knows_decisive(game):
        raise ValueError(
            f"{what} must be False or None for {game.name}, which has no decisive moves, got True"
        )
    return value


def checked_forced(
    what: str, value: Any, game: Game, *, decisive: bool
) -> tuple[bool, tuple[int, int]]:
    """Return the checked option of a search to look for forced wins.

    Args:
        what: the option's name.
        value: `None` for true if the game has forced wins, and `decisive`.
        game: what is played.
        decisive: whether the search looks for decisive moves; if not, there are no forced wins.

    Returns:
        Whether the search looks for them, and how much at each leaf and at the root.

    Raises:
        ValueError: the value is something else, or it is true and the game has no forced wins or
            the search does not look for decisive moves.
    """
    knows = hasattr(player_module(game, "decisive"), "forced_win")
    if value is None:
        value = decisive and knows
    if not isinstance(value, bool):
        raise ValueError(f"{what} must be True, False or None, got {value!r}")
    if value and not knows:
        raise ValueError(
            f"{what} must be False or None for {game.name}, which has no forced wins, got True"
        )
    if value and not decisive:
        raise ValueError(
            f"{what} must be False or None in a search without decisive moves, got True"
        )
    return value, (_FORCED, _FORCED_AT_ROOT) if value else (0, 0)


def decisive_module_name(game: Game) -> str | None:
    """Return the name of the game's module with the hook `decisive_action`, if there is one."""
    return player_module_name(game, "decisive")
