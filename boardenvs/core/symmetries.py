"""Symmetries of a game's board, such as rotations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import shown

__all__ = ["Symmetries"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Symmetries:
    """K equivalent views of a game, such as rotations of the board.

    The methods take an index of a view for each position, `which`. If there is only one view, they
    return the arrays without a copy.

    Example:
        >>> import boardenvs
        >>> views = boardenvs.make("gekitai").symmetries()
        >>> len(views), views.actions[1].tolist().index(0)  # new place of the top left corner
        (8, 30)
    """

    actions: npt.NDArray[np.intp]
    """Action `a` in view `k` is action `actions[k, a]` of the game; shape (K, num_actions)."""
    entries: npt.NDArray[np.intp]
    """Entry `e` of a flattened observation in view `k` is entry `entries[k, e]` of the game's
    observation; shape (K, observation_size)."""

    def __post_init__(self) -> None:
        """Check the views.

        Raises:
            ValueError: a row is not a permutation, or the first row is not the identity.
        """
        for name in ("actions", "entries"):
            table = np.asarray(getattr(self, name))
            if table.ndim != 2 or table.dtype.kind not in "iu" or not len(table):
                raise ValueError(
                    f"{name} must be a two-dimensional array of whole numbers with a row for each "
                    f"view, got shape {table.shape} and dtype {table.dtype}"
                )
            as_it_is = np.arange(table.shape[1])
            if (np.sort(table, 1) != as_it_is).any() or (table[0] != as_it_is).any():
                raise ValueError(
                    f"{name} must have every number from 0 to {table.shape[1] - 1} once in each "
                    f"row, and in order in the first row, got {shown(table.tolist())}"
                )
            object.__setattr__(self, name, table.astype(np.intp))
        if len(self.actions) != len(self.entries):
            raise ValueError(
                f"actions and entries must have the same number of rows, got {len(self.actions)} "
                f"and {len(self.entries)}"
            )

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def none(cls, num_actions: int, observation_size: int) -> Symmetries:
        """Return only the identity, for a game without symmetries."""
        return cls(np.arange(num_actions)[None], np.arange(observation_size)[None])

    @classmethod
    def of_square(cls, side: int, planes: int) -> Symmetries:
        """Return the eight views of a square board whose cells are the actions, row by row.

        The rules must be the same after every rotation and reflection.

        Args:
            side: number of rows and of columns.
            planes: number of planes of the observation, whose shape is (planes, side, side).
        """
        cells = np.arange(side * side).reshape(side, side)
        views = [np.rot90(view, k).ravel() for view in (cells, cells.T) for k in range(4)]
        actions = np.array(views)
        entries = actions[:, None] + cells.size * np.arange(planes)[:, None]
        return cls(actions, entries.reshape(len(actions), -1))

    def observations(
        self, observations: npt.NDArray[_Scalar], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[_Scalar]:
        """Return observations in the given views.

        Args:
            observations: observations of the game, shape (N, ...).
            which: index of a view for each, shape (N,).
        """
        if len(self) == 1:
            return observations
        flat = observations.reshape(len(observations), -1)
        return np.take_along_axis(flat, self.entries[which], 1).reshape(observations.shape)

    def by_action(
        self, values: npt.NDArray[_Scalar], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[_Scalar]:
        """Return values of the actions, such as masks, in the order of the given views.

        Args:
            values: values of the game's actions, shape (N, num_actions).
            which: index of a view for each, shape (N,).
        """
        if len(self) == 1:
            return values
        return np.take_along_axis(values, self.actions[which], 1)

    def actions_shown(
        self, actions: npt.NDArray[np.integer[Any]], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.int64]:
        """Return the numbers in the given views of actions of the game, shape (N,)."""
        return (self.actions[which] == np.asarray(actions)[:, None]).argmax(1)

    def actions_meant(
        self, actions: npt.NDArray[np.integer[Any]], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.int64]:
        """Return the game's actions for numbers in the given views; inverse of `actions_shown`."""
        if len(self) == 1:
            return np.asarray(actions).astype(np.int64, casting="same_kind", copy=False)
        return self.actions[which, np.asarray(actions)].astype(np.int64, copy=False)
