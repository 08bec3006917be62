"""Games on a GPU beside pgx on the same GPU."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from agents.bench import peers
from agents.bench.row import Row
from agents.bench.run import Bench, Key
from agents.bench.timing import Side, rate

if TYPE_CHECKING:
    from boardenvs.envs.cuda_batch import CudaBatchEnv

__all__ = ["cuda_rows"]

_PLIES = 64
_PEER = "pgx in one lax.scan on the GPU"


def cuda_rows(bench: Bench) -> list[Row]:
    """Return rows of connect four on a GPU; none without a GPU."""
    from agents.bench.connect_four import ConnectFour
    from boardenvs.envs.cuda_batch import CudaBatchEnv

    game, effort = ConnectFour(), bench.effort
    try:
        CudaBatchEnv(game, 1, 0)
    except RuntimeError as error:
        bench.missing.append(f"skipped games on a GPU: {error}")
        return []
    rows = []
    for num in effort.gpu_envs:
        step, playing = f"CudaBatchEnv, random plies, N = {num:,}", f"play_out, N = {num:,}"
        batch = CudaBatchEnv(game, num, 0)
        sides: dict[Key, Side] = {
            (step,): _stepping(batch, effort.seconds),
            (playing,): _playing_out(batch, effort.seconds),
        }
        peer = bench.peer(
            "pgx on the GPU",
            "bench",
            functools.partial(peers.pgx_scan, "connect_four", num, effort.seconds, "gpu"),
        )
        if peer is not None:
            sides[_PEER,] = peer
        found = bench.compare(sides)
        rows += [
            Row(measure, game.name, found[measure,], "plies/s", _PEER, found.get((_PEER,)))
            for measure in (step, playing)
        ]
    return rows


def _stepping(batch: CudaBatchEnv, seconds: float) -> Side:
    """Return a side that measures random plies, each sampled and stepped by two calls."""
    from boardenvs.kernels.gpu import wait_for_gpu

    def work() -> int:
        for _ in range(_PLIES):
            batch.step(batch.sample_actions())
        wait_for_gpu()
        return _PLIES * batch.num_envs

    return lambda: rate(work, seconds)


def _playing_out(batch: CudaBatchEnv, seconds: float) -> Side:
    """Return a side that measures the plies of games played to the end in one call."""
    from boardenvs.kernels.gpu import wait_for_gpu

    _, lengths = batch.play_out()
    plies = int(lengths.copy_to_host().sum())  # nearly the same number for every batch of games

    def work() -> int:
        batch.play_out()
        wait_for_gpu()
        return plies

    return lambda: rate(work, seconds)
