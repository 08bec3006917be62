"""The chance of Dominoes 175: which tile is turned over.

The rules shuffle all tiles at the start, so a search on such a position would know every tile. Here
a tile is drawn uniformly from the unseen tiles when it is turned over. The distribution of games is
the same, and no information is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boardenvs import explicit_chance
from boardenvs.dominoes175.rules import CELLS, HIGH, LOW
from boardenvs.dominoes175.text import tile_to_text
from boardenvs.explicit_chance import Ways
from boardenvs.game import States

__all__ = ["Chance"]


class Chance(explicit_chance.Chance):
    """Chance whose outcomes are the numbers of the tiles turned over.

    The tiles not turned over lie in ascending order in the cells that are left. In a game with a
    `deck` they lie as in the deck, and nothing is random.
    """

    def deal(self, outcomes: Sequence[int]) -> tuple[States, Ways]:
        states = self.game.start.copy()
        states["grid"] = self.game.constants["deck"]
        return states, ()

    def play(self, states: States, action: int, outcomes: Sequence[int]) -> tuple[States, Ways]:
        after = states.copy()
        if action < CELLS and self.game.params["deck"] is None:
            if not self.mask(states)[action]:
                raise ValueError(
                    f"action must be legal in this {self.game.name} position, got {action}"
                )
            left = np.flatnonzero(after["taken"][0] == 0)
            unseen = np.sort(after["grid"][0, left])
            if not outcomes:
                return states, unseen.tolist()
            (tile,) = outcomes
            after["grid"][0, action] = tile
            after["grid"][0, left[left != action]] = unseen[unseen != tile]
        self._play_compiled(after, action)
        return after, ()

    def outcome_to_text(self, outcome: int, ways: Ways) -> str:
        return f"chance: {tile_to_text(LOW[outcome], HIGH[outcome])}"
