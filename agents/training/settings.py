"""The settings of a training run; a game's own lie in `games/`, a file for each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from agents.training.cloning import CloningSettings
from agents.training.guided_settings import GuidedSettings
from agents.users_own import require_allowed
from boardenvs.game import Game

__all__ = [
    "EARLIER",
    "GAMES",
    "LATEST",
    "Settings",
    "settings_for",
    "settings_from",
    "settings_of_run",
]

GAMES = Path(__file__).parents[1] / "games"
"""Where the games' settings lie, as TOML."""
LATEST, EARLIER = "latest", "earlier"
"""Among the opponents, the learner as it is now and one of its earlier selves."""


@dataclass(frozen=True)
class Settings:
    """What a run is made of; with the seed, it repeats a run on the same machine."""

    clone: CloningSettings | None = None
    """Of the imitation of another agent that comes first, where there is one."""
    steps: int = 2_000_000
    """The learner's decisions by MaskablePPO."""
    guided: GuidedSettings | None = None
    """Of the search-guided self-play that follows, where there is one."""
    num_envs: int = 256
    """Games side by side."""
    opponents: Mapping[str, float] = field(
        default_factory=lambda: {"random": 1, "greedy": 1, LATEST: 1, EARLIER: 1}
    )
    """Who has the other seats, and in how large a share of the games: agents by their spec, the
    learner itself (`latest`), or one of its earlier selves (`earlier`), those oftener that it
    does worse against."""
    network: str = "plain"
    """`plain` layers, or `convolutional` ones for a board; see agents/training/networks.py."""
    hidden: tuple[int, ...] = (256, 256)
    """Hidden layers, of policy and of value; of a convolutional network, of the value alone."""
    channels: int = 32
    """Features of a cell in a convolutional network."""
    blocks: int = 2
    """Residual blocks of a convolutional network."""
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
    selves: int = 20
    """Earlier selves kept as opponents."""
    remember_every: int = 100_000
    """Decisions between two earlier selves."""
    evaluate_against: tuple[str, ...] = ("random", "greedy")
    """Fixed opponents, each in all other seats, whose mean score tells the best checkpoint."""
    evaluate_every: int = 100_000
    """Decisions between two evaluations; each leaves a checkpoint."""
    evaluation_games: int = 200
    """Games of each match of an evaluation."""
    patience: int = 10
    """Evaluations without a new best score after which the run ends early."""
    final_games: int = 1000
    """Games against each fixed opponent for the card."""

    @property
    def total_steps(self) -> int:
        """Positions of the agent imitated, decisions by MaskablePPO, and positions searched."""
        return sum(part.steps for part in (self.clone, self, self.guided) if part)

    @property
    def specs(self) -> list[str]:
        """All agents that these settings name, the learner's selves aside."""
        clone = [self.clone.agent] if self.clone else []
        opponents = [spec for spec in self.opponents if spec not in (LATEST, EARLIER)]
        return [*clone, *opponents, *self.evaluate_against]

    def ending_at(self, total: int) -> Settings:
        """These settings, with another total: the last parts are cut, or the last lengthened."""
        clone, guided = self.clone, self.guided
        if clone is not None and total <= clone.steps:
            return replace(self, clone=replace(clone, steps=total), steps=0, guided=None)
        left = total - (clone.steps if clone else 0)
        if guided is None or left <= self.steps:
            return replace(self, steps=left, guided=None)
        return replace(self, guided=replace(guided, steps=left - self.steps))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def settings_for(game: Game, **changes: Any) -> Settings:
    """A game's settings, some of them changed.

    The game's file holds what differs from the default, and in tables such as
    `["board_size=9"]` what differs further for such parameters; tables in tables are merged.

    Raises:
        ValueError: the file, or a change, names a setting that there is not.
    """
    path = GAMES / game.name / "training.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    values = {key: value for key, value in found.items() if "=" not in key}
    for condition in found.keys() - values.keys():
        name, _, value = condition.partition("=")
        if str(game.params[name]) == value:
            for key, other in found[condition].items():
                both = isinstance(other, dict) and isinstance(values.get(key), dict)
                values[key] = {**values[key], **other} if both else other
    return settings_from({**values, **changes})


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Settings from what TOML or JSON hold.

    Raises:
        ValueError: there is no such setting, or a value is out of range.
    """
    _check_names(Settings, values)
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    for part, kind in (("clone", CloningSettings), ("guided", GuidedSettings)):
        if isinstance(given.get(part), Mapping):
            _check_names(kind, given[part], f"{part}.")
            given[part] = kind(**given[part])
    settings = replace(Settings(), **given)
    if settings.network not in ("plain", "convolutional"):
        raise ValueError(f"network must be plain or convolutional, got {settings.network!r}")
    if not settings.opponents or not all(share > 0 for share in settings.opponents.values()):
        raise ValueError(f"opponents must have shares above 0, got {dict(settings.opponents)}")
    return settings


def settings_of_run(values: Mapping[str, Any], game: Game, where: str) -> Settings:
    """Settings out of a run's folder, which may name no code but what `agents.allow` was told of.

    Args:
        values: as for `settings_from`.
        game: of the run; agents that its own settings name are this package's.
        where: the file, for messages.

    Raises:
        ValueError: as `settings_from`, and for an agent of the user's own.
    """
    settings = settings_from(values)
    ours = settings_for(game).specs
    require_allowed([spec for spec in settings.specs if spec not in ours], where)
    return settings


def _check_names(kind: Any, values: Mapping[str, Any], prefix: str = "") -> None:
    known = [f.name for f in fields(kind)]
    for key in values:
        if key not in known:
            told = ", ".join(sorted(known))
            raise ValueError(f"there is no setting {prefix}{key!r}; there are {told}")
