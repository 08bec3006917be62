"""What a run keeps in its folder, so that it can go on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import boardenvs
from agents.rllib.settings import ClusterSettings
from agents.training.settings import settings_of_run
from boardenvs.files import write_atomically
from boardenvs.game import Game

__all__ = ["SETTINGS", "Progress", "SavedRun", "read_run", "write_checkpoint", "write_settings"]

SETTINGS = "settings.json"
_CHECKPOINTS = "checkpoints"
_STATE = "run.json"


@dataclass
class Progress:
    """How far a run has come."""

    steps: int
    """The learner's decisions."""
    selves: int
    """Earlier selves kept."""
    kept_at: int
    """The learner's decisions when the last of them was kept."""
    history: list[dict[str, Any]]
    """One evaluation each."""


@dataclass(frozen=True)
class SavedRun:
    """A run as its folder has it."""

    folder: Path
    game: Game
    settings: ClusterSettings
    seed: int
    progress: Progress
    """Until the last checkpoint."""
    checkpoint: Path
    """The folder of RLlib's part of it."""
    settings_file: str | None = None
    """Where the settings were read from, if not from the game's own file."""


def write_settings(
    folder: Path,
    game: Game,
    settings: ClusterSettings,
    seed: int,
    settings_file: str | None = None,
) -> None:
    """Write what a run starts from."""
    data = {
        "engine": "ray",
        "game": game.name,
        "params": game.params,
        "seed": seed,
        "settings_file": settings_file,
        "settings": settings.to_dict(),
    }
    write_atomically(folder / SETTINGS, (json.dumps(data, indent=2) + "\n").encode())


def write_checkpoint(folder: Path, progress: Progress, save: Callable[[str], Any]) -> None:
    """Write a checkpoint; the old one stays until the new one is whole.

    Args:
        folder: of the run.
        progress: until now; the checkpoint is named after its steps.
        save: writes RLlib's part into the folder it is given.
    """
    checkpoints = (folder / _CHECKPOINTS).absolute()
    beside = checkpoints / "unfinished"
    shutil.rmtree(beside, ignore_errors=True)
    save(str(beside))
    (beside / _STATE).write_text(json.dumps(asdict(progress)), encoding="utf-8")
    place = checkpoints / f"{progress.steps:012}"
    while place.exists():  # one at the same steps, which must not go first
        place = place.with_name(f"0{place.name}")
    beside.rename(place)
    for old in checkpoints.iterdir():
        if old != place:
            shutil.rmtree(old)


def read_run(folder: Path, steps: int | None = None) -> SavedRun:
    """The run of a folder at its last checkpoint.

    Args:
        folder: of the run.
        steps: a new total, if it is to end elsewhere.

    Raises:
        ValueError: the folder holds no run that can go on, or one with an agent of the user's
            own that `agents.allow` was not told of.
    """
    try:
        data = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        checkpoint = _last_checkpoint(folder)
        state = json.loads((checkpoint / _STATE).read_text(encoding="utf-8"))
        changes = {} if steps is None else {"steps": steps}
        game = boardenvs.make(data["game"], **data["params"])
        settings_of_run(data["settings"]["training"], game, SETTINGS)
        return SavedRun(
            folder,
            game,
            ClusterSettings.from_dict(data["settings"], **changes),
            data["seed"],
            Progress(**state),
            checkpoint,
            data.get("settings_file"),
        )
    except (ValueError, KeyError, TypeError, OSError) as error:
        reason = " ".join(str(error).split())[:400] or type(error).__name__
        raise ValueError(f"{folder} holds no run that can go on: {reason}") from None


def _last_checkpoint(folder: Path) -> Path:
    # Two are there if the run was stopped between writing one and removing the other.
    whole = [p for p in (folder / _CHECKPOINTS).glob("*") if p.name.isdecimal()]
    if not whole:
        raise ValueError("it was stopped before its first checkpoint")
    return max(whole, key=lambda p: (int(p.name), len(p.name))).absolute()
