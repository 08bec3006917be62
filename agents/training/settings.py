"""Settings of a training run, each with its default and its range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from agents.networks.precision import AUTO, check_precision
from boardenvs.core.checks import finite_number, truth_value, whole_number

__all__ = ["EARLIER", "LATEST", "CloningSettings", "GuidedSettings", "Settings"]

LATEST, EARLIER = "latest", "earlier"
"""Names of the opponents that are the current learner and one of its earlier selves."""

_CHECK = "check"


def _setting(default: Any, check: Callable[[str, Any], object]) -> Any:
    """Return a setting with a function of its name and value that raises `ValueError`."""
    return field(default=default, metadata={_CHECK: check})


def _whole(default: int, low: int) -> Any:
    return _setting(default, lambda name, value: whole_number(name, value, low))


def _number(default: float, low: float = 0, high: float | None = None) -> Any:
    return _setting(default, lambda name, value: finite_number(name, value, low, high))


def _positive(default: float) -> Any:
    return _setting(default, _check_positive)


def _below_1(default: float) -> Any:
    def check(name: str, value: Any) -> None:
        if finite_number(name, value) >= 1:
            raise ValueError(f"{name} must be below 1, got {value!r}")

    return _setting(default, check)


def _share(default: float) -> Any:
    return _setting(default, _check_share)


def _positive_share(default: float) -> Any:
    def check(name: str, value: Any) -> None:
        _check_share(name, value)
        _check_positive(name, value)

    return _setting(default, check)


def _specs(default: tuple[str, ...]) -> Any:
    return _setting(default, _check_specs)


def _check_positive(name: str, value: Any) -> None:
    if finite_number(name, value) == 0:
        raise ValueError(f"{name} must be above 0, got {value!r}")


def _check_share(name: str, value: Any) -> None:
    if finite_number(name, value) > 1:
        raise ValueError(f"{name} must be from 0 to 1, got {value!r}")


def _check_specs(name: str, specs: Any) -> None:
    if not isinstance(specs, tuple) or not all(isinstance(spec, str) for spec in specs):
        raise ValueError(f"{name} must be a list of agent specs, got {specs!r}")


def _check_spec(name: str, spec: Any) -> None:
    if not isinstance(spec, str):
        raise ValueError(f"{name} must be an agent spec, got {spec!r}")


def _check_truth(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {value!r}")


@dataclass(frozen=True)
class _Checked:
    """Settings that are checked when they are made."""

    def __post_init__(self) -> None:
        """Check all values.

        Raises:
            ValueError: a value has the wrong type or is out of range.
        """
        for one in fields(self):
            if _CHECK in one.metadata:
                one.metadata[_CHECK](one.name, getattr(self, one.name))


@dataclass(frozen=True)
class CloningSettings(_Checked):
    """Settings of the imitation of another agent, see `agents.training.imitation`."""

    agent: str = _setting("greedy", _check_spec)
    """Spec of the agent to imitate, which plays all seats."""
    steps: int = _whole(500_000, 1)
    """Number of positions to learn from."""
    random_share: float = _below_1(0.2)
    """Share of random plies, which lead games to positions that the agent would avoid. The policy
    learns the agent's actions there."""
    learner_share: float = _share(0.0)
    """Share of the other plies that the policy plays, after the first round of games. The policy
    then learns the agent's actions after its own mistakes. S. Ross, G. Gordon, D. Bagnell, "A
    reduction of imitation learning and structured prediction to no-regret online learning", AISTATS
    2011."""
    position_share: float = _positive_share(1.0)
    """Share of the positions that are learned. A value learns more from few positions of many games
    than from many positions of few games, because all positions of a game have one result."""
    opening_plies: int = _whole(0, 0)
    """Maximum number of random plies at the start of a game; their positions are not learned."""
    opponent_share: float = _share(0.0)
    """Share of the games in which a fixed opponent plays all seats but one. Only the positions of
    that seat are learned."""
    opponents: tuple[str, ...] = _specs(())
    """Specs of the fixed opponents, each for the same number of games."""
    fixed_ties: bool = _setting(False, _check_truth)
    """Whether the agent always breaks ties in the same way, so that each position has one action to
    learn."""
    value_share: float = _share(0.0)
    """Share of the agent's value in the value's target; the rest is the game's result. A proven
    value is the whole target."""
    buffer: int = _whole(0, 0)
    """Number of latest positions to learn from; 0 for those of the last round of games."""
    epochs: int = _whole(2, 1)
    """Mean number of times that a position is learned."""
    batch_size: int = _whole(256, 1)
    """Positions per gradient step."""
    learning_rate: float = _below_1(1e-3)
    """Initial learning rate, which falls linearly to a tenth; that of Muon is ten times as high."""
    muon: bool = _setting(False, truth_value)
    """Whether Muon learns the matrices of hidden layers (see agents/networks/muon.py)."""

    def __post_init__(self) -> None:
        """Check all values, and that there are opponents if `opponent_share` needs them."""
        super().__post_init__()
        if self.opponent_share and not self.opponents:
            raise ValueError(
                f"opponents must name an agent if opponent_share is above 0, got no opponents and "
                f"opponent_share = {self.opponent_share!r}"
            )


