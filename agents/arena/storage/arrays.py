"""A store's games as arrays: positions, what was played there, how the games ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.arena.storage.store import Store
from boardenvs.core.checks import shown
from boardenvs.game import States

__all__ = ["Positions", "positions"]


@dataclass(frozen=True, eq=False)
class Positions:
    """N positions in which somebody chose an action, game by game, ply by ply."""

    states: States
    """Records of the game, shape (N,)."""
    observations: npt.NDArray[np.int8]
    """As the seat to move sees it, shape (N, *game.observation_shape)."""
    masks: npt.NDArray[np.bool_]
    """Which actions are legal, shape (N, num_actions)."""
    policies: npt.NDArray[np.float32]
    """1 at the action that was played, shape (N, num_actions)."""
    results: npt.NDArray[np.float32]
    """What the seat to move got at the end, from -1 to 1, shape (N,)."""
    games: npt.NDArray[np.int64]
    """Which game it is of, from 0, shape (N,): positions of one game belong on one side of a
    split into training and test."""
    agents: npt.NDArray[Any]
    """The spec of the agent that chose, shape (N,)."""


def positions(store: Store, agent: str | None = None) -> Positions:
    """Every choice of a store's games, played again from their moves.

    The random plies of openings are nobody's choices, nor are illegal actions: both are left out.

    Args:
        store: an open one.
        agent: the spec of the one whose choices are wanted; `None` for everybody's.

    Raises:
        ValueError: the store has no such agent, no games, or is damaged.
    """
    if not isinstance(store, Store):
        raise ValueError(f"expected a Store, got {shown(store)}")
    specs = {spec for match in store.matches() for spec in match.specs}
    if agent is not None and agent not in specs:
        raise ValueError(
            f"{store.path} holds no games of {shown(agent)}; its agents are "
            f"{', '.join(sorted(specs))}"
        )
    game = store.game
    states, chosen, results, numbers, by = [], [], [], [], []
    number = 0
    for match in store.matches():
        for word, who, moves, returns in store.plies(match.specs):
            record = game.arrays.new(np.array([word], np.uint64))
            for ply, action in enumerate(moves):
                seat = int(game.to_move(record)[0])
                mine = agent in {None, match.specs[who[seat]]}
                if mine and ply >= match.opening_plies and game.legal(record)[0, action]:
                    states.append(record.copy())
                    chosen.append(action)
                    results.append(returns[seat])
                    numbers.append(number)
                    by.append(match.specs[who[seat]])
                game.play(record, [action])
            number += 1
    if not states:
        raise ValueError(f"{store.path} holds no choices yet")
    together = np.concatenate(states)
    policies = np.zeros((len(together), game.num_actions), np.float32)
    policies[np.arange(len(together)), chosen] = 1
    return Positions(
        together,
        game.observe_to_move(together),
        game.legal(together),
        policies,
        np.array(results, np.float32),
        np.array(numbers, np.int64),
        np.array(by),
    )
