"""Ways to turn a game's board that change nothing about the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Symmetries"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Symmetries:
    """K views of a game that change nothing about it.

    The methods take a view for each position, `which`. If there is only one view, they return the
    arrays uncopied.

    Example:
        >>> import boardenvs
        >>> views = boardenvs.make("gekitai").symmetries()
        >>> len(views), views.actions[1].tolist().index(0)  # where the top left corner is then
        (8, 30)
    """

    actions: npt.NDArray[np.intp]
    """Shape (K, num_actions): action `a` in view `k` is action `actions[k, a]` of the game."""
    entries: npt.NDArray[np.intp]
    """Shape (K, observation_size): entry `e` of an observation, flattened, shows in view `k`
    what entry `entries[k, e]` does as it is."""

    def __post_init__(self) -> None:
        """Check that these are views, of which the first is the game as it is.

        Raises:
            ValueError: they are not.
        """
        for name in ("actions", "entries"):
            table = np.asarray(getattr(self, name))
            if table.ndim != 2 or table.dtype.kind not in "iu" or not len(table):
                raise ValueError(f"{name} must be rows of whole numbers, a row for each view")
            as_it_is = np.arange(table.shape[1])
            if (np.sort(table, 1) != as_it_is).any() or (table[0] != as_it_is).any():
                raise ValueError(
                    f"each row of {name} must have every number from 0 to {table.shape[1] - 1} "
                    f"once, and the first have them in order"
                )
            object.__setattr__(self, name, table.astype(np.intp))
        if len(self.actions) != len(self.entries):
            raise ValueError(
                f"there are {len(self.actions)} views of the actions and {len(self.entries)} of "
                f"the observation"
            )

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def none(cls, num_actions: int, observation_size: int) -> Symmetries:
        """Return one view, the game as it is, for a game without symmetries."""
        return cls(np.arange(num_actions)[None], np.arange(observation_size)[None])

    @classmethod
    def of_square(cls, side: int, planes: int) -> Symmetries:
        """Return the eight views of a square board whose cells are the actions, row by row.

        For rules that know neither up from down nor left from right.

        Args:
            side: rows, and columns.
            planes: of the observation, whose shape is (planes, side, side).
        """
        cells = np.arange(side * side).reshape(side, side)
        views = [np.rot90(view, k).ravel() for view in (cells, cells.T) for k in range(4)]
        actions = np.array(views)
        entries = actions[:, None] + cells.size * np.arange(planes)[:, None]
        return cls(actions, entries.reshape(len(actions), -1))

    def observations(
        self, observations: npt.NDArray[_Scalar], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[_Scalar]:
        """Return observations as views show them.

        Args:
            observations: shape (N, ...).
            which: a view for each, shape (N,).
        """
        if len(self) == 1:
            return observations
        flat = observations.reshape(len(observations), -1)
        return np.take_along_axis(flat, self.entries[which], 1).reshape(observations.shape)

    def by_action(
        self, values: npt.NDArray[_Scalar], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[_Scalar]:
        """Return values of the actions, such as masks, as views number the actions.

        Args:
            values: shape (N, num_actions).
            which: a view for each, shape (N,).
        """
        if len(self) == 1:
            return values
        return np.take_along_axis(values, self.actions[which], 1)

    def actions_shown(
        self, actions: npt.NDArray[np.integer[Any]], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.int64]:
        """Return the numbers that actions of the game, shape (N,), have in views."""
        return (self.actions[which] == np.asarray(actions)[:, None]).argmax(1)

    def actions_meant(
        self, actions: npt.NDArray[np.integer[Any]], which: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.int64]:
        """Return actions of the game by their numbers in views: the inverse of `actions_shown`."""
        if len(self) == 1:
            return np.asarray(actions).astype(np.int64, casting="same_kind", copy=False)
        return self.actions[which, np.asarray(actions)].astype(np.int64, copy=False)
