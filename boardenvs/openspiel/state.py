"""OpenSpiel states for positions."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import pyspiel

from boardenvs.explicit_chance import Chance, Ways
from boardenvs.game import Game, States

__all__ = ["BoardState", "Rules"]


class Rules(Protocol):
    """The attributes of an OpenSpiel game that a state uses."""

    game: Game
    chance: Chance
    dealt: tuple[States, Ways]
    """Initial position, and the outcomes of the first draw."""


class BoardState(pyspiel.State):
    """An OpenSpiel state: a record, and at a chance node the pending action and its outcomes.

    OpenSpiel copies and pickles every attribute, so they are few and small.
    """

    def __init__(self, game: Rules, position: Mapping[str, Any] | None = None) -> None:
        """Create a state, see `boardenvs.openspiel.game.BoardGame.new_initial_state`."""
        super().__init__(game)
        self._action: int | None = None  # the action before the draws, `None` for the deal
        self._outcomes: tuple[int, ...] = ()  # outcomes of these draws
        if position is None:
            self._states, self._ways = game.dealt
            self._check(self._ways)
        else:
            self._states, self._ways = game.game.restore(position), ()
            self._states["rng"] = 0

    # OpenSpiel's own pickle knows only the name of the game.
    def __reduce__(self) -> tuple[Any, ...]:
        return operator.methodcaller("deserialize_state", self.serialize()), (self.get_game(),)

    @property
    def dealt(self) -> bool:
        """Whether the initial position is complete."""
        return not self._ways or self._action is not None

    @property
    def states(self) -> States:
        """Copy of the position, shape (1,), at a chance node the position before the action."""
        return self._states.copy()

    # -- Methods that OpenSpiel calls ---------------------------------------------------

    def current_player(self) -> int:
        if self._ways:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return self._states["to_move"].item()

    def is_terminal(self) -> bool:
        if self._ways:
            return False
        return bool(self._states["terminated"][0] or self._states["truncated"][0])

    def returns(self) -> list[float]:
        n = self.num_players()
        if not self.is_terminal():
            return [0.0] * n
        # The record has -1/3 in single precision, which OpenSpiel's zero-sum check rejects.
        parts = max(n - 1, 1)
        return [round(share * parts) / parts for share in self._states["returns"][0].tolist()]

    def _legal_actions(self, player: int) -> list[int]:
        legal: list[int] = np.flatnonzero(self.get_game().chance.mask(self._states)).tolist()
        return legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(outcome, 1 / len(self._ways)) for outcome in self._ways]

    def _apply_action(self, action: int) -> None:
        chance = self.get_game().chance
        if not self._ways:
            outcomes: tuple[int, ...] = ()
            before: int | None = action
            states, ways = chance.play(self._states, action, ())
        else:
            if action not in self._ways:
                raise ValueError(f"outcome must be one of {list(self._ways)}, got {action}")
            outcomes = (*self._outcomes, action)
            before = self._action
            if before is None:
                states, ways = chance.deal(outcomes)
            else:
                states, ways = chance.play(self._states, before, outcomes)
        if not ways:
            self._states, self._action, self._outcomes = states, None, ()
        else:
            self._check(ways)
            self._action, self._outcomes = before, outcomes
        self._ways = ways

    def _check(self, ways: Ways) -> None:
        """Raise `ValueError` for a draw with more outcomes than the game has announced."""
        most = self.get_game().max_chance_outcomes()
        if len(ways) > most:
            raise ValueError(
                f"{self.get_game().game.name}.most_chance_outcomes must be at least {len(ways)}, "
                f"the number of outcomes of this draw, got {most}"
            )

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        if player == pyspiel.PlayerId.CHANCE:
            text: str = game.chance.outcome_to_text(action, self._ways)
            return text
        return game.game.action_to_text(action, self._states[0] if self.dealt else None)

    def _to_struct(self) -> dict[str, Any]:
        """Return the dictionary of `Game.to_dict`, empty until the deal is complete."""
        return self.get_game().game.to_dict(self._states[0]) if self.dealt else {}

    def __str__(self) -> str:
        """Return the board, then one line of JSON with the rest of the state."""
        board = self.get_game().game.to_text(self._states[0]) if self.dealt else ""
        facts = {k: v for k, v in self._to_struct().items() if k not in ("game", "params", "rng")}
        if self._ways:
            facts |= {"action": self._action, "outcomes": self._outcomes}
        return board + json.dumps(facts)
