"""Slots of leaves, which are evaluated while the trees grow.

Leaves wait for their evaluation in one of two slots. The slots take turns, and only a turn changes
the trees. In its turn a slot passes the results of its leaves to the trees, and collects the leaves
of further simulations. So the result of a search does not depend on the number of threads.
"""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from agents.in_threads import LOOK, StoppedError, Stopping, held_locks, in_threads, never
from agents.networks.seat_values import by_seat
from agents.search.puct_loops import Leaves
from boardenvs.game import Game, States

__all__ = [
    "Bind",
    "Bound",
    "Clock",
    "EvaluateStates",
    "LogitsAndValues",
    "Slot",
    "take_turns",
]

LogitsAndValues = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
"""Logits and values, as `agents.search.puct.Evaluator` returns them."""
EvaluateStates = Callable[[States], LogitsAndValues]


class Bound(Protocol):
    """Protocol of an evaluator bound to arrays, as `agents.networks.onnx_policy.BoundNetwork`."""

    observed_game: Game
    seen: npt.NDArray[np.float32]
    logits: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    """Shape (capacity, 1), or (capacity, num_players) for the seats in the order of play, the seat
    to move first."""

    def evaluate(self, num: int, threads: int | None = None) -> None:
        """Evaluate the first `num` rows of `seen`, and write to `logits` and `values`."""


Bind = Callable[[int], Bound]
"""Function that binds an evaluator to arrays for a number of positions."""


class Slot:
    """Leaves of any trees, which are evaluated together."""

    def __init__(self, game: Game, capacity: int, bind: Bind | None = None) -> None:
        """Create an empty slot.

        Args:
            game: the game to play.
            capacity: maximum number of leaves.
            bind: function that binds the evaluator to arrays; `None` for an evaluator of records.
        """
        self._game = game
        self.num = 0
        """Number of leaves in the slot."""
        self.capacity = capacity
        self.bound: Bound | None = None if bind is None else bind(capacity)
        seen_constants = game.constants
        seen = np.empty((0, game.observation_size), np.float32)
        logits = np.empty((capacity, game.num_actions), np.float32)
        estimates = np.empty((capacity, game.num_players), np.float32)
        if self.bound is not None:
            bound = self.bound
            seen_constants = bound.observed_game.constants
            seen, logits, estimates = bound.seen, bound.logits, bound.values
            size = bound.observed_game.observation_size
            for name, array, shapes in (
                ("seen", seen, [(capacity, size)]),
                ("logits", logits, [(capacity, game.num_actions)]),
                ("values", estimates, [(capacity, 1), (capacity, game.num_players)]),
            ):
                # The compiled loop does not check the arrays.
                shape = array.shape
                if array.dtype != np.float32 or shape not in shapes or not array.flags.carray:
                    raise ValueError(
                        f"the evaluator's {name} must be a writable contiguous float32 array of "
                        f"shape {' or '.join(map(str, shapes))}, got {array.dtype} of shape {shape}"
                    )
        self.leaves = Leaves(
            states=np.empty(capacity, game.state_dtype),
            masks=np.empty((capacity, game.num_actions), np.bool_),
            owners=np.empty((capacity, 2), np.int32),
            seen=seen,
            seen_params=seen_constants,
            logits=logits,
            estimates=estimates,
        )

    def evaluate(self, evaluate: EvaluateStates, threads: int | None = None) -> None:
        """Evaluate the leaves.

        Args:
            evaluate: function that evaluates records, for a slot without a bound evaluator.
            threads: number of threads of a bound evaluator; `None` for all cores.
        """
        num = self.num
        if self.bound is not None:
            self.bound.evaluate(num, threads)
            values = self.leaves.estimates[:num]
            if values.shape[1] > 1:
                values[:] = by_seat(self._game, self.leaves.states[:num], values)
            return
        leaves = self.leaves
        logits, estimates = evaluate(leaves.states[:num])
        num_actions, num_players = leaves.masks.shape[1], leaves.estimates.shape[1]
        shapes = (num, num_actions), [(num,), (num, num_players)]
        if np.shape(logits) != shapes[0] or np.shape(estimates) not in shapes[1]:
            raise ValueError(
                f"the evaluator must return logits of shape {shapes[0]} and values of shape "
                f"{' or '.join(map(str, shapes[1]))}, got {np.shape(logits)} and "
                f"{np.shape(estimates)}"
            )
        leaves.logits[:num] = logits
        if np.ndim(estimates) == 1:
            leaves.estimates[:num] = np.nan
            leaves.estimates[np.arange(num), leaves.states["to_move"][:num]] = estimates
        else:
            leaves.estimates[:num] = estimates


