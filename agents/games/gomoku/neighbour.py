"""The computer player of Gomoku's console program as an agent."""

from __future__ import annotations

from typing import cast

from agents.agent import Actions, Agent, RandomBits
from agents.naming.game_folders import require
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku

__all__ = ["NeighbourAgent"]


class NeighbourAgent(Agent):
    """An agent that plays a uniformly random free cell next to the opponent's last stone.

    The cells are the 3 x 3 square around the stone. If no cell of them is free, or there is no last
    stone, the agent samples from all free cells.
    """

    def __init__(self, game: Game, seed: int | None = None, spec: str = "") -> None:
        """Create the agent; see `Agent`.

        Raises:
            ValueError: the game is not Gomoku.
        """
        require(game, __package__, "agent 'neighbour'")
        super().__init__(game, seed, spec)
        self._gomoku = cast("Gomoku", game)

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        return self.choose_among(self._gomoku.near_last(states), random_bits)
