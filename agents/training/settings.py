"""Settings of a training run; a game's own settings are `training.toml` in its folder."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from agents.naming.game_folders import files
from agents.naming.user_code import require_allowed
from agents.networks.precision import AUTO, check_precision
from agents.networks.sizes import SEVERAL, Sizes, games_of
from boardenvs.core.checks import finite_number, truth_value, whole_number
from boardenvs.core.suggestion import did_you_mean
from boardenvs.game import Game

__all__ = [
    "EARLIER",
    "LATEST",
    "CloningSettings",
    "GuidedSettings",
    "Settings",
    "read_settings",
    "settings_for",
    "settings_from",
    "settings_of_run",
]

LATEST, EARLIER = "latest", "earlier"
"""Names of the opponents that are the current learner and one of its earlier selves."""


@dataclass(frozen=True)
class CloningSettings:
    """Settings of the imitation of another agent, see `agents.training.imitation`."""

    agent: str = "greedy"
    """Spec of the agent to imitate, which plays all seats."""
    steps: int = 500_000
    """Number of positions to learn from."""
    random_share: float = 0.2
    """Share of random plies, which lead games to positions that the agent would avoid. The policy
    learns the agent's actions there."""
    learner_share: float = 0.0
    """Share of the other plies that the policy plays, after the first round of games. The policy
    then learns the agent's actions after its own mistakes. S. Ross, G. Gordon, D. Bagnell, "A
    reduction of imitation learning and structured prediction to no-regret online learning", AISTATS
    2011."""
    position_share: float = 1.0
    """Share of the positions that are learned. A value learns more from few positions of many games
    than from many positions of few games, because all positions of a game have one result."""
    opening_plies: int = 0
    """Maximum number of random plies at the start of a game; their positions are not learned."""
    opponent_share: float = 0.0
    """Share of the games in which a fixed opponent plays all seats but one. Only the positions of
    that seat are learned."""
    opponents: tuple[str, ...] = ()
    """Specs of the fixed opponents, each for the same number of games."""
    fixed_ties: bool = False
    """Whether the agent always breaks ties in the same way, so that each position has one action to
    learn."""
    value_share: float = 0.0
    """Share of the agent's value in the value's target; the rest is the game's result. A proven
    value is the whole target."""
    buffer: int = 0
    """Number of latest positions to learn from; 0 for those of the last round of games."""
    epochs: int = 2
    """Mean number of times that a position is learned."""
    batch_size: int = 256
    """Positions per gradient step."""
    learning_rate: float = 1e-3
    """Initial learning rate, which falls linearly to a tenth."""

    def __post_init__(self) -> None:
        """Check all values.

        Raises:
            ValueError: a value has the wrong type or is out of range.
        """
        if not isinstance(self.agent, str):
            raise ValueError(f"agent must be an agent spec, got {self.agent!r}")
        for name in ("steps", "epochs", "batch_size"):
            whole_number(name, getattr(self, name), 1)
        if not isinstance(self.fixed_ties, bool):
            raise ValueError(f"fixed_ties must be true or false, got {self.fixed_ties!r}")
        for name in ("opening_plies", "buffer"):
            whole_number(name, getattr(self, name), 0)
        for name in ("random_share", "learning_rate"):
            if finite_number(name, getattr(self, name)) >= 1:
                raise ValueError(f"{name} must be below 1, got {getattr(self, name)!r}")
        for name in ("learner_share", "value_share", "opponent_share", "position_share"):
            if finite_number(name, getattr(self, name)) > 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)!r}")
        if not self.position_share:
            raise ValueError(f"position_share must be above 0, got {self.position_share!r}")
        _check_specs("opponents", self.opponents)
        if self.opponent_share and not self.opponents:
            raise ValueError(
                f"opponents must name an agent if opponent_share is above 0, got no opponents and "
                f"opponent_share = {self.opponent_share!r}"
            )


