"""Connect four, the same game as in PettingZoo, pgx and OpenSpiel, on processors and on a GPU."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from agents.speed import peers
from agents.speed.row import Row
from agents.speed.rows.batches import playing_on, playing_out, stepping
from agents.speed.rows.environments import looping
from agents.speed.rows.searches import searching
from agents.speed.run import Bench, Key
from agents.speed.timing import Side, rate
from boardenvs.envs.aec import GameAECEnv

if TYPE_CHECKING:
    from boardenvs.envs.cuda_batch import CudaBatchEnv

__all__ = ["connect_four_rows", "cuda_rows"]

_GAME = "connect_four"
_PLIES = 64
_GPU_PEER = "pgx in one lax.scan on the GPU"


def connect_four_rows(bench: Bench) -> list[Row]:
    """Return rows that compare the connect four of notebook 6 with other packages."""
    from agents.speed.connect_four import ConnectFour

    effort = bench.effort
    num, seconds, simulations = effort.num_envs, effort.seconds, effort.simulations
    game = ConnectFour()
    step, plies = f"BatchEnv.step, N = {num:,}", f"random plies in one kernel, N = {num:,}"
    search = f"mcts:{simulations}, a move"
    sides: dict[Key, Side] = {
        (step,): stepping(game, num, seconds),
        (plies,): playing_on(game, num, seconds),
        ("AEC env() loop",): looping(GameAECEnv(game), seconds),
        ("random play to the end",): playing_out(game, seconds),
        (search,): searching(game, simulations, seconds),
    }
    best_of = ", ".join(f"{size:,}" for size in effort.pgx_sizes)
    scan = f"pgx in one lax.scan, best N of {best_of}"
    against = {
        step: ("plies/s", "pgx"),
        plies: ("plies/s", scan),
        "AEC env() loop": ("plies/s", "PettingZoo"),
        "random play to the end": ("plies/s", "OpenSpiel"),
        search: ("moves/s", "OpenSpiel MCTSBot"),
    }
    rivals = [
        (("pgx",), "pgx", lambda: peers.pgx_steps(_GAME, num, seconds)),
        *(
            ((scan, str(size)), "pgx", lambda size=size: peers.pgx_scan(_GAME, size, seconds))
            for size in effort.pgx_sizes
        ),
        (
            ("PettingZoo",),
            "PettingZoo connect_four",
            lambda: looping(peers.pettingzoo_connect_four(), seconds),
        ),
        (("OpenSpiel",), "OpenSpiel", lambda: peers.open_spiel_random(_GAME, seconds)),
        (
            ("OpenSpiel MCTSBot",),
            "OpenSpiel",
            lambda: peers.open_spiel_mcts(_GAME, simulations, seconds),
        ),
    ]
    for key, what, build in rivals:
        side = bench.peer(what, "bench", build)
        if side is not None:
            sides[key] = side
    found = bench.compare(sides)
    rows = []
    for measure, (unit, peer) in against.items():
        theirs = max((value for key, value in found.items() if key[0] == peer), default=None)
        rows.append(Row(measure, _GAME, found[measure,], unit, peer, theirs))
    return rows


def cuda_rows(bench: Bench) -> list[Row]:
    """Return rows of connect four on a GPU; none without a GPU."""
    from agents.speed.connect_four import ConnectFour
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
            sides[_GPU_PEER,] = peer
        found = bench.compare(sides)
        rows += [
            Row(measure, game.name, found[measure,], "plies/s", _GPU_PEER, found.get((_GPU_PEER,)))
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
