"""The settings of a training run; a game's own lie in its folder, as `training.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from agents.games import files
from agents.networks.precision import AUTO, check_precision
from agents.networks.sizes import SEVERAL, Sizes, games_of
from agents.training.imitation import CloningSettings
from agents.training.self_play.guided_settings import GuidedSettings
from agents.user_code import require_allowed
from boardenvs.core.checks import finite_number, whole_number
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game

__all__ = [
    "EARLIER",
    "LATEST",
    "Settings",
    "read_settings",
    "settings_for",
    "settings_from",
    "settings_of_run",
]

LATEST, EARLIER = "latest", "earlier"
"""Among the opponents, the learner as it is now and one of its earlier selves."""


@dataclass(frozen=True)
class Settings:
    """What a run is made of; with the seed, it repeats a run on the same machine.

    Example:
        >>> import boardenvs
        >>> from agents.training import settings_for
        >>> settings_for(boardenvs.make("gomoku", board_size=9)).network
        'convolutional'
    """

    clone: CloningSettings | None = None
    """Of the imitation of another agent that comes first, where there is one."""
    steps: int = 2_000_000
    """The learner's decisions by MaskablePPO."""
    guided: GuidedSettings | None = None
    """Of the search-guided self-play that follows, where there is one."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Share of each board size in training on several sizes (see `agents.networks.sizes`); 1 for a
    size that is not named."""
    num_envs: int = 256
    """Games side by side."""
    opponents: Mapping[str, float] = field(
        default_factory=lambda: {"random": 1, "greedy": 1, LATEST: 1, EARLIER: 1}
    )
    """Who has the other seats, and in how large a share of the games: agents by their spec, the
    learner itself (`latest`), or one of its earlier selves (`earlier`), those oftener that it
    does worse against."""
    network: str = "plain"
    """`plain` or `convolutional` layers; see agents/networks/policy_networks.py."""
    hidden: tuple[int, ...] = (256, 256)
    """Hidden layers, of policy and of value; of a convolutional network, of the value alone."""
    channels: int = 32
    """Features of a cell in a convolutional network."""
    blocks: int = 2
    """Residual blocks of a convolutional network."""
    lines: int = 0
    """Features of a line, where a convolutional network is to read the lines of a board first; see
    agents/networks/line_stem.py. 0: it is not."""
    rollout: int = 32
    """Decisions a game between two updates."""
    batch_size: int = 1024
    """Decisions a gradient step."""
    precision: str = AUTO
    """In which a convolutional network's trunk multiplies while MaskablePPO learns: `float32`;
    `bfloat16`; or `auto`, which is the latter where the processor has instructions for it. The
    weights, and the agent that comes of it, are in float32."""
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

    def __post_init__(self) -> None:
        """Check each.

        Raises:
            ValueError: one is of the wrong kind or out of range.
        """
        for name, kind in (("clone", CloningSettings), ("guided", GuidedSettings)):
            if not isinstance(getattr(self, name), kind | None):
                raise ValueError(f"{name} must be a table, got {getattr(self, name)!r}")
        for name in ("steps", "blocks", "lines"):
            whole_number(name, getattr(self, name), 0)
        for name in ("num_envs", "channels", "rollout", "epochs", "selves", "remember_every"):
            whole_number(name, getattr(self, name), 1)
        for name in ("evaluate_every", "evaluation_games", "patience", "final_games"):
            whole_number(name, getattr(self, name), 1)
        whole_number("batch_size", self.batch_size, 2)
        for name in ("gamma", "gae_lambda"):
            finite_number(name, getattr(self, name), 0, 1)
        finite_number("entropy", self.entropy)
        if finite_number("learning_rate", self.learning_rate) == 0:
            raise ValueError(f"learning_rate must be above 0, got {self.learning_rate!r}")
        if self.network not in ("plain", "convolutional"):
            raise ValueError(f"network must be plain or convolutional, got {self.network!r}")
        check_precision(self.precision)
        if not isinstance(self.hidden, tuple) or not self.hidden:
            raise ValueError(f"hidden must be a list of widths, got {self.hidden!r}")
        for width in self.hidden:
            whole_number("hidden's width", width, 1)
        rivals = self.evaluate_against
        if not isinstance(rivals, tuple) or not all(isinstance(spec, str) for spec in rivals):
            raise ValueError(f"evaluate_against must be a list of agents' specs, got {rivals!r}")
        if not rivals:
            raise ValueError("evaluate_against must name an agent")
        if not isinstance(self.opponents, Mapping):
            raise ValueError(f"opponents must be a table of shares, got {self.opponents!r}")
        if not isinstance(self.shares, Mapping):
            raise ValueError(f"shares must be a table of sizes, got {self.shares!r}")
        shares = [finite_number(f"{k}'s share", v) for k, v in self.opponents.items()]
        if not shares or not all(shares):
            raise ValueError(f"opponents must have shares above 0, got {dict(self.opponents)}")

    @property
    def total_steps(self) -> int:
        """Positions of the agent imitated, decisions by MaskablePPO, and positions searched."""
        return sum(part.steps for part in (self.clone, self, self.guided) if part)

    @property
    def specs(self) -> list[str]:
        """All agents that these settings name, the learner's selves aside."""
        clone = [self.clone.agent, *self.clone.opponents] if self.clone else []
        opponents = [spec for spec in self.opponents if spec not in (LATEST, EARLIER)]
        guided = self.guided.opponents if self.guided else ()
        return [*clone, *opponents, *guided, *self.evaluate_against]

    @property
    def guided_opponents(self) -> tuple[str, ...]:
        """The fixed opponents of search-guided self-play."""
        own = self.guided.opponents if self.guided else ()
        return own or self.evaluate_against

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