@dataclass(frozen=True)
class GuidedSettings(_Checked):
    """Settings of search-guided self-play, see `agents.training.self_play.learner`."""

    steps: int = _whole(2_000_000, 1)
    """Total number of positions to search."""
    games: int = _whole(128, 1)
    """Number of parallel games."""
    actors: int = _whole(4, 1)
    """Number of actors that share the games, each in its own thread; at most one for each game. On
    a cluster each core has an actor with as many games as the first of these actors."""
    int8: bool = _setting(False, truth_value)
    """Whether an int8 version of the network guides the searches: twice as fast, and close to the
    float32 network that learns. Requires a convolutional network."""
    plies: int = _whole(8, 1)
    """Plies of each game between two updates of the network."""
    simulations: int = _whole(32, 1)
    """Simulations of a full search, whose position is a sample for training."""
    cheap_simulations: int = _whole(8, 1)
    """Simulations of a cheap search, which only continues the game."""
    full_share: float = _positive_share(1.0)
    """Share of full searches."""
    exploration: float = _number(1.5)
    """Factor of the policy in the confidence bound, below the root."""
    considered: int = _whole(16, 1)
    """Maximum number of root actions in sequential halving."""
    value_scale: float = _number(0.25)
    """Weight of results against the network's policy in the improved policy."""
    opening_plies: int = _whole(0, 0)
    """Maximum number of random plies at the start of a game."""
    temperature_plies: int = _whole(10, 0)
    """Number of first plies in which cheap searches sample their action; full searches always
    sample it."""
    opponent_share: float = _share(0.1)
    """Share of the games in which a fixed opponent plays all seats but one."""
    opponents: tuple[str, ...] = _specs(())
    """Specs of the fixed opponents, each for the same number of games; default
    `evaluate_against`."""
    search_value_share: float = _share(0.0)
    """Share of the search's value in the value's target; the rest is the game's result."""
    buffer: int = _whole(100_000, 1)
    """Size of the replay buffer in positions."""
    warm_up: int = 5_000
    """Positions in the buffer before the first gradient step."""
    reuse: float = _positive(12.0)
    """Mean number of times that a position is learned."""
    batch_size: int = _whole(256, 1)
    """Positions per gradient step."""
    learning_rate: float = _positive(2e-3)
    """Initial learning rate; that of Muon is ten times as high."""
    final_learning_rate: float = _number(2e-4)
    """Final learning rate; the rate falls linearly."""
    muon: bool = _setting(False, truth_value)
    """Whether Muon learns the matrices of hidden layers (see agents/networks/muon.py)."""
    weight_decay: float = _number(1e-4)
    """Weight decay of Muon and AdamW."""
    value_weight: float = _number(1.0)
    """Weight of the value's squared error; the policy's cross-entropy has weight 1."""

    def __post_init__(self) -> None:
        """Check all values, and that `warm_up` is at most `buffer`."""
        super().__post_init__()
        whole_number("warm_up", self.warm_up, 0, self.buffer)


def _table_of(kind: type) -> Callable[[str, Any], None]:
    """Return the check of a table of settings, which is `None` or of a class."""

    def check(name: str, value: Any) -> None:
        if value is not None and not isinstance(value, kind):
            raise ValueError(f"{name} must be a table, got {value!r}")

    return check


_check_cloning, _check_guided = _table_of(CloningSettings), _table_of(GuidedSettings)


def _check_values(name: str, values: Any) -> None:
    _check_cloning(name, values)
    if values and values.agent != LATEST:
        raise ValueError(f"{name}.agent must be {LATEST!r}, got {values.agent!r}")


def _check_sizes(name: str, shares: Any) -> None:
    if not isinstance(shares, Mapping):
        raise ValueError(f"{name} must be a table of sizes, got {shares!r}")


def _check_opponents(name: str, opponents: Any) -> None:
    if not isinstance(opponents, Mapping):
        raise ValueError(f"{name} must be a table of shares, got {opponents!r}")
    shares = [finite_number(f"{name}[{k!r}]", v) for k, v in opponents.items()]
    if not shares or not all(shares):
        raise ValueError(f"{name} must have shares above 0, got {dict(opponents)}")


def _check_network(name: str, network: Any) -> None:
    if network not in ("plain", "convolutional"):
        raise ValueError(f"{name} must be plain or convolutional, got {network!r}")


def _check_precision(_name: str, precision: Any) -> None:
    check_precision(precision)


def _check_widths(name: str, widths: Any) -> None:
    if not isinstance(widths, tuple) or not widths:
        raise ValueError(f"{name} must be a list of widths, got {widths!r}")
    for width in widths:
        whole_number(f"each width in {name}", width, 1)


