"""Values of a network for every seat.

A network for one or two players has one value, that of the seat to move. A network for more players
has a value for each seat, in the order of play from the seat to move, as in N. Petosa and T. Balch,
"Multiplayer AlphaZero", 2019. With one value, a search could not distinguish the gain of its own
seat from the gain of a third seat.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from boardenvs.core.checks import counted
from boardenvs.game import Game, States

__all__ = ["by_seat", "check_num_values", "in_turn", "num_values"]


def num_values(game: Game) -> int:
    """Return the number of values of a network that is trained for a game."""
    return game.num_players if game.num_players > 2 else 1


def check_num_values(policy: Any, game: Game) -> None:
    """Check that a Stable-Baselines3 policy has the values that training requires.

    Raises:
        ValueError: the policy has another number of values.
    """
    found = policy.value_net.out_features
    if found != num_values(game):
        raise ValueError(
            f"policy must have {counted(num_values(game), 'value')} for {game.name} with "
            f"{counted(game.num_players, 'player')}, got {found}: pass num_values to "
            "PlainPolicy or BoardPolicy"
        )


def by_seat(game: Game, states: States, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return values in the order of the seats.

    Args:
        game: the game.
        states: records, shape (N,).
        values: values in the order of play, the seat to move first, shape (N, num_players).
    """
    ordered = np.empty_like(values)
    np.put_along_axis(ordered, game.seats_in_turn(states), values, axis=1)
    return ordered


def in_turn(game: Game, states: States, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values that a network for a game learns.

    Args:
        game: the game.
        states: records, shape (N,).
        values: value of each seat, shape (N, num_players).

    Returns:
        Shape (N, `num_values(game)`), the value of the seat to move first.
    """
    return np.take_along_axis(values, game.seats_in_turn(states), axis=1)[:, : num_values(game)]
