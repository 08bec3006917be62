"""The settings of a run on a cluster: those of local training, and RLlib's own."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agents.training.settings import Settings, read_settings, settings_for, settings_from
from boardenvs.game import Game

__all__ = ["ClusterSettings", "cluster_settings_for"]


@dataclass(frozen=True)
class ClusterSettings:
    """What a run is made of."""

    training: Settings
    """As for local training. Its `num_envs`, `rollout` and `selves` say nothing here."""
    plies: int = 4096
    """Plies, of all seats, between two updates."""
    games: int = 32
    """Games side by side on each env runner."""
    selves: int = 4
    """Earlier selves kept as opponents, few since each is asked for its moves by itself."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **changes: Any) -> ClusterSettings:
        """What `to_dict` gave, with changes of `training`."""
        training = settings_from({**data["training"], **changes})
        return cls(**{**data, "training": training})


def cluster_settings_for(game: Game, file: Path | None = None) -> ClusterSettings:
    """A game's settings: of local training, those of MaskablePPO, which RLlib's PPO shares.

    Args:
        game: what is learned.
        file: has them, as `agents.training.settings.read_settings` reads it; by default the
            game's own.

    Raises:
        ValueError: as `read_settings`.
    """
    settings = settings_for(game) if file is None else read_settings(file, game)
    steps = settings.steps or Settings().steps
    return ClusterSettings(replace(settings, clone=None, guided=None, steps=steps))
