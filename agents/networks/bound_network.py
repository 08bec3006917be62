"""An ONNX session bound to fixed input and output arrays, so that a call allocates nothing.

Making new arrays takes longer than anything else in the call of a small network.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import whole_number
from boardenvs.game import Game

__all__ = ["BoundNetwork"]


_Observations = npt.NDArray[np.float32]
"""Shape (N, *observation_shape)."""
_MOST = 2**20
"""Positions there may be room for."""


class BoundNetwork:
    """The arrays, and ONNX Runtime's way from one to the others.

    For one thread at a time; several may each have their own, of the same network.

    Example:
        >>> import boardenvs
        >>> from agents.players.trained import TrainedAgent
        >>> game = boardenvs.make("game112")
        >>> bound = TrainedAgent(game).bind_to_arrays(8)
        >>> seen = bound.observed_game.observe_to_move(game.new(3, seed=0))
        >>> bound.seen[:3] = seen.reshape(3, -1)
        >>> bound.judge(3)
        >>> bound.logits[:3].shape, bound.values[:3].shape
        ((3, 18), (3,))
    """

    def __init__(
        self,
        game: Game,
        observed_game: Game,
        capacity: int,
        session: Callable[[int, int | None], Any],
        failure: Callable[[_Observations, int | None, Exception], ValueError],
    ) -> None:
        """Make the arrays.

        Args:
            game: what is played.
            observed_game: with the observations that the network takes.
            capacity: positions, from 1 to a million or so.
            session: tells ONNX Runtime's session for so many positions on so many threads.
            failure: what to raise, told the observations and what ONNX Runtime raised.

        Raises:
            ValueError: the capacity is out of range.
        """
        capacity = whole_number("capacity", capacity, 1, _MOST)
        self._session = session
        self._failure = failure
        self.observed_game = observed_game
        """The game with the observations that the network takes."""
        self.seen = np.zeros((capacity, observed_game.observation_size), np.float32)
        """What is to be judged: observations, shape (capacity, observation_size)."""
        self.logits = np.zeros((capacity, game.num_actions), np.float32)
        """Of the actions, unmasked, shape (capacity, num_actions)."""
        self.values = np.zeros(capacity, np.float32)
        """The results expected for the seat to move, shape (capacity,)."""
        self._calls: dict[tuple[int, int | None], Callable[[], object]] = {}

    def judge(self, num: int, threads: int | None = None) -> None:
        """Judge the first so many observations; to the same bits as `TrainedAgent.evaluate`.

        Args:
            num: from 1 to the capacity.
            threads: that share the work; `None` for all cores.

        Raises:
            ValueError: the network fails, or gives arrays of other shapes.
        """
        call = self._calls.get((num, threads))
        if call is None:
            call = self._calls[num, threads] = self._bound(num, threads)
        try:
            call()
        except Exception as error:  # noqa: BLE001 ONNX Runtime's errors share no base class
            seen = self.seen[:num].reshape(num, *self.observed_game.observation_shape)
            raise self._failure(seen, threads, error) from None

    def _bound(self, num: int, threads: int | None) -> Callable[[], object]:
        """The call that judges so many."""
        whole_number("num", num, 1, len(self.seen))
        session = self._session(num, threads)
        binding = session.io_binding()
        shape = num, *self.observed_game.observation_shape
        binding.bind_input("observation", "cpu", 0, np.float32, shape, self.seen.ctypes.data)
        ranks = {output.name: len(output.shape) for output in session.get_outputs()}
        for name, array in (("logits", self.logits), ("value", self.values)):
            shape = num, *array.shape[1:], *[1] * (ranks[name] - array.ndim)
            binding.bind_output(name, "cpu", 0, np.float32, shape, array.ctypes.data)
        return functools.partial(session.run_with_iobinding, binding)
