"""The perfect agent of Dominoes 175, with the highest possible win rate."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from agents.agent import Actions, Agent, RandomBits
from agents.games.dominoes175.optimum import Optimum
from agents.naming.game_folders import require
from boardenvs.dominoes175.rules import CELLS, ENDS, GOAL, STACKS
from boardenvs.game import Game, States

__all__ = ["Dominoes175PerfectAgent", "best_rate", "rates"]


class Dominoes175PerfectAgent(Agent):
    """An agent that plays the tile in hand with the highest win rate.

    It samples uniformly among ties. All tiles to turn over are ties. The first choice in a process
    computes all positions and shows a progress bar; see `agents.games.dominoes175.optimum`.
    """

    def __init__(self, game: Game, seed: int | None = None, spec: str = "") -> None:
        """Create the agent; see `Agent`.

        Raises:
            ValueError: `game` is not Dominoes 175.
        """
        require(game, __package__, "agent 'perfect'")
        super().__init__(game, seed, spec)

    def choose(self, states: States, random_bits: RandomBits) -> Actions:
        good = self.game.legal(states)
        values = rates(self.game, states)
        good[:, CELLS:] &= values == values.max(1, keepdims=True)
        return self.choose_among(good, random_bits)


def best_rate() -> float:
    """Return the win rate of the best policy from the start."""
    return _optimum().rate


def rates(game: Game, states: States) -> npt.NDArray[np.float64]:
    """Return the win rate of the best policy after each way to play the tile in hand.

    Args:
        game: a game of Dominoes 175.
        states: records of games that are not over, shape (N,).

    Returns:
        float64 of shape (N, 6), -1 for an illegal way.
    """
    playable = game.legal(states)[:, CELLS:]
    after = states.repeat(2 * STACKS)[playable.ravel()]
    ways = np.tile(np.arange(CELLS, CELLS + 2 * STACKS), len(states))[playable.ravel()]
    game.play(after, ways)
    found = np.full(playable.shape, -1.0)
    found[playable] = [_value(state) for state in after]
    return found


@functools.cache
def _optimum() -> Optimum:
    return Optimum(progress=True)


def _value(state: np.void) -> float:
    """Return the best win rate from a position without a tile in hand."""
    if (state["heights"] == GOAL).any():
        return 1.0
    seen = state["grid"][state["taken"] > 0].astype(np.int64)
    stacks = [
        1 + (height - 1) * ENDS + int(dots[height]) if height else 0
        for height, dots in zip(state["heights"].tolist(), state["dots"], strict=True)
    ]
    return _optimum().value(int((1 << seen).sum()), stacks)
