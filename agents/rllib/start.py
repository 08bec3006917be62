"""Starting and resuming a run on a cluster, as `boardenvs train --engine ray` does."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agents.agent import one_line
from agents.arena.cluster import joined
from agents.rllib.folder import read_run
from agents.rllib.settings import ClusterSettings, cluster_settings_for
from agents.training.start import (
    check_empty,
    check_resumed,
    check_settings,
    command_of,
    report,
    seed_of,
)
from boardenvs.checks import whole_number
from boardenvs.game import Game

if TYPE_CHECKING:
    from agents.rllib.run import ClusterRun

__all__ = ["train"]


def train(
    game: Game,
    folder: Path,
    steps: int | None = None,
    seed: int | None = None,
    command: str = "",
    *,
    resume: bool = False,
    settings: ClusterSettings | Path | None = None,
    address: str | None = None,
) -> ClusterRun:
    """Train with an env runner for each of the cluster's cores, export and report.

    Args:
        game: as the following for `agents.training.start.train`.
        folder: see there.
        steps: see there.
        seed: see there.
        command: see there.
        resume: see there.
        settings: see there.
        address: of the cluster, as for `agents.arena.cluster.joined`.

    Raises:
        ValueError: see there, or RLlib is not installed, there is no such cluster, it has
            no core, or it fails.
    """
    if steps is not None:
        steps = whole_number("steps", steps, 1)
    file = str(settings) if isinstance(settings, Path) else None
    asked = cluster_settings_for(game, settings) if isinstance(settings, Path) else settings
    if resume:
        saved = read_run(folder, steps)
        check_resumed(saved, done=saved.progress.steps, game=game, steps=steps, seed=seed)
        total = saved.settings.training.steps
        training = saved.settings.training
        if asked is not None:
            wanted = replace(asked.training, steps=training.steps)
            check_settings(folder, training, wanted)
        command = command_of(
            game,
            training,
            file=saved.settings_file,
            steps=total,
            seed=saved.seed,
            options=["--engine", "ray"],
        )
    else:
        check_empty(folder)
        fresh_seed = seed_of(seed)
        chosen = cluster_settings_for(game) if asked is None else asked
        if steps is not None:
            chosen = replace(chosen, training=replace(chosen.training, steps=steps))
    # RLlib makes its env runners in a way that has Ray warn of each, in red and at length.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    with joined("training", address) as ray:
        try:
            from agents.rllib.run import ClusterRun
        except ImportError as error:
            raise ValueError(
                "training on Ray needs the extra [ray], such as pip install 'boardenvs[ray]': "
                f"there is no {error.name}"
            ) from None
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)
        cores = int(ray.cluster_resources().get("CPU", 0))
        if not cores:
            raise ValueError("the Ray cluster has no core to play on")
        try:
            if resume:
                run = ClusterRun.resume(saved, cores)
                print(f"going on from step {run.progress.steps:,} of {total:,}")
            else:
                run = ClusterRun(game, chosen, fresh_seed, folder, cores, settings_file=file)
            nodes = len(set(run.places()))
            print(f"env runners: {cores}, on {nodes} node{'s' * (nodes > 1)}", flush=True)
            try:
                run.learn()
                path = run.finish(command)
            finally:
                run.stop()
        except (ray.exceptions.RayError, RuntimeError) as error:
            raise ValueError(f"training on Ray failed: {one_line(error)}") from error
    report(run, path)
    return run
