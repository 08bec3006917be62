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
        """`states` as a writable contiguous array of shape (N,); a copy only if need be.

        Whatever bytes they hold, the rules can be asked about records that come back: an index
        outside of an array would end the process. That they are positions which a game leads
        to is another matter, see `restore`.

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
        """As `batch`, but for what the records hold, which is not checked.

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
        """`state` as one record. Raises `ValueError` if it is none."""
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
        """As `legal`, of an array as `records` gives it, which may show what no game leads to."""
        masks = np.empty((len(states), self._game.num_actions), np.bool_)
        self._game.kernels.legal_games(states, self._game.constants, masks)
        return masks

    def new(self, words: npt.NDArray[np.uint64]) -> States:
        """Start positions whose random streams start at the given words, shape (N,)."""
        states = np.empty(len(words), self._game.state_dtype)
        self._game.kernels.start_games(states, self._game.constants, self._game.start, words)
        return states

    def conceal(self, states: States, seat: npt.ArrayLike, words: npt.NDArray[np.uint64]) -> States:
        """As `conceal`, drawing record i from the stream word `words[i]`.

        It is asked before every ply of an opponent, so what the records hold is not checked.
        """
        copies = self.records(states).copy()
        seats = self.seats(seat, len(copies))
        self._game.kernels.redraw_games(copies, self._game.constants, seats, words)
        return copies

    def action_numbers(self, actions: npt.ArrayLike, num: int) -> npt.NDArray[np.int64]:
        """`actions` as int64 of shape (num,).

        Raises:
            ValueError: they are not whole numbers, not so many, or not in the action space.
        """
        num = checks.whole_number("num", num, 0)
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
    """Whether any of them is below 0, or not below `end`."""
    # Taken for unsigned, those below 0 are large, too: one look at them instead of two.
    return bool(np.maximum.reduce(numbers.view(np.uint64), initial=0) >= end)
