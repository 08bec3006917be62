"""A policy network in an ONNX file, run by ONNX Runtime."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.networks.card import int8_version, read_card, shipped
from agents.networks.onnx_check import check_network
from agents.networks.seat_values import by_seat
from agents.networks.sizes import free_axes
from boardenvs.core.checks import counted, whole_number
from boardenvs.game import Game, States

__all__ = ["BoundNetwork", "OnnxPolicy"]

_ALL = 0
"""Number of threads for which ONNX Runtime uses all cores."""
_FEW = 4
"""Number of positions below which a second thread takes longer to wake than it saves."""
_MOST_BOUND = 2**20
"""Maximum capacity of a bound network."""

_SESSIONS: weakref.WeakValueDictionary[tuple[Any, ...], Any] = weakref.WeakValueDictionary()
"""Inference sessions in use, by checksum of the file, number of threads and sizes of free axes.
Agents share them, since a session takes memory, and loading it takes more."""


class OnnxPolicy:
    """A policy network in an ONNX file, which is an `agents.search.puct.Evaluator`.

    The network takes `observation`, float32 of shape (N, *observation_shape), and returns `logits`
    of shape (N, num_actions) and `value`, see `num_values`. It always receives observations as in
    its training, so it also plays games that differ only in `Game.observation_params`. A network
    may support several board sizes (`agents.networks.sizes`); an `OnnxPolicy` plays one size.

    Untrusted files are supported: a file with wrong content, or a network that fails, raises a
    `ValueError` of one line. Weights in other files, loops, and operators other than ONNX's own are
    not allowed (see `agents.networks.onnx_check`). Networks that exhaust time or memory are not
    detected. An integer division that overflows ends the process.

    Example:
        >>> import boardenvs
        >>> from agents.networks.onnx_policy import OnnxPolicy
        >>> game = boardenvs.make("game112")
        >>> logits, values = OnnxPolicy(game).evaluate(game.new(3, seed=0))
        >>> logits.shape, values.shape
        ((3, 18), (3,))
    """

    concurrent = True
    """Whether several threads may call `evaluate` at once."""

    def __init__(self, game: Game, path: str | Path | None = None, *, int8: bool = False) -> None:
        """Load a network.

        Args:
            game: the game to play.
            path: an ONNX file with its card in the same folder; by default the shipped network.
            int8: whether to run the network's int8 version, if its card names one. The choice
                does not depend on the processor, so an agent plays the same on all machines.

        Raises:
            ValueError: the file does not exist, is damaged, or is not a network for this game.
        """
        network = shipped(game) if path is None else Path(path)
        self.game = game
        self.card = read_card(network, game)
        version = int8_version(network, self.card) if int8 else None
        self.path, self._entry = version or (network, self.card)
        """The file that is run, and the entry of the card with its checksum."""
        taken = {key: self.card["params"][key] for key in game.observation_params}
        self.observed_game = type(game)(**{**game.params, **taken})
        """The game with the observations that the network takes."""
        self._sessions = {1: self._load(1)}
        self.num_values = self._num_values()
        """Number of values of a position: 1, of shape (N,) or (N, 1), for the seat to move; or
        `num_players`, of shape (N, num_players), in the order of play from the seat to move (see
        `agents.networks.seat_values`)."""

    # An inference session cannot be copied or pickled, so a copy loads its own.
    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_sessions"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._sessions = {1: self._load(1)}

    def session(self, threads: int | None = None) -> Any:
        """Return ONNX Runtime's session for a number of threads; `None` for all cores."""
        threads = _ALL if threads is None else whole_number("threads", threads, 1, 1024)
        if threads not in self._sessions:
            self._sessions[threads] = self._load(threads)
        return self._sessions[threads]

    def session_for(self, num: int, threads: int | None) -> Any:
        """Return the session for `num` positions; it has one thread for few positions."""
        return self.session(1 if num < _FEW else threads)

    def evaluate(
        self, states: States, threads: int | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return logits of shape (N, num_actions), unmasked, and values.

        The values are those of the seats to move, shape (N,). If `num_values` is above 1, they are
        those of every seat, shape (N, num_players).

        Several threads may call this method at once. The result does not depend on threads.

        Args:
            states: records of the game that are not over, shape (N,).
            threads: number of threads of this call; `None` for `OMP_NUM_THREADS` or all cores.

        Raises:
            ValueError: the network fails, or returns arrays of other shapes.
        """
        observations = self.observed_game.observe_to_move(states).astype(np.float32)
        logits, values = self.evaluate_observations(observations, threads)
        return logits, values if values.ndim == 1 else by_seat(self.game, states, values)

    def evaluate_observations(
        self, observations: npt.NDArray[np.float32], threads: int | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Evaluate observations of shape (N, *observation_shape); see `evaluate`.

        Values of several seats are in the order of play, the seat to move first.
        """
        session = self.session_for(len(observations), threads)
        try:
            logits, value = session.run(["logits", "value"], {"observation": observations})
        except Exception as error:  # noqa: BLE001 ONNX Runtime's errors share no base class
            raise ValueError(f"{self.path} failed: {_reason(error)}") from None
        num = len(observations)
        expected = num, self.game.num_actions
        if logits.shape != expected or value.size != num * self.num_values:
            raise ValueError(
                f"{self.path} must return logits of shape {expected} and "
                f"{counted(self.num_values, 'value')} for each position, got {logits.shape} "
                f"and {value.shape}"
            )
        return logits, value.reshape(num) if self.num_values == 1 else value

    def bind_to_arrays(self, capacity: int) -> BoundNetwork:
        """Bind the network to new arrays, which makes repeated calls cheaper.

        Args:
            capacity: maximum number of positions of a call, from 1 to 2**20.

        Raises:
            ValueError: the capacity is out of range.
        """
        return BoundNetwork(self, capacity)

    def _load(self, threads: int) -> Any:
        """Return an inference session, whose inputs and outputs are checked."""
        import onnxruntime

        path, game = self.path, self.observed_game
        data = path.read_bytes()
        entry = self._entry
        if "sha256" in entry and hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise ValueError(
                f"{path} is damaged or belongs to another card: its checksum differs from the "
                f"card's sha256"
            )
        try:
            check_network(data)
        except ValueError as error:
            raise ValueError(f"{path} {error}") from None

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # problems are raised, not logged
        # The check does not cover the other format that ONNX Runtime supports.
        options.add_session_config_entry("session.load_model_format", "ONNX")
        # Spinning threads would occupy the cores of the search.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        if threads == _ALL:
            wanted = os.environ.get("OMP_NUM_THREADS", "")  # ONNX Runtime does not read it
            threads = int(wanted) if wanted.isdecimal() else _ALL
        options.intra_op_num_threads = threads
        axes = free_axes(game)
        for axis, size in axes.items():
            # ONNX Runtime ignores names that a network for one size does not have.
            options.add_free_dimension_override_by_name(axis, size)
        key = hashlib.sha256(data).digest(), threads, *axes.items()
        session = _SESSIONS.get(key)
        if session is None:
            try:
                session = onnxruntime.InferenceSession(
                    data, options, providers=["CPUExecutionProvider"]
                )
            except Exception as error:  # noqa: BLE001 ONNX Runtime's errors share no base class
                raise ValueError(
                    f"{path} is damaged or not an ONNX network: {_reason(error)}"
                ) from None
            _return_free_memory()
            _SESSIONS[key] = session
        inputs = {i.name: _kind(i) for i in session.get_inputs()}
        outputs = {o.name: _kind(o) for o in session.get_outputs()}
        expected = {"observation": f"tensor(float) {['n', *game.observation_shape]}"}
        logits = f"tensor(float) {['n', game.num_actions]}"
        shapes = ["n"], ["n", 1], ["n", game.num_players]
        values = [f"tensor(float) {shape}" for shape in shapes]
        if (
            inputs != expected
            or outputs.get("logits") != logits
            or outputs.get("value") not in values
        ):
            raise ValueError(
                f"{path} must have inputs {expected} and outputs logits {logits} and value "
                f"{' or '.join(values)}, got inputs {inputs} and outputs {outputs}"
            )
        return session

    def _num_values(self) -> int:
        shapes = {output.name: output.shape for output in self._sessions[1].get_outputs()}
        return int((*shapes["value"], 1)[1])


class BoundNetwork:
    """A network bound to fixed input and output arrays.

    A call allocates no arrays, which would take most of the time of a small network. Only one
    thread may use the arrays at a time. Several threads may have one `BoundNetwork` each of the
    same network.

    Example:
        >>> import boardenvs
        >>> from agents.networks.onnx_policy import OnnxPolicy
        >>> game = boardenvs.make("game112")
        >>> bound = OnnxPolicy(game).bind_to_arrays(8)
        >>> seen = bound.observed_game.observe_to_move(game.new(3, seed=0))
        >>> bound.seen[:3] = seen.reshape(3, -1)
        >>> bound.evaluate(3)
        >>> bound.logits[:3].shape, bound.values[:3].shape
        ((3, 18), (3, 1))
    """

    def __init__(self, network: OnnxPolicy, capacity: int) -> None:
        """Create the arrays; see `OnnxPolicy.bind_to_arrays`."""
        capacity = whole_number("capacity", capacity, 1, _MOST_BOUND)
        self._network = network
        self.observed_game = network.observed_game
        """The game with the observations that the network takes."""
        self.seen = np.zeros((capacity, self.observed_game.observation_size), np.float32)
        """Input: observations, shape (capacity, observation_size)."""
        self.logits = np.zeros((capacity, network.game.num_actions), np.float32)
        """Output: logits of the actions, unmasked, shape (capacity, num_actions)."""
        self.values = np.zeros((capacity, network.num_values), np.float32)
        """Output: expected results, shape (capacity, num_values); see `OnnxPolicy.num_values`."""
        self._calls: dict[tuple[int, int | None], Callable[[], object]] = {}

    def evaluate(self, num: int, threads: int | None = None) -> None:
        """Evaluate the first `num` observations, as `OnnxPolicy.evaluate_observations`.

        Args:
            num: number of observations, from 1 to the capacity.
            threads: number of threads; `None` for all cores.

        Raises:
            ValueError: the network fails, or returns arrays of other shapes.
        """
        call = self._calls.get((num, threads))
        if call is None:
            call = self._calls[num, threads] = self._bound(num, threads)
        try:
            call()
        except Exception as error:  # noqa: BLE001 ONNX Runtime's errors share no base class
            # This error does not name the shapes of the outputs. A call with new arrays does.
            seen = self.seen[:num].reshape(num, *self.observed_game.observation_shape)
            self._network.evaluate_observations(seen, threads)
            raise ValueError(f"{self._network.path} failed: {_reason(error)}") from None

    def _bound(self, num: int, threads: int | None) -> Callable[[], object]:
        """Return the call that evaluates `num` observations."""
        whole_number("num", num, 1, len(self.seen))
        session = self._network.session_for(num, threads)
        binding = session.io_binding()
        shape = num, *self.observed_game.observation_shape
        binding.bind_input("observation", "cpu", 0, np.float32, shape, self.seen.ctypes.data)
        ranks = {output.name: len(output.shape) for output in session.get_outputs()}
        for name, array in (("logits", self.logits), ("value", self.values)):
            shape = (num, *array.shape[1:])[: ranks[name]]
            binding.bind_output(name, "cpu", 0, np.float32, shape, array.ctypes.data)
        return functools.partial(session.run_with_iobinding, binding)


def _reason(error: Exception) -> str:
    """Return the message of ONNX Runtime in one line of at most 200 characters."""
    return " ".join(str(error).split())[:200]


def _kind(value: Any) -> str:
    """Return element type and shape of an input or output; `n` stands for any length."""
    return f"{value.type} {[d if isinstance(d, int) else 'n' for d in value.shape]}"


def _return_free_memory() -> None:
    """Return memory that is free to the system.

    ONNX Runtime needs 30 MB and more while it simplifies a network, and glibc keeps that memory.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
            ctypes.CDLL(None).malloc_trim(0)