@dataclass(frozen=True)
class GuidedSettings:
    """Settings of search-guided self-play, see `agents.training.self_play.learner`."""

    steps: int = 2_000_000
    """Total number of positions to search."""
    games: int = 128
    """Number of parallel games."""
    actors: int = 4
    """Number of actors that share the games, each in its own thread; at most one for each game. On
    a cluster each core has an actor with as many games as the first of these actors."""
    int8: bool = False
    """Whether an int8 version of the network guides the searches: twice as fast, and close to the
    float32 network that learns. Requires a convolutional network."""
    plies: int = 8
    """Plies of each game between two updates of the network."""
    simulations: int = 32
    """Simulations of a full search, whose position is a sample for training."""
    cheap_simulations: int = 8
    """Simulations of a cheap search, which only continues the game."""
    full_share: float = 1.0
    """Share of full searches."""
    exploration: float = 1.5
    """Factor of the policy in the confidence bound, below the root."""
    considered: int = 16
    """Maximum number of root actions in sequential halving."""
    value_scale: float = 0.25
    """Weight of results against the network's policy in the improved policy."""
    opening_plies: int = 0
    """Maximum number of random plies at the start of a game."""
    temperature_plies: int = 10
    """Number of first plies in which cheap searches sample their action; full searches always
    sample it."""
    opponent_share: float = 0.1
    """Share of the games in which a fixed opponent plays all seats but one."""
    opponents: tuple[str, ...] = ()
    """Specs of the fixed opponents, each for the same number of games; default
    `evaluate_against`."""
    search_value_share: float = 0.0
    """Share of the search's value in the value's target; the rest is the game's result."""
    buffer: int = 100_000
    """Size of the replay buffer in positions."""
    warm_up: int = 5_000
    """Positions in the buffer before the first gradient step."""
    reuse: float = 12.0
    """Mean number of times that a position is learned."""
    batch_size: int = 256
    """Positions per gradient step."""
    learning_rate: float = 2e-3
    """Initial learning rate."""
    final_learning_rate: float = 2e-4
    """Final learning rate; the rate falls linearly."""
    weight_decay: float = 1e-4
    """Weight decay of AdamW."""
    value_weight: float = 1.0
    """Weight of the value's squared error; the policy's cross-entropy has weight 1."""

    def __post_init__(self) -> None:
        """Check all values.

        Raises:
            ValueError: a value has the wrong type or is out of range.
        """
        for name in (
            "steps",
            "games",
            "actors",
            "plies",
            "simulations",
            "cheap_simulations",
            "considered",
            "buffer",
            "batch_size",
        ):
            whole_number(name, getattr(self, name), 1)
        truth_value("int8", self.int8)
        for name in ("opening_plies", "temperature_plies"):
            whole_number(name, getattr(self, name), 0)
        whole_number("warm_up", self.warm_up, 0, self.buffer)
        _check_specs("opponents", self.opponents)
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


