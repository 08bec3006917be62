"""The settings of search-guided self-play."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from boardenvs.core.checks import finite_number, truth_value, whole_number

__all__ = ["GuidedSettings"]


@dataclass(frozen=True)
class GuidedSettings:
    """How `agents.training.self_play.learner.GuidedLearner` learns."""

    steps: int = 2_000_000
    """Positions searched in all."""
    games: int = 128
    """Side by side."""
    actors: int = 4
    """Who share the games out, no more than there are games, each in a thread of its own; on a
    cluster each core has one more such share."""
    int8: bool = False
    """Whether a convolutional network guides the searches in 8-bit integers: twice as fast, and
    close to the one in float32, which learns."""
    plies: int = 8
    """In each game between two updates of the network."""
    simulations: int = 32
    """Of a full search, whose position is trained on."""
    cheap_simulations: int = 8
    """Of any other search, which only brings the game on."""
    full_share: float = 1.0
    """How many of the searches are full ones."""
    exploration: float = 1.5
    """The factor of the policy's share in the bound of the search, below the root."""
    considered: int = 16
    """How many of the root's actions share the simulations by sequential halving."""
    value_scale: float = 0.25
    """How much results weigh against the network's policy in the improved one."""
    opening_plies: int = 0
    """A game starts with up to so many random plies."""
    temperature_plies: int = 10
    """In the first so many plies cheap searches draw their action too, as full ones always do."""
    opponent_share: float = 0.1
    """In so many of the games the fixed opponents sit in all seats but one."""
    opponents: tuple[str, ...] = ()
    """Specs of the fixed opponents, each in as many games; by default those that the learner is
    evaluated against."""
    search_value_share: float = 0.0
    """What the value found by the search makes of the value's target; the result is the rest."""
    buffer: int = 100_000
    """The last positions to train on."""
    warm_up: int = 5_000
    """Positions in the buffer before the network first learns."""
    reuse: float = 12.0
    """How often a position is trained on, on average."""
    batch_size: int = 256
    """Positions a gradient step."""
    learning_rate: float = 2e-3
    """At the start."""
    final_learning_rate: float = 2e-4
    """At the end; between them it falls linearly."""
    weight_decay: float = 1e-4
    """Of AdamW."""
    value_weight: float = 1.0
    """Of the value's squared error, beside the policy's cross-entropy."""

    def __post_init__(self) -> None:
        """Check each.

        Raises:
            ValueError: one is of the wrong kind or out of range.
        """
        for name in (
            "steps",
            "games",
            "actors",
            "plies",
            "simulations",
            "cheap_simulations",
            "buffer",
        ):
            whole_number(name, getattr(self, name), 1)
        for name in ("considered", "batch_size"):
            whole_number(name, getattr(self, name), 1)
        truth_value("int8", self.int8)
        for name in ("opening_plies", "temperature_plies"):
            whole_number(name, getattr(self, name), 0)
        whole_number("warm_up", self.warm_up, 0, self.buffer)
        rivals = self.opponents
        if not isinstance(rivals, tuple) or not all(isinstance(spec, str) for spec in rivals):
            raise ValueError(f"opponents must be a list of agents' specs, got {rivals!r}")
        for name in ("full_share", "opponent_share", "search_value_share"):
            if finite_number(name, getattr(self, name)) > 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)!r}")
        for name in ("full_share", "reuse", "learning_rate"):
            if finite_number(name, getattr(self, name)) == 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)!r}")
        for name in (
            "exploration",
            "value_scale",
            "final_learning_rate",
            "weight_decay",
            "value_weight",
        ):
            finite_number(name, getattr(self, name))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)
