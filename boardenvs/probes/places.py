"""The parts that all probe games share: the base class, and the numbered places of a game."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numba import njit

from boardenvs.game import Game

__all__ = ["Probe", "go", "place"]


class Probe(Game):
    """A probe game: a few numbered places. The observation marks the current one with a 1."""

    checks: ClassVar[str]
    """What a learner must do right, for tables."""

    slow = False
    """Whether right learners may need ten times as long as for other probes."""

    def __init__(
        self,
        max_plies: int,
        places: int,
        num_actions: int = 2,
        num_players: int = 2,
        more_fields: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(
            params={"max_plies": max_plies},
            num_players=num_players,
            num_actions=num_actions,
            fields=[("at", np.int8, (places,)), *more_fields],
            observation_shape=(places,),
        )
        self.start["at"][0, 0] = 1


@njit
def place(s):
    """Return the number of the current place."""
    for k in range(len(s.at)):
        if s.at[k] == 1:
            return k
    return 0  # a record from outside may mark no place


@njit
def go(s, number, seat):
    """Move to the place of this number, where `seat` moves."""
    for k in range(len(s.at)):
        s.at[k] = 1 if k == number else 0
    s.to_move = seat
