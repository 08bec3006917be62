"""Training on a Ray cluster, as in `boardenvs train --engine ray`."""

from __future__ import annotations

import functools
from pathlib import Path

import torch

from agents.arena.workers.cluster import joined
from agents.networks.sizes import Games, described, games_of
from agents.training import start_run
from agents.training.run import TrainingRun
from agents.training.self_play.ray_actors import RayActors
from agents.training.settings_files import read_settings, settings_for
from boardenvs.game import Game

__all__ = ["train"]

_OPTIONS = ("--engine", "ray")


def train(
    game: Game | Games,
    folder: Path,
    steps: int | None = None,
    seed: int | None = None,
    command: str = "",
    *,
    resume: bool = False,
    settings: Path | None = None,
    address: str | None = None,
) -> TrainingRun:
    """Train and export an agent, with an actor on each core of a Ray cluster.

    The cluster plays the searched games. The earlier parts of the training and the gradient steps
    run on this machine, on a GPU if there is one.

    Args:
        game: as for `agents.training.start_run.train`.
        folder: as for `agents.training.start_run.train`.
        steps: as for `agents.training.start_run.train`.
        seed: as for `agents.training.start_run.train`.
        command: as for `agents.training.start_run.train`.
        resume: as for `agents.training.start_run.train`.
        settings: a file, as for `agents.training.start_run.train`.
        address: address of the cluster, as for `agents.arena.workers.cluster.joined`.

    Raises:
        ValueError: as for `agents.training.start_run.train`, or the settings have no table
            `[guided]`, Ray is not installed, or the cluster does not exist, has no cores or fails.
    """
    if not resume:
        given = settings_for(game) if settings is None else read_settings(settings, game)
        if given.guided is None:
            raise ValueError(
                "settings must have a table [guided] for training on Ray, got those of "
                f"{described(games_of(game)) if settings is None else settings} without it"
            )
    with joined("training", address) as ray:
        return start_run.train(
            game,
            folder,
            steps=steps,
            seed=seed,
            command=command,
            resume=resume,
            settings=settings,
            device="cuda" if torch.cuda.is_available() else "cpu",
            actors=functools.partial(RayActors, ray),
            options=_OPTIONS,
        )
