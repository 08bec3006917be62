"""A game's operations on arrays of records without checks, and the checks of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core import checks
from boardenvs.core.records import fault_message

__all__ = ["Arrays", "OutOfBoundsError"]

States = npt.NDArray[np.void]


class OutOfBoundsError(ValueError, AssertionError):
    """An action outside the action space.

    It is a `ValueError`, like this package's other errors, and an `AssertionError`, like the
    error of PettingZoo's `AssertOutOfBoundsWrapper`.
    """


class Arrays:
    """Operations on a game's records for this package's own code. Users call the game itself.

    `batch`, `records` and `one` check a caller's records. `new`, `legal` and `conceal` are the
    game's methods for records that were checked before.
    """

    def __init__(self, game: Any) -> None:
        """Create the operations of a `boardenvs.Game`."""
        self._game = game

    def batch(self, states: Any) -> States:
        """Return `states` as a writable contiguous array of shape (N,), copied only if necessary.

        The rules are safe to call on the returned records, since all indices are inside of their
        arrays. The records may still be positions that no game reaches; `Game.restore` checks that.

        Raises:
            ValueError: `states` is not an array of this game's records, or a record has a value
                that no position has.
        """
        array = self.records(states)
        self.check_fault(
            array,
            *self._game.kernels.first_fault(array, self._game.constants, self._game.num_actions),
        )
        return array

    def records(self, states: Any) -> States:
        """Return the array that `batch` returns, without checking the contents of the records.

        Raises:
            ValueError: `states` is not an array of this game's records.
        """
        array = np.asarray(states)
        if array.dtype != self._game.state_dtype or array.ndim > 1:
            found = f" and dtype {array.dtype}"
            if array.dtype == self._game.state_dtype:
                found = ""
            elif array.dtype.names:  # the dtype of records is too long for a line
                found = " with records of another game or other parameters"
            raise ValueError(
                f"states must be {self._game.name} records of shape (N,), "
                f"got an array of shape {array.shape}{found}"
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
            raise ValueError(
                f"state must be one {self._game.name} record, got {len(batch)} records"
            )
        record: np.void = batch[0]
        return record

    def check_fault(self, states: States, i: int, fault: int) -> None:
        """Raise `ValueError` if record `i` has a fault."""
        if fault:
            what = fault_message(fault, states[i], self._game.num_actions, self._game.max_plies)
            raise ValueError(
                f"record {i} of {len(states)} is not a {self._game.name} position: {what}"
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
        """Return the copies that `Game.conceal` returns, resampled from the stream `streams[i]`.

        The contents of the records are not checked, since environments call this before every ply
        of an opponent.
        """
        copies = self.records(states).copy()
        seats = self.seats(seat, len(copies))
        self._game.kernels.redraw_games(copies, self._game.constants, seats, streams)
        return copies

    def action_numbers(self, actions: npt.ArrayLike, num: int) -> npt.NDArray[np.int64]:
        """Return `actions` as int64 of shape (num,).

        Raises:
            OutOfBoundsError: `actions` are not `num` integers of the action space.
        """
        try:
            array = np.asarray(actions)
        except ValueError:  # nested lists of different lengths
            expected = checks.counted(num, "whole number")
            raise OutOfBoundsError(
                f"actions must be {expected}, got {checks.shown(actions)}"
            ) from None
        if array.size == 0 == num:
            return np.zeros(0, np.int64)
        if array.dtype.kind not in "iu" or array.shape not in ((num,), () if num == 1 else (num,)):
            raise OutOfBoundsError(
                f"actions must be {checks.counted(num, 'whole number')}, got an array of "
                f"shape {array.shape} and dtype {array.dtype}"
            )
        array = array.reshape(num)
        numbers = np.ascontiguousarray(array, np.int64)
        if _any_outside(numbers, self._game.num_actions):
            outside = (array < 0) | (array >= self._game.num_actions)
            raise OutOfBoundsError(
                f"action must be from 0 to {self._game.num_actions - 1}, "
                f"got {array[outside.argmax()]}"
            )
        return numbers

    def require_legal(self, masks: npt.NDArray[np.bool_], actions: npt.NDArray[np.int64]) -> None:
        """Raise `ValueError` for the first illegal action."""
        refused = ~masks[np.arange(len(actions)), actions]
        if refused.any():
            i = int(refused.argmax())
            raise ValueError(f"action {actions[i]} is illegal in game {i}")

    def seats(self, seat: npt.ArrayLike, num: int) -> npt.NDArray[np.int64]:
        """Return a seat for each of `num` records, int64 of shape (num,)."""
        given = np.asarray(seat)
        if given.dtype.kind not in "iu" or given.shape not in ((), (num,)):
            raise ValueError(
                f"seat must be a whole number or an array of {num}, got {checks.shown(seat)}"
            )
        seats = np.ascontiguousarray(given, np.int64)  # makes an array of a single number
        if _any_outside(seats, self._game.num_players):
            raise ValueError(
                f"seat must be from 0 to {self._game.num_players - 1}, got {checks.shown(seat)}"
            )
        return seats if len(seats) == num else seats.repeat(num)


def _any_outside(numbers: npt.NDArray[np.int64], end: int) -> bool:
    """Return whether any number is below 0, or not below `end`."""
    # As unsigned integers, negative numbers are large, so that one comparison is enough.
    return bool(np.maximum.reduce(numbers.view(np.uint64), initial=0) >= end)