def _check_rivals(name: str, specs: Any) -> None:
    _check_specs(name, specs)
    if not specs:
        raise ValueError(f"{name} must name at least one agent, got none")


@dataclass(frozen=True)
class _PartSettings(_Checked):
    """The parts of a run and their lengths."""

    clone: CloningSettings | None = field(default=None, metadata={_CHECK: _check_cloning})
    """Settings of the imitation of another agent, the first part; `None` for no imitation."""
    ppo_steps: int = _whole(2_000_000, 0)
    """Number of the learner's decisions in MaskablePPO, the second part."""
    guided: GuidedSettings | None = field(default=None, metadata={_CHECK: _check_guided})
    """Settings of search-guided self-play, the third part; `None` for no such self-play."""
    values: CloningSettings | None = field(default=None, metadata={_CHECK: _check_values})
    """Settings of the last part, in which the best policy plays all seats and its values learn the
    results. Its `agent` must be `latest`. `None` for no such part."""
    shares: Mapping[str, float] = field(default_factory=dict, metadata={_CHECK: _check_sizes})
    """Share of each board size in training on several sizes (see `agents.networks.sizes`); default
    1."""


@dataclass(frozen=True)
class _PPOGameSettings(_Checked):
    """The games of MaskablePPO."""

    num_envs: int = _whole(256, 1)
    """Number of parallel games."""
    opponents: Mapping[str, float] = field(
        default_factory=lambda: {"random": 1, "greedy": 1, LATEST: 1, EARLIER: 1},
        metadata={_CHECK: _check_opponents},
    )
    """Opponents in the other seats, with their shares of the games: agent specs, the learner itself
    (`latest`), or one of its earlier selves (`earlier`). The strongest earlier selves play most
    often."""


@dataclass(frozen=True)
class NetworkSettings(_Checked):
    """The network."""

    network: str = _setting("plain", _check_network)
    """Kind of the layers, `plain` or `convolutional`; see agents/networks/policy_networks.py."""
    hidden: tuple[int, ...] = _setting((256, 256), _check_widths)
    """Widths of the hidden layers of policy and value. A convolutional network uses only the last
    one, for the value."""
    channels: int = _whole(32, 1)
    """Features of a cell in a convolutional network."""
    blocks: int = _whole(2, 0)
    """Residual blocks of a convolutional network."""
    lines: int = _whole(0, 0)
    """Features of a line in a convolutional network whose first layer reads lines (see
    agents/networks/line_stem.py); 0 for no such layer."""


@dataclass(frozen=True)
class _PPOSettings(_Checked):
    """The rollouts and gradient steps of MaskablePPO, and its earlier selves."""

    rollout: int = _whole(32, 1)
    """Decisions per game between two updates."""
    batch_size: int = _whole(1024, 2)
    """Decisions per gradient step."""
    precision: str = _setting(AUTO, _check_precision)
    """Precision of a convolutional trunk's products in MaskablePPO: `float32`, `bfloat16`, or
    `auto`, which is `bfloat16` if the processor has instructions for it. The weights and the
    exported agent are in float32."""
    epochs: int = _whole(4, 1)
    """Passes over a rollout."""
    learning_rate: float = _positive(1e-3)
    """Initial learning rate, which falls linearly to a tenth."""
    gamma: float = _number(0.99, 0, 1)
    """Discount per decision."""
    gae_lambda: float = _number(0.95, 0, 1)
    """Lambda of generalised advantage estimation."""
    entropy: float = _number(0.01)
    """Weight of the entropy bonus, which encourages exploration."""
    selves: int = _whole(20, 1)
    """Maximum number of earlier selves."""
    remember_every: int = _whole(100_000, 1)
    """Decisions between two earlier selves."""


@dataclass(frozen=True)
class _EvaluationSettings(_Checked):
    """The evaluations of a run, and its end."""

    evaluate_against: tuple[str, ...] = _setting(("random", "greedy"), _check_rivals)
    """Fixed opponents, each in all other seats. The mean score against them selects the best
    checkpoint."""
    evaluate_every: int = _whole(100_000, 1)
    """Steps between two evaluations; each evaluation saves a checkpoint."""
    evaluation_games: int = _whole(200, 1)
    """Games of each match of an evaluation."""
    patience: int = _whole(10, 1)
    """Evaluations without a new best score after which the run ends early."""
    final_games: int = _whole(1000, 1)
    """Games against each fixed opponent for the card."""


# The order of the base classes is that of the settings in cards and settings files, from the end.
@dataclass(frozen=True)
class Settings(_EvaluationSettings, _PPOSettings, NetworkSettings, _PPOGameSettings, _PartSettings):
    """Settings of a training run. The same settings and seed repeat a run on the same machine.

    Example:
        >>> import boardenvs
        >>> from agents.training import settings_for
        >>> settings_for(boardenvs.make("gomoku", board_size=9)).network
        'convolutional'
    """

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
