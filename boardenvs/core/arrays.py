"""A game's operations on arrays of records without checks, and the checks of what callers give."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core import checks
from boardenvs.core.records import fault_message

__all__ = ["Arrays"]

States = npt.NDArray[np.void]


class Arrays:
    """What this package's own code does with a game's records; a user calls the game itself.

    `batch`, `records` and `one` check what a caller hands in. `new`, `legal` and `conceal` are the
    game's operations of these names for records that were checked before.
    """

    def __init__(self, game: Any) -> None:
        """Serve a game, which is a `boardenvs.Game`."""
        self._game = game

    def batch(self, states: Any) -> States:
        """Return `states` as a writable contiguous array of shape (N,), copied only if necessary.

        The rules can be called on the returned records: no index leads outside of an array. The
        records need not be positions that a game leads to; `Game.restore` checks that.

        Raises:
            ValueError: it is no array of this game's records, or one holds what no position does.
        """
        array = self.records(states)
        self.check_fault(
            array,
            *self._game.kernels.first_fault(array, self._game.constants, self._game.num_actions),
        )
        return array

    def records(self, states: Any) -> States:
        """Return what `batch` does, without checking the contents of the records.

        Raises:
            ValueError: it is no array of this game's records.
        """
        array = np.asarray(states)
        if array.dtype != self._game.state_dtype or array.ndim > 1:
            raise ValueError(
                f"expected {self._game.name} records, shape (N,), got an array of "
                f"shape {array.shape} and dtype {array.dtype}"
            )
        if array.ndim == 0:
            array = array.reshape(1)
        if not (array.flags.c_contiguous and array.flags.writeable):
            array = array.copy()
        return array if array.dtype.type is np.record else array.view(self._game.state_dtype)

    def one(self, state: Any) -> np.void:
        """Return `state` as one record, or raise `ValueError`."""
        batch = self.batch(state)
        if len(batch) != 1:
            raise ValueError(f"expected one {self._game.name} record, got {len(batch)}")
        record: np.void = batch[0]
        return record

    def check_fault(self, states: States, i: int, fault: int) -> None:
        """Raise `ValueError` for the fault of a record, if there is one."""
        if fault:
            what = fault_message(fault, states[i], self._game.num_actions, self._game.max_plies)
            raise ValueError(
                f"record {i} of {len(states)} is no {self._game.name} position: {what}"
            )

    def legal(self, states: States) -> npt.NDArray[np.bool_]:
        """Return the legal actions as `Game.legal` does, without checking the records."""
        masks = np.empty((len(states), self._game.num_actions), np.bool_)
        self._game.kernels.legal_games(states, self._game.constants, masks)
        return masks

    def new(self, streams: npt.NDArray[np.uint64]) -> States:
        """Return start positions with the given random streams, shape (N,)."""
        states = np.empty(len(streams), self._game.state_dtype)
        self._game.kernels.start_games(states, self._game.constants, self._game.start, streams)
        return states

    def conceal(
        self, states: States, seat: npt.ArrayLike, streams: npt.NDArray[np.uint64]
    ) -> States:
        """Return what `Game.conceal` does, resampled from the random stream `streams[i]`.

        The environments call this before every ply of an opponent, so the contents of the records
        are not checked.
        """
        copies = self.records(states).copy()
        seats = self.seats(seat, len(copies))
        self._game.kernels.redraw_games(copies, self._game.constants, seats, streams)
        return copies

    def action_numbers(self, actions: npt.ArrayLike, num: int) -> npt.NDArray[np.int64]:
        """Return `actions` as int64 of shape (num,).

        Raises:
            ValueError: they are not `num` whole numbers of the action space.
        """
        array = np.asarray(actions)
        if array.size == 0 == num:
            return np.zeros(0, np.int64)
        if array.dtype.kind not in "iu" or array.shape not in ((num,), () if num == 1 else (num,)):
            raise ValueError(
                f"expected {num} actions as whole numbers, got an array of "
                f"shape {array.shape} and dtype {array.dtype}"
            )
        array = array.reshape(num)
        numbers = np.ascontiguousarray(array, np.int64)
        if _any_outside(numbers, self._game.num_actions):
            outside = (array < 0) | (array >= self._game.num_actions)
            raise ValueError(
                f"action {array[outside.argmax()]} is outside of the action space, "
                f"0 to {self._game.num_actions - 1}"
            )
        return numbers

    def require_legal(self, masks: npt.NDArray[np.bool_], actions: npt.NDArray[np.int64]) -> None:
        """Raise `ValueError` for the first action that its mask does not allow."""
        refused = ~masks[np.arange(len(actions)), actions]
        if refused.any():
            i = int(refused.argmax())
            raise ValueError(f"action {actions[i]} is illegal in game {i} of the batch")

    def seats(self, seat: npt.ArrayLike, num: int) -> npt.NDArray[np.int64]:
        given = np.asarray(seat)
        if given.dtype.kind not in "iu" or given.shape not in ((), (num,)):
            raise ValueError(
                f"seat must be a whole number or {num} of them, got {checks.shown(seat)}"
            )
        seats = np.ascontiguousarray(given, np.int64)  # of one number it makes an array
        if _any_outside(seats, self._game.num_players):
            raise ValueError(
                f"seat must be from 0 to {self._game.num_players - 1}, got {checks.shown(seat)}"
            )
        return seats if len(seats) == num else seats.repeat(num)


def _any_outside(numbers: npt.NDArray[np.int64], end: int) -> bool:
    """Return whether any of them is below 0, or not below `end`."""
    # Taken for unsigned, those below 0 are large, too: one look at them instead of two.
    return bool(np.maximum.reduce(numbers.view(np.uint64), initial=0) >= end)
