"""Opponents: their interface, and functions that get their actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from boardenvs.core.chance import next_bits
from boardenvs.core.checks import shown
from boardenvs.game import Game, States
from boardenvs.show.analysis import Analysis

__all__ = ["Opponent", "OpponentSpec", "ask", "check_absent", "consult", "player_names"]


class Opponent(Protocol):
    """A player of the other seats.

    Episodes name an opponent by its attribute `spec`, if it has one.

    An opponent may also have the method `choose(states, random_bits) -> actions`, where
    `random_bits` are 64 random bits for each state, uint64 of shape (N,). Its actions then do not
    depend on the number of games. A method `consider(states, random_bits) -> (actions, analyses)`
    chooses the same actions and also returns a `boardenvs.show.analysis.Analysis` or `None` for
    each state.
    """

    def act(self, states: States) -> npt.ArrayLike:
        """Return one action for each state, in which hidden information is resampled."""


OpponentSpec = str | Opponent | list[Any]
"""A spec such as "random", an opponent, or a list of these for the other seats in order."""


def check_absent(game: Game, opponent: Any) -> None:
    """Raise `ValueError` for an opponent in a game for one player.

    The default `"random"` and an empty list are no opponents.
    """
    listed = isinstance(opponent, list | tuple)
    if opponent if listed else not isinstance(opponent, str) or opponent != "random":
        raise ValueError(
            f"opponent must be 'random' in {game.name}, a game for one player, "
            f"got {shown(opponent)}"
        )


def player_names(
    players: Sequence[object], places: Sequence[str], default: str = "player_{}"
) -> list[str]:
    """Return a name for each player: its spec, or `default` if it has no spec.

    Args:
        players: specs, or objects that may have a `spec`.
        places: name of each player's seat, appended if players have the same spec, as in
            `greedy (Player X)`.
        default: name of a player without a spec; `{}` is replaced by the player's index.
    """
    specs = [one if isinstance(one, str) else getattr(one, "spec", None) for one in players]
    names = []
    for number, (spec, place) in enumerate(zip(specs, places, strict=True)):
        if not isinstance(spec, str) or not spec or not spec.isprintable():
            names.append(default.format(number))
        else:
            names.append(spec if specs.count(spec) == 1 else f"{spec} ({place})")
    return names


def ask(
    player: Literal["random"] | Opponent,
    game: Game,
    states: States,
    streams: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int64]:
    """Return a player's action in each state.

    The player receives states with hidden information resampled.

    Args:
        player: "random", or an object with `choose` or else `act`.
        game: the game of the states.
        states: records of games that are not over, shape (N,).
        streams: random stream of each state, uint64 of shape (N,); advanced in place.

    Returns:
        Actions, int64 of shape (N,), within the action space but not always legal.

    Raises:
        ValueError: if the player does not return N actions of the action space.
    """
    bits = next_bits(streams)
    if isinstance(player, str):
        actions = np.empty(len(states), np.int64)
        game.kernels.random_actions(game.legal(states), bits, actions)
        return actions
    known = game.arrays.conceal(states, states["to_move"], bits)
    if hasattr(player, "choose"):
        return game.arrays.action_numbers(player.choose(known, next_bits(streams)), len(states))
    return game.arrays.action_numbers(player.act(known), len(states))


def consult(
    player: Literal["random"] | Opponent,
    game: Game,
    states: States,
    streams: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.int64], list[Analysis | None]]:
    """Return the actions of `ask`, and the player's analysis of each state or `None`."""
    consider = getattr(player, "consider", None)
    if consider is None:
        return ask(player, game, states, streams), [None] * len(states)
    known = game.arrays.conceal(states, states["to_move"], next_bits(streams))
    actions, analyses = consider(known, next_bits(streams))
    return game.arrays.action_numbers(actions, len(states)), list(analyses)
