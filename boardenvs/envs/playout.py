"""Games played to their ends side by side, with any function that chooses the actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from boardenvs.game import Game, Illegal, States

__all__ = ["Choose", "playout", "plies"]

Choose = Callable[[States, npt.NDArray[np.intp]], npt.ArrayLike]
"""Given the positions that are not over, shape (M,), and their places among all, shape (M,), one
action for each."""


def plies(
    game: Game, states: States, choose: Choose, *, illegal: Illegal = "lose"
) -> Iterator[npt.NDArray[np.intp]]:
    """Play games to their ends in place, a ply in each that is not over at a time.

    Args:
        game: what is played.
        states: records, shape (N,).
        choose: what is played in each position.
        illegal: what an illegal action does, as for `Game.play`.

    Yields:
        After every ply the places of the games that it has ended, in ascending order.

    Raises:
        ValueError: an action is outside of the action space, or with `illegal="raise"` an
            illegal one; nothing is played in that ply.
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
    """Play games to their ends as `plies` does."""
    for _ in plies(game, states, choose, illegal=illegal):
        pass
