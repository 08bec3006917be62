"""Training on a Ray cluster, as `boardenvs train --engine ray` does."""

from __future__ import annotations

import functools
from pathlib import Path

import torch

from agents.arena.cluster import joined
from agents.training import start
from agents.training.ray_actors import RayActors
from agents.training.run import TrainingRun
from agents.training.settings import Settings, read_settings, settings_for
from boardenvs.game import Game

__all__ = ["is_guided", "train"]

_OPTIONS = ("--engine", "ray")


def train(
    game: Game,
    folder: Path,
    steps: int | None = None,
    seed: int | None = None,
    command: str = "",
    *,
    resume: bool = False,
    settings: Path | None = None,
    address: str | None = None,
) -> TrainingRun:
    """Train with an actor on each of the cluster's cores, export and report.

    Searched games are played on the cluster. What comes before them, and the gradient steps, are
    done here, on a GPU if there is one.

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
        ValueError: see there, or Ray is not installed, there is no such cluster, it has no core,
            or it fails.
    """
    with joined("training", address) as ray:
        return start.train(
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


def is_guided(game: Game, folder: Path, file: Path | None = None, *, resume: bool) -> bool:
    """Whether a run on a cluster is one of these, which have a search-guided part, or RLlib's.

    Args:
        game: as for `train`, as are the rest.
        folder: see there.
        file: that has the settings.
        resume: see there.

    Raises:
        ValueError: the settings are bad.
    """
    if resume:
        return not (folder / "checkpoints").exists()
    settings: Settings = settings_for(game) if file is None else read_settings(file, game)
    return settings.guided is not None
