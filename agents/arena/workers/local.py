"""Functions that play on this machine, in one process or several."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

import numpy as np

from agents.agent import one_line
from agents.arena.games import Games
from agents.arena.workers.batch import Batch, Players, play_batch
from boardenvs.core.checks import whole_number
from boardenvs.kernels.threads import cores

__all__ = ["LARGEST", "ONE_THREAD", "Engine", "Finished", "Work", "play", "play_here"]

LARGEST = 1024
"""Maximum number of games in a batch."""

_PLY = 0.5  # maximum seconds of a batch's ply, because the clock is read between plies
_PATIENCE = 2.0  # seconds before other processes are started
_WORTH_PROCESSES = 6.0  # seconds of remaining games; starting processes takes a second or two


class Work(Protocol):
    """Games to play; see `agents.arena.schedule.Schedule`."""

    @property
    def left(self) -> int: ...

    def take(self, most: int) -> Batch | None: ...

    def put_back(self, batch: Batch) -> None: ...


Finished = tuple[int, Games]
"""The batch's `match`, and finished games of it."""
Engine = Callable[[Work], Generator[Finished]]
"""A function that plays all games and yields them as they end, here or elsewhere."""


def play(work: Work, workers: int | None = None) -> Generator[Finished]:
    """Play all games.

    A script must call this function under `if __name__ == "__main__":`, since a worker process
    imports the script again.

    Args:
        work: the games to play.
        workers: number of processes; 1 for this process only. By default this process plays first,
            and one process per core takes over if the games take long.

    Yields:
        Games as they end.

    Raises:
        ValueError: an agent fails, a worker process is lost, or `workers` is out of range.
    """
    if workers is None:
        workers = cores()
        if workers > 1:
            yield from _play_what_is_short(work)
    if whole_number("workers", workers, 1) == 1:
        yield from play_here(work)
    else:
        yield from _play_in_processes(work, workers)


def play_here(work: Work, players: Players | None = None) -> Generator[Finished]:
    """Play all games in this process.

    Args:
        work: the games to play.
        players: the agents; by default they are made from their specs.
    """
    while (batch := work.take(LARGEST)) is not None:
        players = players or Players(batch.seed)
        for games in play_batch(batch, players):
            if games is not None:
                yield batch.match, games


def _play_what_is_short(work: Work) -> Generator[Finished]:
    """Play in this process until all games are played or other processes would be faster."""
    players: Players | None = None
    sizes: dict[int, int] = {}  # of batches, by match
    finished = 0
    began = time.perf_counter()
    while (batch := work.take(LARGEST)) is not None:
        players = players or Players(batch.seed)
        if batch.match not in sizes:
            few = replace(batch, numbers=batch.numbers[:2])
            sizes[batch.match] = max(1, int(2 * _PLY / _seconds_a_ply(few, players)))
        most = sizes[batch.match]
        work.put_back(replace(batch, numbers=batch.numbers[most:]))
        batch = replace(batch, numbers=batch.numbers[:most])
        left = len(batch.numbers)
        for games in play_batch(batch, players):
            if games is not None:
                finished += len(games)
                left -= len(games)
                yield batch.match, games
            spent = time.perf_counter() - began
            if spent > _PATIENCE and spent * (left + work.left) > _WORTH_PROCESSES * finished:
                work.put_back(batch)
                return


def _seconds_a_ply(batch: Batch, players: Players) -> float:
    """Return the seconds of a ply of some games, without compiling."""
    times = [time.perf_counter()]
    times += (time.perf_counter() for _ in itertools.islice(play_batch(batch, players), 4))
    return float(np.diff(times).min())


def _play_in_processes(work: Work, workers: int) -> Generator[Finished]:
    everyone: list[_Worker] = []
    idle: list[_Worker] = []
    busy: dict[Connection, tuple[_Worker, Batch]] = {}
    try:
        while True:
            while len(busy) < workers:
                # Batches become smaller towards the end, so that all processes finish together.
                batch = work.take(max(1, min(LARGEST, work.left // (4 * workers))))
                if batch is None:
                    break
                if not idle:
                    everyone.append(_Worker())  # listed first, so that it is always stopped
                    everyone[-1].start()
                    idle.append(everyone[-1])
                worker = idle.pop()
                busy[worker.pipe] = worker, batch
                worker.send(batch)
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker, batch = busy[pipe]  # type: ignore[index]
                answer = worker.receive()
                if answer is None:
                    del busy[worker.pipe]
                    idle.append(worker)
                else:
                    yield batch.match, answer
    finally:
        for worker in everyone:
            worker.stop()


class _Worker:
    """A process that plays batches, on one thread."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, self._theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._theirs,), daemon=True)

    def start(self) -> None:
        with _one_thread(), _without_interrupts():
            self._process.start()
        self._theirs.close()

    def send(self, batch: Batch) -> None:
        with contextlib.suppress(OSError):  # `receive` reports what happened
            self.pipe.send(batch)

    def receive(self) -> Games | None:
        """Return finished games, or `None` when the batch is finished.

        Raises:
            ValueError: an agent failed, or the process has ended.
        """
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join(10)
            raise ValueError(
                f"a worker process ended early with exit status {self._process.exitcode}"
            ) from None
        if isinstance(answer, str):
            raise ValueError(answer)
        games: Games | None = answer
        return games

    def stop(self) -> None:
        if self._process.pid is not None:
            self._process.kill()
            self._process.join()
        self._process.close()
        self.pipe.close()


ONE_THREAD = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""The environment variables of a process that uses one core."""


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Start processes that use one thread; both variables are read on import."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block signals that end this process while processes start; raise them afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock interrupts
    ends: set[int] = {signal.SIGINT, signal.SIGTERM}
    caught: list[int] = []
    handlers: dict[int, Any] = {}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        # Another thread may still receive them. Python would then raise in this thread while it
        # starts a process, which would fail without its arguments.
        if threading.current_thread() is threading.main_thread():
            for number in ends:
                if callable(signal.getsignal(number)):
                    handlers[number] = signal.signal(number, lambda n, _: caught.append(n))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in dict.fromkeys(caught):
            signal.raise_signal(number)


def _serve(pipe: Connection) -> None:
    """Play the batches that a worker receives, and send each game when it ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent handles them and stops workers
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    players: Players | None = None
    with contextlib.suppress(EOFError, OSError):
        while True:
            batch = pipe.recv()
            try:
                players = players or Players(batch.seed)
                for games in play_batch(batch, players):
                    if games is not None:
                        pipe.send(games)
            except ValueError as error:
                pipe.send(str(error))
            except Exception as error:  # noqa: BLE001 the parent must know
                pipe.send(one_line(error))
            pipe.send(None)


def _leave_with_parent() -> None:
    """End this process when its parent ends, even if the parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        sys.stdout.flush()
        os._exit(1)
