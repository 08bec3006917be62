"""Explicit chance nodes for games whose rules draw from the random stream of the record.

A planner such as OpenSpiel chooses every random outcome itself. So the rules also run as plain
Python with another `draw`. It returns given outcomes and stops the rules when it runs out of them.
Each draw is a chance node with equally likely outcomes (`boardenvs.core.chance.below` has a bias
below its bound divided by 2**32).
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from boardenvs.core.rules import plain_rules
from boardenvs.game import Game, States
from boardenvs.kernels.numba_compat import EntryPoint

__all__ = ["PLIES_COUNTED", "Chance", "Ways", "chance_class"]

PLIES_COUNTED = 1000
"""Number of plies of the random games in which `Chance.most_outcomes` counts."""
Ways = Sequence[int]
"""Outcomes of the next draw, in ascending order; empty if there is no draw."""


class _OutOfOutcomes(Exception):  # noqa: N818 not an error
    """A draw beyond the given outcomes."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self.bound = bound


class _Outcomes(threading.local):
    """A replacement of `boardenvs.core.chance.draw` for rules that run as plain Python."""

    def __init__(self) -> None:
        self._left: list[int] = []

    def give(self, outcomes: Sequence[int]) -> None:
        """Set the outcomes of the next draws."""
        self._left = list(outcomes)

    def __call__(self, s: Any, bound: int) -> np.int64:
        if bound == 1:
            return np.int64(0)
        if not self._left:
            raise _OutOfOutcomes(int(bound))
        return np.int64(self._left.pop(0))


class Chance:
    """The chance nodes of a game.

    Positions are arrays of shape (1,). Their random stream is 0 and unused.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._outcomes = _Outcomes()
        rules = plain_rules(game.rules, self._outcomes)
        self._deal, self._play = rules["deal"], rules["play"]
        self._legal = EntryPoint(game.kernels.legal_games)
        self._advance = EntryPoint(game.kernels.play_games)

    @property
    def most_outcomes(self) -> int:
        """Maximum number of outcomes of a draw, 0 without chance.

        If the game does not override `most_chance_outcomes`, this is the maximum in random games
        with `PLIES_COUNTED` plies in all. Rarer draws may have more outcomes.
        """
        most = self.game.most_chance_outcomes
        return _most_in_random_games(self.game) if most is None else most

    def deal(self, outcomes: Sequence[int]) -> tuple[States, Ways]:
        """Return the start of a game after the given outcomes, and the outcomes of the next draw.

        If there is a next draw, the position is incomplete.
        """
        states = self.game.start.copy()
        return states, self._run(self._deal, states, outcomes)

    def play(self, states: States, action: int, outcomes: Sequence[int]) -> tuple[States, Ways]:
        """Return the position after an action and outcomes, and the outcomes of the next draw.

        If there is a next draw, the position is incomplete.

        Raises:
            ValueError: the action is illegal.
        """
        after = states.copy()
        if not outcomes:
            self._play_compiled(after, action)
            if after["rng"][0] == 0:
                return after, ()
            after = states.copy()
        return after, self._run(self._play, after, outcomes, action)

    def outcome_to_text(self, outcome: int, ways: Ways) -> str:
        """Return an outcome of a draw as text, counted from 1."""
        return f"chance: {outcome + 1} of {len(ways)}"

    def mask(self, states: States) -> Any:
        """Return the mask of legal actions, bool of shape (num_actions,)."""
        masks = np.empty((1, self.game.num_actions), np.bool_)
        self._legal(states, self.game.constants, masks)
        return masks[0]

    def _play_compiled(self, states: States, action: int) -> None:
        """Play one action by the compiled rules. If they draw, the stream becomes nonzero."""
        mask = self.mask(states)
        if not 0 <= action < len(mask) or not mask[action]:
            raise ValueError(
                f"action must be legal in this {self.game.name} position, got {action}"
            )
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


@functools.cache
def _most_in_random_games(game: Game) -> int:
    """Return the maximum number of outcomes of a draw in random games, the same in each process."""
    if not game.has_chance:
        return 0
    chance = chance_class(game)(game)
    rng = np.random.default_rng(0)
    most = 0

    def decided(after: Callable[[tuple[int, ...]], tuple[States, Ways]]) -> States:
        """Return the position after random outcomes of all draws."""
        nonlocal most
        outcomes: tuple[int, ...] = ()
        states, ways = after(outcomes)
        while ways:
            most = max(most, len(ways))
            outcomes = (*outcomes, int(rng.choice(ways)))
            states, ways = after(outcomes)
        return states

    states = decided(chance.deal)
    for _ in range(PLIES_COUNTED):
        if game.over(states)[0]:
            states = decided(chance.deal)
        action = int(rng.choice(np.flatnonzero(chance.mask(states))))
        states = decided(functools.partial(chance.play, states, action))
    return most


def chance_class(game: Game) -> type[Chance]:
    """Return the class for the chance nodes of a game.

    This is `Chance` of the module `explicit_chance` in the package of the game's class, or of a
    base class with the same rules. The default is `Chance` of this module.
    """
    for home in game.packages:
        if importlib.util.find_spec(f"{home}.explicit_chance") is not None:
            own: type[Chance] = importlib.import_module(f"{home}.explicit_chance").Chance
            return own
    return Chance
