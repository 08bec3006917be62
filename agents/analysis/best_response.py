"""How much the best response wins against an agent, over all of a small game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.analysis.measures import Exploitability
from boardenvs.game import Game, States

__all__ = ["best_responses"]

_MOST = 1_000_000
"""Positions and moves on a level, and all positions before it."""
Floats = npt.NDArray[np.float64]


class _Level(NamedTuple):
    """The positions after so many plies, and where their actions lead."""

    states: States
    rows: npt.NDArray[np.intp]
    """Of each move, the position it is played in,"""
    actions: npt.NDArray[np.intp]
    """its action,"""
    after: npt.NDArray[np.intp]
    """and the place in the next level that it leads to."""


def best_responses(agent: Agent, game: Game) -> Exploitability:
    """The result of the best response to an agent, from each seat.

    Args:
        agent: one that tells its policy (`Agent.policies`).
        game: of two players, without chance and hidden parts.

    Raises:
        ValueError: the game is another one or too large, or the agent tells no probabilities.
    """
    for objection, applies in (
        ("has chance", game.has_chance),
        ("has hidden information", game.has_hidden),
        (f"has {game.num_players} player(s), not two", game.num_players != 2),
    ):
        if applies:
            raise ValueError(f"no exploitability in {game.name}, which {objection}")
    agent.policies(game.new(1, 0))  # refuses before a large game is laid out
    levels = _levels(game)
    responses = [_best_response(game, levels, agent, seat) for seat in range(game.num_players)]
    return Exploitability(tuple(responses), sum(len(level.states) for level in levels))


def _levels(game: Game) -> list[_Level]:
    """All positions that can be reached, ply by ply.

    Raises:
        ValueError: there are too many.
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
            raise ValueError(f"{game.name} is too large: it has more than {_MOST:,} moves to try")
        after = states[rows]
        game.play(after, actions)
        whole = after.view(np.dtype((np.void, after.itemsize)))
        _, first, places = np.unique(whole, return_index=True, return_inverse=True)
        levels.append(_Level(states, rows, actions, places.reshape(-1)))
        states = after[first]
    return levels


def _best_response(game: Game, levels: list[_Level], agent: Agent, seat: int) -> float:
    """The result of whoever has this seat and plays best, the agent having the other one."""
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
