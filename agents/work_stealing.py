"""Work stealing: a thread that has nothing left to do gets a part of what another one does."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

from agents.in_threads import LOOK, StoppedError, Stopping, closed_doors

__all__ = ["WorkStealing"]

Piece = TypeVar("Piece")


class WorkStealing(Generic[Piece]):
    """Pieces of work for the threads of `agents.in_threads.in_threads`.

    Who works on a piece asks `is_wanted` now and then, and gives a part of it away if so.
    Nothing here is guarded by a lock, which an interrupt could leave closed.
    """

    def __init__(self, pieces: Iterable[Piece], threads: int) -> None:
        """Nothing is begun.

        Args:
            pieces: what there is to do.
            threads: that do it.
        """
        self._pieces = deque(pieces)
        self._unfinished = [None] * len(self._pieces)  # one for each piece, also for those begun
        self._idle: dict[int, None] = {}  # threads, by their places
        self._doors = closed_doors(threads)

    def next(self, place: int, stopping: Stopping) -> Piece | None:
        """Something to do for the thread of a place; `None` when all is done.

        Raises:
            StoppedError: no more is to be done.
        """
        while True:
            with contextlib.suppress(IndexError):
                piece = self._pieces.popleft()
                self._idle.pop(place, None)
                return piece
            if not self._unfinished:
                return None
            self._idle[place] = None
            if not self._pieces:
                self._doors[place].acquire(timeout=LOOK)
            if stopping():
                raise StoppedError

    def is_wanted(self) -> bool:
        """Whether a thread has nothing to do."""
        return len(self._idle) > len(self._pieces)

    def give(self, piece: Piece) -> None:
        """Leave something to whoever is free, before the piece that it was part of is finished."""
        self._unfinished.append(None)
        self._pieces.append(piece)
        with contextlib.suppress(KeyError):
            self._open(self._idle.popitem()[0])

    def finish(self) -> None:
        """Say that a piece is done."""
        self._unfinished.pop()
        if not self._unfinished:
            for place in range(len(self._doors)):
                self._open(place)

    def _open(self, place: int) -> None:
        with contextlib.suppress(RuntimeError):  # it is open
            self._doors[place].release()
