"""`Adviser`: the agent that gives hints."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from agents.agent import blamed
from agents.naming.spec import Spec
from agents.play.choices import name_of
from boardenvs.envs.opponents import Opponent, consult
from boardenvs.game import States
from boardenvs.show.analysis import Analysis

__all__ = ["Advice", "Adviser"]

Advice = tuple[int, Analysis | None]
"""The action, and its analysis if the agent has one."""
_MOST = 4096
"""Maximum number of cached answers."""


class Adviser:
    """An agent that is made on its first request and remembers its answers.

    Requests of several threads are answered one after another.
    """

    def __init__(self, spec: Spec, seed: int) -> None:
        """Prepare an adviser, without making the agent.

        Args:
            spec: the agent.
            seed: seed of the agent.
        """
        self.spec = spec
        self.name = name_of(spec).name
        self._game = spec.game
        self._seed = seed
        self._lock = threading.Lock()
        self._agent: Opponent | None = None
        self._said: dict[bytes, Advice] = {}

    def advise(self, state: States, stream: npt.NDArray[np.uint64]) -> Advice:
        """Return the agent's move in a position, from what the player to move knows.

        Args:
            state: the position, shape (1,), not over.
            stream: start of the agent's random stream, shape (1,).

        Raises:
            ValueError: the agent cannot be made, or fails.
        """
        key = state.tobytes() + stream.tobytes()
        with self._lock, blamed(f"agent {self.spec}"):
            if key not in self._said:
                if self._agent is None:
                    self._agent = self.spec.make(self._seed)
                actions, [analysis] = consult(self._agent, self._game, state, stream.copy())
                if analysis is not None:
                    analysis.check(self._game, self._game.legal(state)[0])
                if len(self._said) >= _MOST:
                    self._said.clear()
                self._said[key] = int(actions[0]), analysis
            return self._said[key]
