"""Playing on a Ray cluster, a task for each batch. Every node needs this package installed."""

from __future__ import annotations

import functools
from collections.abc import Generator, Iterator
from typing import Any

from agents.agent import one_line
from agents.arena.games import Games
from agents.arena.workers.batch import Batch, Players, play_batch
from agents.arena.workers.cluster import joined
from agents.arena.workers.local import LARGEST, Finished, Work
from boardenvs.game import Game

__all__ = ["play"]


def play(work: Work, address: str | None = None) -> Generator[Finished]:
    """Play all there is.

    A node that joins gets its share, and what a lost node was playing is played again
    elsewhere.

    Args:
        work: what is to be played.
        address: of the cluster, such as `host:6379`; by default the one this process is
            connected to, or that `ray.init` finds, or a new one on this machine.

    Yields:
        Games as they end; those of a lost node may come twice.

    Raises:
        ValueError: Ray is not installed, there is no such cluster, or an agent fails.
    """
    with joined("playing", address) as ray:
        yield from _played(ray, work)


def _played(ray: Any, work: Work) -> Generator[Finished]:
    # A streaming task tells of every game as it ends. If its node is lost it starts anew.
    task = ray.remote(num_returns="streaming", num_cpus=1, max_retries=3)(_games)
    playing: dict[Any, Batch] = {}
    try:
        while True:
            slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
            while len(playing) < slots:
                batch = work.take(max(1, min(LARGEST, work.left // (4 * slots))))
                if batch is None:
                    break
                playing[task.remote(batch)] = batch
            if not playing:
                return
            for stream in ray.wait(list(playing), timeout=10)[0]:
                try:
                    games = ray.get(next(stream))
                except StopIteration:
                    del playing[stream]
                else:
                    yield playing[stream].match, games
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        said = str(cause) if isinstance(cause, ValueError) else one_line(cause)
        raise ValueError(said) from error
    except ray.exceptions.RayError as error:
        raise ValueError(f"Ray: {one_line(error)}") from error
    finally:
        for stream in playing:
            ray.cancel(stream, force=True)


def _games(batch: Batch) -> Iterator[Games]:
    """What a task does."""
    for games in play_batch(batch, _players(batch.game, batch.seed)):
        if games is not None:
            yield games


@functools.lru_cache(maxsize=1)
def _players(game: Game, seed: int) -> Players:
    """The agents of this process, made once for all its batches."""
    return Players(game, seed)
