"""Agents that training left behind: an ONNX network and the JSON card that describes it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games import files
from agents.networks.bound_network import BoundNetwork
from agents.networks.onnx_check import check_network
from agents.networks.sizes import free_axes, sizes_of_card
from boardenvs.core.checks import finite_number, printable, whole_number
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = [
    "INT8",
    "TrainedAgent",
    "card_path",
    "masked_choice",
    "masked_policy",
    "read_card",
    "scores_on",
    "shipped",
]

INT8 = ".int8.onnx"
"""How the name of a network's version in 8-bit integers ends (see `agents.search.network`)."""


_ALL = 0
"""Threads: as many as ONNX Runtime finds cores."""
_FEW = 4
"""Positions, up to which a second thread takes longer to wake than it saves."""


class TrainedAgent(Agent):
    """Plays by a policy network, run by ONNX Runtime; legal actions only.

    The network takes `observation`, float32 of shape (N, *observation_shape), and gives
    `logits` of shape (N, num_actions) and `value` of shape (N,). Observations are those that
    the network was trained on: a game whose observations show more or less, but which is the
    same otherwise (`Game.observation_params`), is played just as well. A network may play boards
    of several sizes (`agents.networks.sizes`); an agent plays one.

    A file may come from anywhere: what is in it, and where it fails, is a `ValueError` of one
    line. Refused are weights in other files, loops, and operators that are not ONNX's own (see
    `agents.networks.onnx_check`). Not guarded against are networks so large that they take all
    time or memory there is, and an integer division that overflows, which ends the process.
    """

    concurrent = True
    """As `agents.search.puct.ConcurrentEvaluator` says."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A class that judges in a way of its own is asked by `evaluate` alone."""
        super().__init_subclass__(**kwargs)
        if "evaluate" in vars(cls) and "bind_to_arrays" not in vars(cls):
            cls.bind_to_arrays = None  # type: ignore[assignment, method-assign]

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        path: str | Path | None = None,
        temperature: float = 0.0,
        spec: str = "trained",
    ) -> None:
        """Load a network.

        Args:
            game: what is played.
            seed: of the choices at a temperature above 0.
            path: an ONNX file with its card beside it; by default the shipped one.
            temperature: 0 takes the most probable action; 1 draws from the policy.
            spec: the name it goes by.

        Raises:
            ValueError: there is no such network, the file is damaged or no network for
                this game, or the temperature is negative.
        """
        super().__init__(game, seed, spec)
        self.temperature = finite_number("temperature", temperature)
        self.deterministic = temperature == 0
        network = shipped(game) if path is None else Path(path)
        self.card = read_card(network)
        _check_card(self.card, game, network)
        self.path, self._told = self._file(network)
        taken = {key: self.card["params"][key] for key in game.observation_params}
        self.observed_game = type(game)(**{**game.params, **taken})
        """The game with the observations that the network takes."""
        self._sessions = {1: self._load(1)}

    def _file(self, network: Path) -> tuple[Path, Mapping[str, Any]]:
        """The file that is run, and what tells its `sha256`."""
        return network, self.card

    # An inference session cannot be copied: a copy, here or elsewhere, loads its own.
    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_sessions"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._sessions = {1: self._load(1)}

    def _load(self, threads: int) -> Any:
        """An inference session; see `_load`."""
        return _load(self.path, self._told, self.observed_game, threads)

    def session(self, threads: int | None = None) -> Any:
        """ONNX Runtime's inference session on so many threads; `None` for all cores."""
        threads = _ALL if threads is None else whole_number("threads", threads, 1, 1024)
        if threads not in self._sessions:
            self._sessions[threads] = self._load(threads)
        return self._sessions[threads]

    def evaluate(
        self, states: States, threads: int | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits of shape (N, num_actions), unmasked, and values of shape (N,).

        Several threads may ask at once. No result depends on how many do, nor on `threads`.

        Args:
            states: shape (N,), none of them over.
            threads: that share one call's work; `None` for all cores, or `OMP_NUM_THREADS`.

        Raises:
            ValueError: the network fails, or gives anything else.
        """
        return self._judge(self.observed_game.observe_to_move(states).astype(np.float32), threads)

    def _judge(
        self, seen: npt.NDArray[np.float32], threads: int | None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """As `evaluate`, told what the seats to move see, shape (N, *observation_shape)."""
        session = self._session_for(len(seen), threads)
        try:
            logits, value = session.run(["logits", "value"], {"observation": seen})
        except Exception as error:  # noqa: BLE001 ONNX Runtime's errors share no base class
            raise self._failed(error) from None
        expected = len(seen), self.game.num_actions
        if logits.shape != expected or value.size != len(seen):
            raise ValueError(
                f"{self.path} gave logits of shape {logits.shape} and value of shape "
                f"{value.shape}; expected {expected} and {expected[:1]}"
            )
        return logits, value.reshape(-1)

    def bind_to_arrays(self, capacity: int) -> BoundNetwork:
        """The network between arrays for so many positions, for one that judges often.

        Args:
            capacity: positions, from 1 to a million or so.

        Raises:
            ValueError: the capacity is out of range.
        """
        return BoundNetwork(
            self.game, self.observed_game, capacity, self._session_for, self._failed_bound
        )

    def _session_for(self, num: int, threads: int | None) -> Any:
        """The session for so many positions, on those of the threads that pay."""
        return self.session(1 if num < _FEW else threads)

    def _failed(self, error: Exception) -> ValueError:
        """What to raise where ONNX Runtime raises this."""
        return ValueError(f"{self.path} fails: {_reason(error)}")

    def _failed_bound(
        self, seen: npt.NDArray[np.float32], threads: int | None, error: Exception
    ) -> ValueError:
        """As `_failed`, of a network bound to arrays, whose error does not say what it gives."""
        try:
            self._judge(seen, threads)
        except ValueError as clearer:
            return clearer
        return self._failed(error)

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        if not len(states):
            return np.zeros(0, np.int64)
        logits, _ = self.evaluate(states)
        return masked_choice(logits, self.game.legal(states), self.temperature, random_bits)

    def policies(self, states: States) -> npt.NDArray[np.float64]:
        """As `Agent.policies`: those at its temperature."""
        if self.temperature == 0:
            return super().policies(states)
        states = self.live(states)
        logits, _ = self.evaluate(states)
        return masked_policy(logits / self.temperature, self.game.legal(states))

    def consider(self, states: States, random_bits: RandomBits) -> tuple[Actions, list[Analysis]]:
        """As `Agent.consider`; the probabilities are those at temperature 1."""
        if not len(states):
            return np.zeros(0, np.int64), []
        logits, estimates = self.evaluate(states)
        masks = self.game.legal(states)
        # The network judges for the seat to move; with two seats that tells of the other one.
        values = np.full((len(states), self.game.num_players), np.nan)
        if self.game.num_players == 2:
            values[:] = -estimates[:, None]
        values[np.arange(len(states)), states["to_move"]] = estimates
        policies = masked_policy(logits, masks)
        analyses = [Analysis.of_policy(*one) for one in zip(policies, values, strict=True)]
        return masked_choice(logits, masks, self.temperature, random_bits), analyses


def masked_choice(
    logits: npt.NDArray[np.floating[Any]],
    masks: npt.NDArray[np.bool_],
    temperature: float,
    random_bits: RandomBits,
) -> Actions:
    """The best legal action, or one drawn from the softmax of the legal ones.

    Args:
        logits: shape (N, A).
        masks: bool of shape (N, A), at least one True a row.
        temperature: 0 for the best; else the logits' divisor.
        random_bits: 64 a row.

    Returns:
        int64 of shape (N,).
    """
    scores = _masked_scores(logits, masks)
    if temperature == 0:
        return scores.argmax(1)
    scores = (scores - scores.max(1, keepdims=True)) / temperature
    cumulative = np.exp(scores).cumsum(1)
    # 53 bits make a double in [0, 1); the first sum above it has a legal action's share.
    threshold = (random_bits >> np.uint64(11)).astype(np.float64) * 2.0**-53 * cumulative[:, -1]
    return (cumulative > threshold[:, None]).argmax(1)


def masked_policy(
    logits: npt.NDArray[np.floating[Any]], masks: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """The softmax of the legal actions, 0 elsewhere.

    Args:
        logits: shape (N, A).
        masks: bool of shape (N, A), at least one True a row.
    """
    scores = _masked_scores(logits, masks)
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def _masked_scores(
    logits: npt.NDArray[np.floating[Any]], masks: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Finite logits of the legal actions, minus infinity elsewhere."""
    # Diverged training may leave NaN or infinite logits; they do not undo the masks.
    finite = np.nan_to_num(logits.astype(np.float64), nan=-1e38, posinf=1e38, neginf=-1e38)
    return np.where(masks, finite, -np.inf)


def card_path(network: Path) -> Path:
    """Where the card of a network lies."""
    return network.with_suffix(".json")


def shipped(game: Game) -> Path:
    """The network in a game's folders that plays it with its parameters.

    In a folder one for this size alone goes before one for several sizes.

    Raises:
        ValueError: there is none, or one there has no card.
    """
    for_several: Path | None = None
    for path in files(game, "*.onnx"):
        if for_several is not None and path.parent != for_several.parent:
            break
        if path.name.endswith(INT8):
            continue  # the card of the one in float32 tells of it
        card = read_card(path)
        if not _plays(card, game):
            continue
        if sizes_of_card(card) is None:
            return path
        for_several = for_several or path
    if for_several is not None:
        return for_several
    raise ValueError(
        f"no trained agent is shipped for {game!r}; 'boardenvs train {game.name}' makes one, "
        f"'trained:PATH' plays it"
    )


def read_card(network: Path) -> dict[str, Any]:
    """The card beside a network.

    Raises:
        ValueError: network or card is missing, or the card is none.
    """
    if network.suffix != ".onnx":
        raise ValueError(f"{network} is no trained agent: expected an .onnx file")
    if not network.is_file():
        reason = "it is no file" if network.exists() else "there is no such file"
        raise ValueError(f"{network} is no trained agent: {reason}")
    path = card_path(network)
    if not path.is_file():
        raise ValueError(f"{network} has no card beside it: expected {path.name}")
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise ValueError(f"{path} is no agent's card: {error}") from None
    if not isinstance(card, dict) or not {"game", "params"} <= card.keys():
        raise ValueError(f"{path} is no agent's card: expected an object with game and params")
    scores = card.get("scores", [])
    if not isinstance(scores, list) or not all(
        isinstance(one, dict)
        and isinstance(one.get("score"), int | float)
        and isinstance(one.get("against"), str)
        and isinstance(one.get("params", {}), dict)
        for one in scores
    ):
        raise ValueError(
            f"{path} is damaged: its scores must be a list of objects with score and against"
        )
    return card


def scores_on(card: dict[str, Any], game: Game) -> list[dict[str, Any]]:
    """The scores of a card, of a network for several sizes those on the game's."""
    return [
        entry
        for entry in card.get("scores", [])
        if entry.get("params", {}).items() <= game.params.items()
    ]


def _plays(card: dict[str, Any], game: Game) -> bool:
    """Whether a card's network plays a game: one of the card's name, or that derives from it.

    Parameters must be the same, but for the game's length and what is shown of it; the size must
    be one of those that the card lists.
    """
    params = card["params"]
    if not isinstance(params, dict) or params.keys() != game.params.keys():
        return False
    aside = {"max_plies", *game.observation_params}
    several = sizes_of_card(card)
    if several is not None:
        size, _ = several
        if game.params[size] not in params[size]:
            return False
        aside.add(size)
    if any(params[key] != value for key, value in game.params.items() if key not in aside):
        return False
    return bool(card["game"] == game.name) or _derives(game, card["game"])


def _derives(game: Game, name: Any) -> bool:
    """Whether a game is, for its rules, the same as one of another name that it derives from."""
    for base in type(game).__mro__[1:]:
        if issubclass(base, Game) and vars(base).get("name") == name:
            try:
                original = base(**game.params)
            except (TypeError, ValueError):
                return False
            return original.rules is game.rules and all(
                theirs.dtype == ours.dtype and theirs.tobytes() == ours.tobytes()
                for theirs, ours in (
                    (original.constants, game.constants),
                    (original.start, game.start),
                )
            )
    return False


def _check_card(card: dict[str, Any], game: Game, path: Path) -> None:
    if not _plays(card, game):
        plays = printable(f"{card['game']} with {card['params']}")
        raise ValueError(f"{path} plays {plays}, not {game.name} with {game.params}")


def _load(path: Path, entry: Mapping[str, Any], game: Game, threads: int) -> Any:
    """An inference session on so many threads whose inputs and outputs fit the game.

    `entry` has the file's checksum.
    """
    import onnxruntime

    data = path.read_bytes()
    if "sha256" in entry and hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise ValueError(f"{path} is damaged or another network: it is not the one of its card")
    try:
        check_network(data)
    except ValueError as error:
        raise ValueError(f"{path} {error}") from None

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # problems are raised, not logged
    # Not the other format that ONNX Runtime knows, which was not checked.
    options.add_session_config_entry("session.load_model_format", "ONNX")
    # While its threads wait for more to judge they would keep the cores on which ours search.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    if threads == _ALL:
        wanted = os.environ.get("OMP_NUM_THREADS", "")  # ONNX Runtime itself does not read it
        threads = int(wanted) if wanted.isdecimal() else _ALL
    options.intra_op_num_threads = threads
    for axis, size in free_axes(game).items():
        # A network for one size has no such axes.
        options.add_free_dimension_override_by_name(axis, size)
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 ONNX Runtime's errors share no base class
        raise ValueError(f"{path} is damaged or no ONNX network: {_reason(error)}") from None
    inputs = {i.name: _kind(i) for i in session.get_inputs()}
    outputs = {o.name: _kind(o) for o in session.get_outputs()}
    expected = {"observation": f"tensor(float) {['n', *game.observation_shape]}"}
    logits = f"tensor(float) {['n', game.num_actions]}"
    value = outputs.get("value", "")
    if inputs != expected or outputs.get("logits") != logits or value[:13] != "tensor(float)":
        raise ValueError(
            f"{path} takes {inputs} and gives {outputs}; expected {expected}, and "
            f"logits {logits} and value tensor(float)"
        )
    return session


def _reason(error: Exception) -> str:
    """What ONNX Runtime says, in one line that is not too long."""
    return " ".join(str(error).split())[:200]


def _kind(value: Any) -> str:
    """Element type and shape of an input or output; `n` where any length will do."""
    return f"{value.type} {[d if isinstance(d, int) else 'n' for d in value.shape]}"
