"""The result of the best response to an agent, computed over a whole small game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.analysis.measures import Exploitability
from boardenvs.core.checks import counted
from boardenvs.game import Game, States

__all__ = ["best_responses", "is_small"]

_MOST = 1_000_000
"""Maximum number of positions up to a level plus moves on that level."""
Floats = npt.NDArray[np.float64]


class _TooManyMovesError(ValueError):
    """A game has too many moves."""


class _Level(NamedTuple):
    """All positions after the same number of plies, and their moves."""

    states: States
    rows: npt.NDArray[np.intp]
    """Index in `states` of each move's position."""
    actions: npt.NDArray[np.intp]
    """Action of each move."""
    after: npt.NDArray[np.intp]
    """Index of each move's next position in the next level."""


def is_small(game: Game) -> bool:
    """Return whether a game without chance has few enough moves for `best_responses`."""
    try:
        return bool(_levels(game))
    except _TooManyMovesError:
        return False


def best_responses(agent: Agent, game: Game) -> Exploitability:
    """Return the result of the best response to an agent, from each seat.

    Args:
        agent: an agent with action probabilities (`Agent.policies`).
        game: a game of two players, without chance and hidden parts.

    Raises:
        ValueError: the game is not supported or too large, or the agent has no action
            probabilities.
    """
    for objection, applies in (
        ("chance", game.has_chance),
        ("hidden information", game.has_hidden),
        (counted(game.num_players, "player"), game.num_players != 2),
    ):
        if applies:
            raise ValueError(
                "game must have two players and no chance or hidden information, got "
                f"{game.name} with {objection}"
            )
    agent.policies(game.new(1, 0))  # raises before a large game is enumerated
    levels = _levels(game)
    responses = [_best_response(game, levels, agent, seat) for seat in range(game.num_players)]
    return Exploitability(tuple(responses), sum(len(level.states) for level in levels))


def _levels(game: Game) -> list[_Level]:
    """Return all reachable positions, ply by ply.

    Raises:
        _TooManyMovesError: the game has too many moves.
    """
    levels = []
    states = game.new(1, 0)
    positions = 0
    while len(states):
        positions += len(states)
        live = np.flatnonzero(~game.over(states))
        rows, actions = np.nonzero(game.legal(states[live]))
        rows = live[rows]
        if positions + len(rows) > _MOST:
            raise _TooManyMovesError(
                f"{game.name} is too large: it must have at most {_MOST:,} moves"
            )
        after = states[rows]
        game.play(after, actions)
        whole = after.view(np.dtype((np.void, after.itemsize)))
        _, first, places = np.unique(whole, return_index=True, return_inverse=True)
        levels.append(_Level(states, rows, actions, places.reshape(-1)))
        states = after[first]
    return levels


def _best_response(game: Game, levels: list[_Level], agent: Agent, seat: int) -> float:
    """Return the best result of a player in this seat against the agent in the other seat."""
    following = np.zeros(0)
    for states, rows, actions, after in reversed(levels):
        values: Floats = game.returns(states)[:, seat].astype(np.float64)
        results = following[after]
        mine = states["to_move"][rows] == seat
        best = np.full(len(states), -np.inf)
        np.maximum.at(best, rows[mine], results[mine])
        played = np.isfinite(best)
        values[played] = best[played]
        theirs = np.unique(rows[~mine])
        if len(theirs):
            shares = np.zeros((len(states), game.num_actions))
            shares[theirs] = agent.policies(states[theirs])
            values[theirs] = 0
            weights = shares[rows[~mine], actions[~mine]]
            np.add.at(values, rows[~mine], weights * results[~mine])
        following = values
    return float(following[0])
