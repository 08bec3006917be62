"""Training on a Ray cluster, as `boardenvs train --engine ray` does."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import torch

from agents.arena.cluster import joined
from agents.training import start
from agents.training.ray_actors import RayActors
from agents.training.settings import Settings, read_settings, settings_for
from boardenvs.game import Game

__all__ = ["train"]

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
) -> Any:
    """Train with an actor on each of the cluster's cores, export and report.

    Searched games are played on the cluster. What comes before them, and the gradient steps, are
    done here, on a GPU if there is one. Settings without a search-guided part are for RLlib's PPO:
    see `agents.rllib.start.train`.

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
    if not _is_guided(game, folder, settings, resume=resume):
        from agents.rllib import start as rllib

        return rllib.train(
            game,
            folder,
            steps=steps,
            seed=seed,
            command=command,
            resume=resume,
            settings=settings,
            address=address,
        )
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


def _is_guided(game: Game, folder: Path, file: Path | None, *, resume: bool) -> bool:
    """Whether a run has a search-guided part, or one that goes on is no run of RLlib's."""
    if resume:
        return not (folder / "checkpoints").exists()
    settings: Settings = settings_for(game) if file is None else read_settings(file, game)
    return settings.guided is not None
