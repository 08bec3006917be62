"""The settings of a training run, and where they differ from game to game."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

__all__ = ["Settings", "settings_for"]


@dataclass(frozen=True)
class Settings:
    """What a run is made of; with the seed, it repeats a run on the same machine."""

    steps: int = 2_000_000
    """The learner's decisions in all."""
    num_envs: int = 256
    """Games side by side, a quarter each against random, greedy, its latest self and
    earlier selves."""
    rollout: int = 32
    """Decisions a game between two updates."""
    batch_size: int = 1024
    """Decisions a gradient step."""
    epochs: int = 4
    """Passes over a rollout."""
    learning_rate: float = 1e-3
    """At the start; it falls linearly to a tenth."""
    gamma: float = 0.99
    """Discount a decision: a quick win is worth a little more."""
    gae_lambda: float = 0.95
    """Of generalised advantage estimation."""
    entropy: float = 0.01
    """Weight of the entropy bonus, which keeps the policy trying things."""
    hidden: tuple[int, ...] = (256, 256)
    """Hidden layers, of policy and of value."""
    selves: int = 20
    """Earlier selves kept as opponents."""
    remember_every: int = 100_000
    """Decisions between two earlier selves."""
    evaluate_every: int = 100_000
    """Decisions between two matches against random and greedy."""
    evaluation_games: int = 200
    """Games of each such match."""
    final_games: int = 1000
    """Games against each fixed opponent for the card."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


_DIFFERENT: dict[str, dict[str, Any]] = {
    # A game has at most nine moves: a small network knows it all.
    "game112": {"steps": 1_000_000, "hidden": (128, 128)},
}


def settings_for(game: str, **changes: Any) -> Settings:
    """A game's settings, some of them changed."""
    return replace(Settings(), **{**_DIFFERENT.get(game, {}), **changes})