class Clock:
    """A clock that ends turns early enough for the whole search to end in time."""

    def __init__(self, seconds: float) -> None:
        """Start the clock.

        Args:
            seconds: time limit of turns and evaluations together.
        """
        now = time.perf_counter()
        self._end = now + seconds
        self._last = now
        self._number = 0
        self._each = 0.0

    def is_over(self, number: int, slots: int) -> bool:
        """Return whether a turn must not begin further simulations.

        Their leaves would be evaluated one turn of each slot later.

        Args:
            number: number of the turn, from 0.
            slots: number of slots.
        """
        now = time.perf_counter()
        if number > self._number:
            self._each += ((now - self._last) - self._each) / min(number, 8)
            self._last = now
            self._number = number
        return now + slots * self._each >= self._end


Turn = Callable[[Slot, int], int]
"""Function that takes a slot and the number of the turn, from 0, fills the slot with leaves, and
returns their number."""
EvaluateSlot = Callable[[Slot], object]
"""Function that evaluates the leaves of a slot."""


def take_turns(
    slots: list[Slot], turn: Turn, evaluate: EvaluateSlot, threads: int, stopping: Stopping = never
) -> None:
    """Take turns with the slots until no leaves are left to evaluate.

    Args:
        slots: empty slots.
        turn: called for each slot in rotation, by one thread at a time.
        evaluate: called for slots with leaves, by several threads at once.
        threads: number of threads, 1 or the number of slots.
        stopping: returns whether to stop.

    Raises:
        StoppedError: `stopping` returned true.
    """
    turns = _Turns(slots, turn, evaluate, stopping)
    turns.take_alone(never, lambda _: threads > 1)
    if not turns.are_over:
        in_threads(turns.work, threads)


class _Turns:
    """Slots that take turns, each with its own thread once several slots have leaves.

    Until then the first thread takes all turns, because starting threads takes as long as several
    evaluations.
    """

    def __init__(
        self, slots: list[Slot], turn: Turn, evaluate: EvaluateSlot, stopping: Stopping
    ) -> None:
        """Set up the turns; see `take_turns`."""
        self.are_over = False
        self._slots = slots
        self._turn = turn
        self._evaluate = evaluate
        self._stopping = stopping
        self._number = 0
        self._unevaluated = -1  # slot whose leaves must be evaluated before the next turn
        # A start lock is released when a slot's thread may begin, a turn lock for each turn.
        # No thread holds a lock that another thread waits for.
        self._start_locks, self._turn_locks = held_locks(len(slots)), held_locks(len(slots))

    def work(self, place: int, stopping: Stopping) -> None:
        """Run the thread of a slot."""
        slots = self._slots
        if place == 0:
            self.take_alone(stopping, self._is_one_of_several)
            self._turn_locks[self._number % len(slots)].release()
            for lock in self._start_locks:
                lock.release()
        else:
            self._wait(self._start_locks[place], stopping)
        if place == self._unevaluated:
            self._evaluate(slots[place])
        while True:
            self._wait(self._turn_locks[place], stopping)
            if not self.are_over:
                self._take(place)
            self._turn_locks[(place + 1) % len(slots)].release()
            if self.are_over:
                return
            if slots[place].num:
                self._evaluate(slots[place])

    def take_alone(self, stopping: Stopping, is_enough: Callable[[Slot], bool]) -> None:
        """Take all turns, and evaluate the leaves.

        Args:
            stopping: checked in addition to the one of `take_turns`.
            is_enough: takes a slot with new leaves, and returns whether to stop before the
                evaluation.
        """
        slots = self._slots
        while not self.are_over:
            if self._unevaluated >= 0:
                self._evaluate(slots[self._unevaluated])
                self._unevaluated = -1
            self._check(stopping)
            place = self._number % len(slots)
            self._take(place)
            if slots[place].num:
                self._unevaluated = place
                if is_enough(slots[place]):
                    return

    def _is_one_of_several(self, slot: Slot) -> bool:
        """Return whether another slot also has leaves."""
        return any(other.num for other in self._slots if other is not slot)

    def _take(self, place: int) -> None:
        slots = self._slots
        slot = slots[place]
        slot.num = self._turn(slot, self._number)
        self._number += 1
        if not slot.num and self._number >= len(slots):
            self.are_over = not any(one.num for one in slots)

    def _wait(self, lock: _thread.LockType, stopping: Stopping) -> None:
        """Wait until a lock is released."""
        while not lock.acquire(timeout=LOOK):
            self._check(stopping)
        self._check(stopping)

    def _check(self, stopping: Stopping) -> None:
        if stopping() or self._stopping():
            raise StoppedError
