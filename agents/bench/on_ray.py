"""Self-play on Ray: positions that two actors search, beside twice what one does."""

from __future__ import annotations

import statistics
import time
from typing import Any

import boardenvs
from agents.arena.local import ONE_THREAD
from agents.bench.batch import label
from agents.bench.row import Row
from agents.bench.run import Bench
from agents.trained import shipped
from boardenvs.game import Game

__all__ = ["ray_actors"]

_GAME: tuple[str, dict[str, Any]] = ("gomoku", {"board_size": 9})
_FEW = 2


def ray_actors(bench: Bench) -> list[Row]:
    """The actors of search-guided training, a process of one core each; nothing is learned."""
    ray = bench.peer("self-play on Ray", "ray", _ray)
    if ray is None:
        return []
    name, params = _GAME
    game = boardenvs.make(name, **params)
    effort = bench.effort
    seconds = 8 * effort.guided_seconds
    found: dict[int, list[float]] = {1: [], _FEW: []}
    for _ in range(effort.process_rounds):
        for cores, rates in found.items():
            rates.append(_rate(ray, game, cores, seconds))
    one, two = (statistics.median(found[cores]) for cores in (1, _FEW))
    measure = f"self-play on Ray, {_FEW} actors"
    return [Row(measure, label(name, params), two, "positions/s", "twice one actor", _FEW * one)]


def _ray() -> Any:
    import ray

    return ray


def _rate(ray: Any, game: Game, cores: int, seconds: float) -> float:
    """Positions a second on a cluster of so many cores."""
    from agents.training.ray_actors import RayActors
    from agents.training.settings import settings_for

    settings = settings_for(game)
    assert settings.guided is not None
    ray.init(
        num_cpus=cores,
        log_to_driver=False,
        logging_level="ERROR",
        runtime_env={"env_vars": ONE_THREAD},
    )
    try:
        actors = RayActors(ray, game, settings.guided, 0, settings.guided_opponents)
        network = shipped(game).read_bytes()

        def some() -> int:
            actors.begin(network)
            actors.wait()
            return sum(played.searched for played in actors.finish())

        for _ in range(2 * cores):  # processes start, kernels are loaded
            some()
        began, searched = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            searched += some()
        return searched / (time.perf_counter() - began)
    finally:
        ray.shutdown()
