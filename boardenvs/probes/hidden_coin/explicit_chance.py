"""The chance of the hidden coin: its side is drawn when a player guesses."""

from __future__ import annotations

from collections.abc import Sequence

from boardenvs import explicit_chance
from boardenvs.explicit_chance import Ways
from boardenvs.game import States

__all__ = ["Chance"]


class Chance(explicit_chance.Chance):
    """Chance whose outcomes are the sides of the coin."""

    def deal(self, outcomes: Sequence[int]) -> tuple[States, Ways]:
        return self.game.start.copy(), ()

    def play(self, states: States, action: int, outcomes: Sequence[int]) -> tuple[States, Ways]:
        after = states.copy()
        guesses = action != (3 if states["at"][0, 0] else 0)
        if guesses and not outcomes:
            return states, range(3)
        if guesses:
            after["side"] = outcomes[0]
        self._play_compiled(after, action)
        return after, ()
