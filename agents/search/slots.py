"""Trees that grow while the leaves found before are being evaluated.

Leaves wait for their evaluation in one of two slots. The slots take turns, and nothing but turns
changes the trees: in a slot's turn the trees get what was evaluated there, and fill it with the
leaves of further simulations. What is found is so the same whether the one slot is evaluated while
the other has its turn, or each by itself, on one thread.
"""

from __future__ import annotations

import _thread
import copy
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agents.in_threads import StoppedError, Stopping, in_threads, never
from boardenvs.game import Game, States

__all__ = ["Clock", "Judge", "Judged", "Slot", "Turn", "take_turns"]

_LOOK = 0.1
"""Seconds after which a thread that waits for its turn looks whether there will be one."""

Judged = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
"""Logits and values, see `agents.search.puct.Evaluator`."""
Judge = Callable[[States], Judged]


class Slot:
    """Leaves that are evaluated at once, of any of the trees."""

    def __init__(self, game: Game, room: int) -> None:
        """Nothing is awaited.

        Args:
            game: what is played.
            room: leaves, at most.
        """
        self.num = 0
        """How many there are."""
        self.leaves = np.empty(room, game.state_dtype)
        self.masks = np.empty((room, game.num_actions), np.bool_)
        """Legal actions of each."""
        self.owners = np.empty((room, 2), np.int32)
        """Tree and node of each."""
        self.logits = np.empty((0, game.num_actions), np.float32)
        self.estimates = np.empty(0, np.float32)

    def evaluate(self, judge: Judge) -> None:
        """Have the leaves judged."""
        num = self.num
        logits, estimates = judge(self.leaves[:num])
        # Whatever an evaluator gives, the compiled loop takes arrays of one kind.
        self.logits = np.ascontiguousarray(logits, np.float32)
        self.estimates = np.ascontiguousarray(estimates, np.float32)
        expected = (num, self.masks.shape[1]), (num,)
        if (self.logits.shape, self.estimates.shape) != expected:
            raise ValueError(
                f"the evaluator gave logits of shape {self.logits.shape} and values of shape "
                f"{self.estimates.shape}; expected {expected[0]} and {expected[1]}"
            )

    def part(self, tree: int) -> Slot:
        """Another slot, with the leaves of this and all later trees, which are counted anew there.

        Leaves are in the order of their trees.
        """
        first = int(np.searchsorted(self.owners[: self.num, 0], tree))
        other = copy.copy(self)
        other.num = self.num - first
        for name in ("leaves", "masks", "owners"):
            array = getattr(self, name)
            theirs = np.empty_like(array)
            theirs[: other.num] = array[first : self.num]
            setattr(other, name, theirs)
        other.owners[: other.num, 0] -= tree
        other.logits, other.estimates = self.logits[first:], self.estimates[first:]
        self.num = first
        return other


class Clock:
    """Tells when turns have to end for all to be over in time."""

    def __init__(self, seconds: float) -> None:
        """Start.

        Args:
            seconds: how long turns and evaluations may take together.
        """
        now = time.perf_counter()
        self._end = now + seconds
        self._last = now
        self._number = 0
        self._each = 0.0

    def is_over(self, number: int, slots: int) -> bool:
        """Whether a turn, by its number, is not to begin anything.

        What it began would be evaluated by the turn after the next turns of the other slots, if
        turns take as long as lately.
        """
        now = time.perf_counter()
        if number > self._number:
            self._each += ((now - self._last) - self._each) / min(number, 8)
            self._last = now
            self._number = number
        return now + slots * self._each >= self._end


Turn = Callable[[Slot, int], int]
"""A slot's turn: told which of all the turns it is, from 0, it fills the slot, and says how many
leaves there are."""


def take_turns(
    slots: list[Slot], turn: Turn, judge: Judge, threads: int, stopping: Stopping = never
) -> None:
    """Give the slots their turns until nothing is left to evaluate.

    Args:
        slots: empty.
        turn: called for each slot in order, again and again, by one thread at a time.
        judge: evaluates leaves; if there are several threads, from several of them at once.
        threads: one for each slot, or 1 for all.
        stopping: whether no more turns are wanted.

    Raises:
        StoppedError: no more turns were wanted.
    """
    number = 0
    while number < len(slots) or any(slot.num for slot in slots):
        if stopping():
            raise StoppedError
        slot = slots[number % len(slots)]
        slot.num = turn(slot, number)
        number += 1
        if slot.num:
            slot.evaluate(judge)
            if threads > 1:
                in_threads(_InTurn(slots, turn, judge, number, stopping).work, threads)
                return


class _InTurn:
    """Slots that are evaluated each in a thread of its own, once there are leaves for several.

    Until then the first thread takes all turns. The others begin meanwhile, which takes as long as
    several evaluations, and need not wake for less.
    """

    def __init__(
        self, slots: list[Slot], turn: Turn, judge: Judge, number: int, stopping: Stopping
    ) -> None:
        """Go on where so many turns have been taken, and all leaves have been evaluated."""
        self._slots = slots
        self._turn = turn
        self._judge = judge
        self._stopping = stopping
        self._number = number
        self._unjudged = -1  # slot whose leaves are to be evaluated before any turn
        self._over = False
        # A gate is opened when a slot's thread may go on, its door whenever it is its turn.
        # Nobody holds a lock that another one wants.
        self._gates, self._doors = ([_thread.allocate_lock() for _ in slots] for _ in range(2))
        for lock in (*self._gates, *self._doors):
            lock.acquire()

    def work(self, place: int, stopping: Stopping) -> None:
        """What the thread of a slot does."""
        slot = self._slots[place]
        if place == 0:
            self._work_alone(stopping)
        else:
            self._wait(self._gates[place], stopping)
        if place == self._unjudged:
            slot.evaluate(self._judge)
        while True:
            self._wait(self._doors[place], stopping)
            if not self._over:
                self._take_turn(place)
            self._doors[(place + 1) % len(self._slots)].release()
            if self._over:
                return
            if slot.num:
                slot.evaluate(self._judge)

    def _work_alone(self, stopping: Stopping) -> None:
        """Take all turns until there are leaves for several threads, and let these go on."""
        slots = self._slots
        while not self._over and self._unjudged < 0:
            if stopping() or self._stopping():
                raise StoppedError
            place = self._number % len(slots)
            self._take_turn(place)
            slot = slots[place]
            if slot.num and any(other.num for other in slots if other is not slot):
                self._unjudged = place
            elif slot.num:
                slot.evaluate(self._judge)
        self._doors[self._number % len(slots)].release()
        for gate in self._gates:
            gate.release()

    def _take_turn(self, place: int) -> None:
        slots = self._slots
        slots[place].num = self._turn(slots[place], self._number)
        self._number += 1
        started = self._number >= len(slots)
        self._over = started and not any(slot.num for slot in slots)

    def _wait(self, lock: _thread.LockType, stopping: Stopping) -> None:
        """Wait for a lock to be opened."""
        while not lock.acquire(timeout=_LOOK):
            if stopping() or self._stopping():
                raise StoppedError
        if stopping() or self._stopping():
            raise StoppedError
