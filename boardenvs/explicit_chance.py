"""The chance of a game, one draw at a time, where the rules draw it from the record's own stream.

A planner such as OpenSpiel chooses every outcome itself. So rules that draw run once more as plain
Python with another `draw`, which returns given outcomes and stops the rules when none is left. Each
draw is a chance node, whose outcomes are equally likely (`boardenvs.core.chance.below` is uniform
to within its bound divided by 2**32).
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from boardenvs.core.rules import plain_rules
from boardenvs.game import Game, States
from boardenvs.kernels.numba_compat import EntryPoint

__all__ = ["Chance", "Ways", "chance_class"]

Ways = Sequence[int]
"""The outcomes of the draw that comes next, in ascending order; empty where none does."""


class _OutOfOutcomes(Exception):  # noqa: N818 the rules stop, nothing is wrong
    """The rules draw more than there are outcomes given."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self.bound = bound


class _Outcomes(threading.local):
    """Stands for `boardenvs.core.chance.draw` in rules that run as plain Python."""

    def __init__(self) -> None:
        self._left: list[int] = []

    def give(self, outcomes: Sequence[int]) -> None:
        """Set what the next draws return."""
        self._left = list(outcomes)

    def __call__(self, s: Any, bound: int) -> np.int64:
        if bound == 1:
            return np.int64(0)
        if not self._left:
            raise _OutOfOutcomes(int(bound))
        return np.int64(self._left.pop(0))


class Chance:
    """What follows from an action and the outcomes drawn after it.

    Positions are arrays of shape (1,) whose stream word is 0 and never used.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._outcomes = _Outcomes()
        rules = plain_rules(game.rules, self._outcomes)
        self._deal, self._play = rules["deal"], rules["play"]
        self._legal = EntryPoint(game.kernels.legal_games)
        self._advance = EntryPoint(game.kernels.play_games)

    def deal(self, outcomes: Sequence[int]) -> tuple[States, Ways]:
        """Return the start of a game after the given outcomes, and those of the next draw.

        Where there is one, the position is not yet to be looked at.
        """
        states = self.game.start.copy()
        return states, self._run(self._deal, states, outcomes)

    def play(self, states: States, action: int, outcomes: Sequence[int]) -> tuple[States, Ways]:
        """Return the position after an action and the given outcomes, and those of the next draw.

        Where there is one, the position is not yet to be looked at.

        Raises:
            ValueError: the action is not legal.
        """
        after = states.copy()
        if not outcomes:
            self._play_compiled(after, action)
            if after["rng"][0] == 0:
                return after, ()
            after = states.copy()
        return after, self._run(self._play, after, outcomes, action)

    def outcome_to_text(self, outcome: int, ways: Ways) -> str:
        """Return one outcome of a draw as text, counted from 1."""
        return f"chance: {outcome + 1} of {len(ways)}"

    def mask(self, states: States) -> Any:
        """Return the legal actions, bool of shape (num_actions,)."""
        masks = np.empty((1, self.game.num_actions), np.bool_)
        self._legal(states, self.game.constants, masks)
        return masks[0]

    def _play_compiled(self, states: States, action: int) -> None:
        """Play one action by the compiled rules. If they draw, the stream is not 0 afterwards."""
        mask = self.mask(states)
        if not 0 <= action < len(mask) or not mask[action]:
            raise ValueError(f"action {action} is not legal in this {self.game.name} position")
        self._advance(states, self.game.constants, np.array([action], np.int64), mask[None])

    def _run(
        self, rule: Callable[..., None], states: States, outcomes: Sequence[int], *action: int
    ) -> Ways:
        self._outcomes.give(outcomes)
        try:
            rule(states[0], self.game.constants[0], *action)
        except _OutOfOutcomes as stopped:
            return range(stopped.bound)
        return ()


def chance_class(game: Game) -> type[Chance]:
    """Return the class that makes a game's chance explicit.

    It is `Chance` of a module `explicit_chance` in the package of the game's class, or of a class
    that it derives from and has its rules from. By default it is the class here.
    """
    for home in game.packages:
        if importlib.util.find_spec(f"{home}.explicit_chance") is not None:
            own: type[Chance] = importlib.import_module(f"{home}.explicit_chance").Chance
            return own
    return Chance
