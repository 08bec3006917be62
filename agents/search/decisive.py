"""Decisive moves and forced wins: which games tell the tree search about them.

The idea is from F. Teytaud, O. Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree
search algorithms", CIG 2010. A game that tells of them has a part `decisive` (see `agents.games`),
a module that has the hook `decisive_action`, and perhaps `forced_win`. The games are of two
players, without chance or hidden parts.
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
    """An action that wins at once; else one that may keep the next player from it; else -1.

    The second kind only where it is cheap to see. It is a function of the position alone;
    `before` only says where to look:

    - -2: everywhere.
    - -1: nothing was decisive a ply ago, so what is now came of the last action.
    - else the last action but one: the last action kept its player from a win that came of it,
      and whatever wins now came of it, too. Of the last action came whatever would win for the
      other.
    """
    return -1


@hook(optional=True)
def forced_win(s: Any, p: Any, most: int) -> tuple[int, int]:
    """The first action of a forced win, and in how many plies it wins at most; -1, 0 for none.

    It is for what a search of the game's own finds with little work, such as victory by
    continuous fours, where `decisive_action` does not win at once. `most` says how much to search.
    The position is left as it was.
    """
    return -1, 0


def knows_decisive(game: Game) -> bool:
    """Whether a game tells of decisive moves."""
    return decisive_module_name(game) is not None


def checked_decisive(what: str, value: Any, game: Game) -> bool:
    """An option of a search: whether it looks for decisive moves.

    Args:
        what: the option's name.
        value: `None` for wherever the game tells of them.
        game: what is played.

    Raises:
        ValueError: it is no such value, or the game tells of no decisive moves.
    """
    if value is None:
        return knows_decisive(game)
    if not isinstance(value, bool):
        raise ValueError(f"{what} must be True, False or None, got {value!r}")
    if value and not knows_decisive(game):
        raise ValueError(f"{what}: {game.name} tells of no decisive moves")
    return value


def checked_forced(
    what: str, value: Any, game: Game, *, decisive: bool
) -> tuple[bool, tuple[int, int]]:
    """An option of a search: whether it looks for forced wins.

    Args:
        what: the option's name.
        value: `None` for wherever the game tells of them.
        game: what is played.
        decisive: whether the search looks for decisive moves; if not, there are no forced wins.

    Returns:
        Whether it does, and how much it searches for them at each leaf and at the root.

    Raises:
        ValueError: it is no such value, the game tells of no forced wins, or decisive moves are not
            looked for.
    """
    knows = hasattr(player_module(game, "decisive"), "forced_win")
    if value is None:
        value = decisive and knows
    if not isinstance(value, bool):
        raise ValueError(f"{what} must be True, False or None, got {value!r}")
    if value and not knows:
        raise ValueError(f"{what}: {game.name} tells of no forced wins")
    if value and not decisive:
        raise ValueError(f"{what}: who does not look for decisive moves sees no forced wins")
    return value, (_FORCED, _FORCED_AT_ROOT) if value else (0, 0)


def decisive_module_name(game: Game) -> str | None:
    """The name of the module that has the hook `decisive_action` of a game, if there is one."""
    return player_module_name(game, "decisive")
