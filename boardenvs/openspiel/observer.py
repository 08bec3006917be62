"""Observers of OpenSpiel games."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boardenvs.game import Game
from boardenvs.openspiel.state import BoardState

__all__ = ["BoardObserver", "HistoryObserver"]


class BoardObserver:
    """An observer of the environments' observation as float32, and of the console text.

    Both are empty until the deal is complete. During the draws after an action they are those of
    the position before the action.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.tensor = np.zeros(game.observation_size, np.float32)

    @property  # in an attribute, a copied or unpickled array would no longer share memory
    def dict(self) -> Mapping[str, np.ndarray]:
        """The tensor in the shape of the observation, in the same memory."""
        return {"observation": self.tensor.reshape(self._game.observation_shape)}

    def set_from(self, state: BoardState, player: int) -> None:
        """Write the player's observation into `tensor`."""
        self.tensor[:] = self._game.observe(state.states, player).ravel() if state.dealt else 0

    def string_from(self, state: BoardState, player: int) -> str:
        """Return the console text of the board, and the line for the player to move."""
        if not state.dealt:
            return ""
        record = state.states[0]
        return self._game.to_text(record) + self._game.presentation.turn_line(record)


class HistoryObserver:
    """An observer of the history, including chance. All players observe the same."""

    tensor = None

    def __init__(self) -> None:
        self.dict: dict[str, np.ndarray] = {}

    def set_from(self, state: BoardState, player: int) -> None:
        """Do nothing, since there is no tensor."""

    def string_from(self, state: BoardState, player: int) -> str:
        """Return the numbers of all actions and outcomes in order."""
        text: str = state.history_str()
        return text
