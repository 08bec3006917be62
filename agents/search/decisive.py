"""Decisive moves and forced wins: hooks by which a game helps the tree search.

The idea is from F. Teytaud, O. Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree
search algorithms", CIG 2010. A game supports decisive moves by a module `decisive` (see
`agents.games`) with the hook `decisive_action` and optionally `forced_win`. Such games have two
players, no chance and no hidden information.
"""

from __future__ import annotations

from typing import Any

from agents.naming.game_folders import player_module, player_module_name
from boardenvs.game import Game
from boardenvs.kernels.binding import hook

__all__ = [
    "checked_decisive",
    "checked_forced",
    "decisive_action",
    "decisive_module_name",
    "forced_win",
    "knows_decisive",
]

_FORCED, _FORCED_AT_ROOT = 64, 10_000
"""Limits of the search for a forced win at each leaf and at the root, see `forced_win`."""


@hook(optional=True)
def decisive_action(s: Any, p: Any, before: int) -> int:
    """Return an action that wins at once, else one that may stop the next player's win, else -1.

    An action that stops a win is returned only if it is cheap to find. The result depends only on
    the position. `before` limits where to look:

    - -2: everywhere.
    - -1: no action was decisive one ply ago, so any decisive action results from the last action.
    - else `before` is the last action but one. The last action stopped a win that resulted from it.
      Any win of the player to move results from action `before`, and any win of the next player
      from the last action.
    """
    return -1


@hook(optional=True)
def forced_win(s: Any, p: Any, most: int) -> tuple[int, int]:
    """Return the first action of a forced win and its maximum number of plies; else -1 and 0.

    This hook is for wins that a game's own search finds cheaply, such as victory by continuous
    fours. It is called if `decisive_action` does not win at once. `most` limits the search. The
    hook does not change the position.
    """
    return -1, 0


def knows_decisive(game: Game) -> bool:
    """Return whether a game has decisive moves."""
    return decisive_module_name(game) is not None


def checked_decisive(what: str, value: Any, game: Game) -> bool:
    """Check the option of a search to look for decisive moves, and return its value.

    Args:
        what: name of the option.
        value: a bool; `None` for true if the game has decisive moves.
        game: the game to play.

    Raises:
        ValueError: the value is not a bool or `None`, or is true for a game without decisive moves.
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
    """Check the option of a search to look for forced wins, and return its value.

    Args:
        what: name of the option.
        value: a bool; `None` for true if the game has forced wins and `decisive` is true.
        game: the game to play.
        decisive: whether the search looks for decisive moves, which forced wins require.

    Returns:
        Whether the search looks for forced wins, and its limits at each leaf and at the root.

    Raises:
        ValueError: the value is not a bool or `None`, or is true although the game has no forced
            wins or the search does not look for decisive moves.
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
