"""What a player of an OpenSpiel game sees."""

from __future__ import annotations

import numpy as np

from boardenvs.game import Game
from boardenvs.openspiel.state import BoardState

__all__ = ["BoardObserver", "HistoryObserver"]


class BoardObserver:
    """The observation of the environments as float32, and the console text.

    Before the deal is complete both are blank; while chance decides on an action, they are
    those of the position before it.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.tensor = np.zeros(game.observation_size, np.float32)
        self.dict = {"observation": self.tensor.reshape(game.observation_shape)}

    def set_from(self, state: BoardState, player: int) -> None:
        """Write what the player sees into `tensor`, and so into `dict`."""
        self.tensor[:] = 0
        if state.dealt:
            self.dict["observation"][:] = self._game.observe(state.states, player)[0]

    def string_from(self, state: BoardState, player: int) -> str:
        """Return the board as the console shows it, and what the player to move sees beside it."""
        if not state.dealt:
            return ""
        record = state.states[0]
        return self._game.to_text(record) + self._game.presentation.turn_line(record)


class HistoryObserver:
    """All that happened, chance included: nothing in it is hidden from anybody."""

    tensor = None

    def __init__(self) -> None:
        self.dict: dict[str, np.ndarray] = {}

    def set_from(self, state: BoardState, player: int) -> None:
        """Do nothing: there is no tensor to write."""

    def string_from(self, state: BoardState, player: int) -> str:
        """Return the numbers of all actions and outcomes so far, in order."""
        text: str = state.history_str()
        return text