@dataclass(frozen=True)
class Settings:
    """Settings of a training run. The same settings and seed repeat a run on the same machine.

    Example:
        >>> import boardenvs
        >>> from agents.training import settings_for
        >>> settings_for(boardenvs.make("gomoku", board_size=9)).network
        'convolutional'
    """

    clone: CloningSettings | None = None
    """Settings of the imitation of another agent, the first part; `None` for no imitation."""
    ppo_steps: int = 2_000_000
    """Number of the learner's decisions in MaskablePPO, the second part."""
    guided: GuidedSettings | None = None
    """Settings of search-guided self-play, the third part; `None` for no such self-play."""
    values: CloningSettings | None = None
    """Settings of the last part, in which the best policy plays all seats and its values learn the
    results. Its `agent` must be `latest`. `None` for no such part."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Share of each board size in training on several sizes (see `agents.networks.sizes`); default
    1."""
    num_envs: int = 256
    """Number of parallel games."""
    opponents: Mapping[str, float] = field(
        default_factory=lambda: {"random": 1, "greedy": 1, LATEST: 1, EARLIER: 1}
    )
    """Opponents in the other seats, with their shares of the games: agent specs, the learner itself
    (`latest`), or one of its earlier selves (`earlier`). The strongest earlier selves play most
    often."""
    network: str = "plain"
    """Kind of the layers, `plain` or `convolutional`; see agents/networks/policy_networks.py."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of policy and value. A convolutional network uses only the last
    one, for the value."""
    channels: int = 32
    """Features of a cell in a convolutional network."""
    blocks: int = 2
    """Residual blocks of a convolutional network."""
    lines: int = 0
    """Features of a line in a convolutional network whose first layer reads lines (see
    agents/networks/line_stem.py); 0 for no such layer."""
    rollout: int = 32
    """Decisions per game between two updates."""
    batch_size: int = 1024
    """Decisions per gradient step."""
    precision: str = AUTO
    """Precision of a convolutional trunk's products in MaskablePPO: `float32`, `bfloat16`, or
    `auto`, which is `bfloat16` if the processor has instructions for it. The weights and the
    exported agent are in float32."""
    epochs: int = 4
    """Passes over a rollout."""
    learning_rate: float = 1e-3
    """Initial learning rate, which falls linearly to a tenth."""
    gamma: float = 0.99
    """Discount per decision."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation."""
    entropy: float = 0.01
    """Weight of the entropy bonus, which encourages exploration."""
    selves: int = 20
    """Maximum number of earlier selves."""
    remember_every: int = 100_000
    """Decisions between two earlier selves."""
    evaluate_against: tuple[str, ...] = ("random", "greedy")
    """Fixed opponents, each in all other seats. The mean score against them selects the best
    checkpoint."""
    evaluate_every: int = 100_000
    """Steps between two evaluations; each evaluation saves a checkpoint."""
    evaluation_games: int = 200
    """Games of each match of an evaluation."""
    patience: int = 10
    """Evaluations without a new best score after which the run ends early."""
    final_games: int = 1000
    """Games against each fixed opponent for the card."""

    def __post_init__(self) -> None:
        """Check all values.

        Raises:
            ValueError: a value has the wrong type or is out of range.
        """
        for name, kind in _TABLES.items():
            if not isinstance(getattr(self, name), kind | None):
                raise ValueError(f"{name} must be a table, got {getattr(self, name)!r}")
        if self.values and self.values.agent != LATEST:
            raise ValueError(f"values.agent must be {LATEST!r}, got {self.values.agent!r}")
        for name in ("ppo_steps", "blocks", "lines"):
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
            whole_number("each width in hidden", width, 1)
        _check_specs("evaluate_against", self.evaluate_against)
        if not self.evaluate_against:
            raise ValueError("evaluate_against must name at least one agent, got none")
        if not isinstance(self.opponents, Mapping):
            raise ValueError(f"opponents must be a table of shares, got {self.opponents!r}")
        if not isinstance(self.shares, Mapping):
            raise ValueError(f"shares must be a table of sizes, got {self.shares!r}")
        shares = [finite_number(f"opponents[{k!r}]", v) for k, v in self.opponents.items()]
        if not shares or not all(shares):
            raise ValueError(f"opponents must have shares above 0, got {dict(self.opponents)}")

    @property
    def total_steps(self) -> int:
        """Steps of all parts: positions imitated, MaskablePPO decisions, positions searched."""
        parts = (self.clone, self.guided, self.values)
        return self.ppo_steps + sum(part.steps for part in parts if part)

    @property
    def specs(self) -> list[str]:
        """Specs of all agents in these settings, without the learner and its earlier selves."""
        clone = [self.clone.agent, *self.clone.opponents] if self.clone else []
        opponents = [spec for spec in self.opponents if spec not in (LATEST, EARLIER)]
        guided = self.guided.opponents if self.guided else ()
        values = self.values.opponents if self.values else ()
        return [*clone, *opponents, *guided, *values, *self.evaluate_against]

    @property
    def guided_opponents(self) -> tuple[str, ...]:
        """Specs of the fixed opponents of search-guided self-play."""
        own = self.guided.opponents if self.guided else ()
        return own or self.evaluate_against

    def ending_at(self, total: int) -> Settings:
        """Return these settings with another total of steps.

        The fit of the values keeps its steps if the total is larger. The last other parts change.
        """
        clone, guided, values = self.clone, self.guided, self.values
        if values is not None:
            if total > values.steps:
                other = replace(self, values=None).ending_at(total - values.steps)
                return replace(other, values=values)
            return replace(self, values=None).ending_at(total)
        if clone is not None and total <= clone.steps:
            return replace(self, clone=replace(clone, steps=total), ppo_steps=0, guided=None)
        left = total - (clone.steps if clone else 0)
        if guided is None or left <= self.ppo_steps:
            return replace(self, ppo_steps=left, guided=None)
        return replace(self, guided=replace(guided, steps=left - self.ppo_steps))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return asdict(self)


_TABLES = {"clone": CloningSettings, "guided": GuidedSettings, "values": CloningSettings}
"""Kinds of the settings that are tables."""


def _check_specs(name: str, specs: Any) -> None:
    if not isinstance(specs, tuple) or not all(isinstance(spec, str) for spec in specs):
        raise ValueError(f"{name} must be a list of agent specs, got {specs!r}")


