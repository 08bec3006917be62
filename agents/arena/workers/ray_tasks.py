"""Functions that play on a Ray cluster, one task per batch. Every node needs this package."""

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
    """Play all games.

    A node that joins gets a share of the games. Games of a lost node are played again elsewhere.

    Args:
        work: the games to play.
        address: address of the cluster, such as `host:6379`; by default the connected cluster, or
            one that `ray.init` finds, or a new one on this machine.

    Yields:
        Games as they end; games of a lost node may appear twice.

    Raises:
        ValueError: Ray is not installed, the cluster does not exist, or an agent fails.
    """
    with joined("playing", address) as ray:
        yield from _played(ray, work)


def _played(ray: Any, work: Work) -> Generator[Finished]:
    # A streaming task yields every game as it ends. If its node is lost, the task starts again.
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
    """Play a batch; the function of a Ray task."""
    for games in play_batch(batch, _players(batch.specs[0].game, batch.seed)):
        if games is not None:
            yield games


@functools.lru_cache(maxsize=1)
def _players(game: Game, seed: int) -> Players:
    """Return the agents of this process, created once for all its batches."""
    return Players(seed)