def settings_for(game: Game | Sizes, **changes: Any) -> Settings:
    """A game's settings, some of them changed: those of its `training.toml`, or the defaults.

    Raises:
        ValueError: as `read_settings`, or a change is no setting.

    Example:
        >>> import boardenvs
        >>> from agents.training import settings_for
        >>> settings_for(boardenvs.make("game112"), steps=5000).steps
        5000
    """
    path = next(files(games_of(game)[0], "training.toml"), None)
    return settings_from(changes) if path is None else read_settings(path, game, **changes)


def read_settings(path: Path, game: Game | Sizes, **changes: Any) -> Settings:
    """The settings that a file has for a game, some of them changed.

    The file, in TOML, holds what differs from the defaults, and in tables such as
    `["board_size=9"]` what differs further for such parameters; tables in tables are merged.
    `["board_size=several"]` has what differs where boards of several sizes are learned.

    Args:
        path: of the file, which may name no code but what `agents.allow` was told of.
        game: what is learned, on one size or several.
        **changes: of the settings, by their names.

    Raises:
        ValueError: there is no such file, it is no TOML, it names a setting or a parameter that
            there is not, a value is out of range, or an agent is the user's own.

    Example:
        >>> import boardenvs, pathlib, tempfile
        >>> from agents.training import read_settings
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "mine.toml")
        ...     _ = path.write_text("steps = 5000")
        ...     read_settings(path, boardenvs.make("game112")).steps
        5000
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise ValueError(f"{path} is no TOML: {error}") from None
    try:
        settings = settings_from({**_for_parameters(found, game), **changes})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    require_allowed(settings.specs, str(path), games_of(game)[0])
    return settings


def _for_parameters(found: Mapping[str, Any], game: Game | Sizes) -> dict[str, Any]:
    """The values of a file, those of its conditions put in where they hold."""
    values = {key: value for key, value in found.items() if "=" not in key}
    for condition in (key for key in found if "=" in key):
        name, _, wanted = condition.partition("=")
        if name not in game.params:
            known = f"its parameters are {', '.join(game.params)}{did_you_mean(name, game.params)}"
            raise ValueError(f"{condition!r}: {game.name} has no parameter {name!r}; {known}")
        if not isinstance(found[condition], dict):
            raise ValueError(f"{condition!r} must be a table, got {found[condition]!r}")
        several = isinstance(game, Sizes) and name == game.parameter
        if (SEVERAL if several else str(game.params[name])) == wanted:
            for key, other in found[condition].items():
                both = isinstance(other, dict) and isinstance(values.get(key), dict)
                values[key] = {**values[key], **other} if both else other
    return values


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Settings from what TOML or JSON hold.

    Raises:
        ValueError: there is no such setting, or a value is out of range.
    """
    _check_names(Settings, values)
    given = _with_tuples(values)
    for part, kind in (("clone", CloningSettings), ("guided", GuidedSettings)):
        if isinstance(given.get(part), Mapping):
            _check_names(kind, given[part], f"{part}.")
            try:
                given[part] = kind(**_with_tuples(given[part]))
            except ValueError as error:
                raise ValueError(f"{part}.{error}") from None
    return replace(Settings(), **given)


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of TOML or JSON, whose lists are tuples here."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}


def settings_of_run(values: Mapping[str, Any], game: Game | Sizes, where: str) -> Settings:
    """Settings out of a run's folder, which may name no code but what `agents.allow` was told of.

    Args:
        values: as for `settings_from`.
        game: of the run.
        where: the file, for messages.

    Raises:
        ValueError: as `settings_from`, and for an agent of the user's own.
    """
    settings = settings_from(values)
    require_allowed(settings.specs, where, games_of(game)[0])
    return settings


def _check_names(kind: Any, values: Mapping[str, Any], prefix: str = "") -> None:
    known = [f.name for f in fields(kind)]
    for key in values:
        if key not in known:
            there = f"{', '.join(sorted(known))}{did_you_mean(key, known)}"
            raise ValueError(f"there is no setting {prefix}{key!r}; there are {there}")