def settings_for(game: Game | Sizes, **changes: Any) -> Settings:
    """Return a game's settings, from its `training.toml` or the defaults, with changes.

    Args:
        game: the game to learn, on one board size or several.
        **changes: values of settings that replace those of the game.

    Raises:
        ValueError: as for `read_settings`.

    Example:
        >>> import boardenvs
        >>> from agents.training import settings_for
        >>> settings_for(boardenvs.make("game112"), ppo_steps=5000).ppo_steps
        5000
    """
    path = next(files(games_of(game)[0], "training.toml"), None)
    return settings_from(changes) if path is None else read_settings(path, game, **changes)


def read_settings(path: Path, game: Game | Sizes, **changes: Any) -> Settings:
    """Read a game's settings from a file, with changes.

    The TOML file contains the settings that differ from the defaults. Tables such as
    `["board_size=9"]` or `["num_players=3,4"]` contain further settings for these parameters;
    nested tables are merged.
    `["board_size=several"]` applies to training on several board sizes.

    Args:
        path: path of the file, which may name only code that `agents.allow` has allowed.
        game: the game to learn, on one board size or several.
        **changes: values of settings that replace those of the file.

    Raises:
        ValueError: the file cannot be read or is not valid TOML, a setting or a parameter is
            unknown, a value is out of range, or an agent is the user's own and not allowed.

    Example:
        >>> import boardenvs, pathlib, tempfile
        >>> from agents.training import read_settings
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "mine.toml")
        ...     _ = path.write_text("ppo_steps = 5000")
        ...     read_settings(path, boardenvs.make("game112")).ppo_steps
        5000
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # invalid TOML or UTF-8
        raise ValueError(f"{path} is not valid TOML: {error}") from None
    try:
        settings = settings_from({**_for_parameters(found, game), **changes})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    require_allowed(settings.specs, str(path), games_of(game)[0])
    return settings


def _for_parameters(found: Mapping[str, Any], game: Game | Sizes) -> dict[str, Any]:
    """Return the values of a file, merged with those of the conditions that the game meets."""
    values = {key: value for key, value in found.items() if "=" not in key}
    for condition in (key for key in found if "=" in key):
        name, _, wanted = condition.partition("=")
        if name not in game.params:
            known = f"its parameters are {', '.join(game.params)}{did_you_mean(name, game.params)}"
            raise ValueError(f"{condition!r}: {game.name} has no parameter {name!r}; {known}")
        if not isinstance(found[condition], dict):
            raise ValueError(f"{condition!r} must be a table, got {found[condition]!r}")
        several = isinstance(game, Sizes) and name == game.parameter
        if (SEVERAL if several else str(game.params[name])) in wanted.split(","):
            for key, other in found[condition].items():
                both = isinstance(other, dict) and isinstance(values.get(key), dict)
                values[key] = {**values[key], **other} if both else other
    return values


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Make settings from values of TOML or JSON.

    Raises:
        ValueError: a setting is unknown, or a value is out of range.
    """
    _check_names(Settings, values)
    given = _with_tuples(values)
    for part, kind in _TABLES.items():
        if isinstance(given.get(part), Mapping):
            _check_names(kind, given[part], f"{part}.")
            try:
                given[part] = kind(**_with_tuples(given[part]))
            except ValueError as error:
                raise ValueError(f"{part}.{error}") from None
    return replace(Settings(), **given)


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of TOML or JSON, with lists as tuples."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}


def settings_of_run(values: Mapping[str, Any], game: Game | Sizes, where: str) -> Settings:
    """Make settings from a run's folder, which may name only code that `agents.allow` has allowed.

    Args:
        values: as for `settings_from`.
        game: game of the run.
        where: name of the file, for errors.

    Raises:
        ValueError: as for `settings_from`, or an agent is the user's own and not allowed.
    """
    settings = settings_from(values)
    require_allowed(settings.specs, where, games_of(game)[0])
    return settings


def _check_names(kind: Any, values: Mapping[str, Any], prefix: str = "") -> None:
    known = [f.name for f in fields(kind)]
    for key in values:
        if key not in known:
            there = f"{', '.join(sorted(known))}{did_you_mean(key, known)}"
            raise ValueError(f"unknown setting {f'{prefix}{key}'!r}; the settings are {there}")
