"""A store's games as arrays: positions, actions and results."""

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
    """N positions in which an agent chose an action, in the order of games and plies."""

    states: States
    """Records of the game, shape (N,)."""
    observations: npt.NDArray[np.int8]
    """Observations of the seat to move, shape (N, *game.observation_shape)."""
    masks: npt.NDArray[np.bool_]
    """Masks of the legal actions, shape (N, num_actions)."""
    policies: npt.NDArray[np.float32]
    """1 for the chosen action, else 0, shape (N, num_actions)."""
    results: npt.NDArray[np.float32]
    """Final result of the seat to move, from -1 to 1, shape (N,)."""
    games: npt.NDArray[np.int64]
    """Number of the game, from 0, shape (N,). Keep positions of one game on the same side of a
    split into training and test."""
    agents: npt.NDArray[Any]
    """Spec of the agent that chose, shape (N,)."""


def positions(store: Store, agent: str | None = None) -> Positions:
    """Return every choice of a store's games, replayed from their moves.

    Random plies of openings and illegal actions are left out.

    Args:
        store: an open store.
        agent: spec of the agent whose choices are returned; `None` for all agents.

    Raises:
        ValueError: the store does not have the agent or any games, or is damaged.
    """
    if not isinstance(store, Store):
        raise ValueError(f"store must be a Store, got {shown(store)}")
    specs = {spec for match in store.matches() for spec in match.specs}
    if agent is not None and agent not in specs:
        raise ValueError(
            f"agent must be one of {', '.join(sorted(specs))} in {store.path}, got {shown(agent)}"
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
        raise ValueError(f"{store.path} has no choices of agents yet")
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
