"""The symmetries of a game's board, for training on all its views."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boardenvs.game import Game

__all__ = ["symmetries", "turned"]

_SQUARE = ("gekitai", "gomoku")
"""Games whose rules know neither up from down nor left from right, on a square board whose
cells are the actions. In 112 the line to make, 1, 1, 2, has a direction; in Goat Race the
course has one, and the rows are numbered by the die."""


def symmetries(game: Game) -> npt.NDArray[np.intp]:
    """Ways to turn and mirror a board that change nothing about the game.

    Returns:
        Shape (K, cells), the first row the identity: under symmetry `k` the cell `c` shows
        what stood on `table[k, c]`, so that action `a` in the picture is action
        `table[k, a]` on the board. K is 1, and the table the identity on all actions, where
        there are none.
    """
    if game.name not in _SQUARE:
        return np.arange(game.num_actions)[None]
    _, side, _ = game.observation_shape
    cells = np.arange(side * side).reshape(side, side)
    turned = [np.rot90(view, k) for view in (cells, cells.T) for k in range(4)]
    return np.array([view.ravel() for view in turned])


def turned(observations: npt.NDArray[np.int8], cells: npt.NDArray[np.intp]) -> npt.NDArray[np.int8]:
    """Boards, each under a view of its own.

    Args:
        observations: shape (N, planes, rows, columns).
        cells: a row of `symmetries` for each, shape (N, rows * columns).
    """
    planes = observations.reshape(*observations.shape[:2], -1)
    return np.take_along_axis(planes, cells[:, None], 2).reshape(observations.shape)
