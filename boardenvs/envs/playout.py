"""Playouts: a batch of games played to the end with a function that chooses the actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from boardenvs.game import Game, Illegal, States

__all__ = ["Choose", "playout", "plies"]

Choose = Callable[[States, npt.NDArray[np.intp]], npt.ArrayLike]
"""A function that returns M actions. Its arguments are the positions that are not over and their
indices among all games, each of shape (M,)."""


def plies(
    game: Game, states: States, choose: Choose, *, illegal: Illegal = "lose"
) -> Iterator[npt.NDArray[np.intp]]:
    """Play games to the end in place, one ply in every unfinished game at a time.

    Args:
        game: the game to play.
        states: records, shape (N,).
        choose: function that chooses the actions.
        illegal: effect of an illegal action, as for `Game.play`.

    Yields:
        After every ply, the indices of the games that ended, in ascending order.

    Raises:
        ValueError: if an action is outside the action space, or illegal with
            `illegal="raise"`. No game is played in that ply.
    """
    live = np.flatnonzero(~game.over(states))
    while len(live):
        part = states[live]
        game.play(part, choose(part, live), illegal=illegal)
        states[live] = part
        over = game.over(part)
        ended, live = live[over], live[~over]
        yield ended


def playout(game: Game, states: States, choose: Choose, *, illegal: Illegal = "lose") -> None:
    """Play games to the end in place, as `plies` does."""
    for _ in plies(game, states, choose, illegal=illegal):
        pass
