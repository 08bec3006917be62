"""Balanced openings of Gomoku for `python -m agents.dev openings gomoku`.

After random stones near each other, one player is usually far ahead. A balanced opening is a
position in which the engine `threats` finds neither a forced win nor a large advantage.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agents.games.gomoku.threats import ThreatsAgent
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku

__all__ = [
    "BUDGET",
    "CRITERION",
    "MOST",
    "MOVES",
    "PARAMS",
    "balance_test",
    "drawable",
    "is_balanced",
]

MOST = 0.1
"""Maximum absolute value of the result that `threats` expects."""
MOVES = 6
"""Default number of moves of an opening."""
BUDGET = 100_000
"""Default number of positions that `judge` searches."""
PARAMS = ("board_size", "win_length", "exact")
"""Parameters of the game that a file of openings records."""
CRITERION = {"expected result at most": MOST}
"""Criterion that a file of openings records."""
_NEAR = 2
"""Maximum distance of a stone from another stone."""


def is_balanced(engine: ThreatsAgent, state: np.void) -> bool:
    """Return whether an engine finds no proven result and no large advantage."""
    (thought,) = engine.think(np.array([state], engine.game.state_dtype))
    return not thought.proven and abs(thought.value) <= MOST


def balance_test(game: Game, budget: int) -> Callable[[np.void], bool]:
    """Return a function that returns whether the record after an opening is balanced.

    Args:
        game: Gomoku.
        budget: number of positions that `threats` searches.
    """
    assert isinstance(game, Gomoku)
    return functools.partial(is_balanced, ThreatsAgent(game, nodes=budget))


def drawable(game: Game, states: States) -> npt.NDArray[np.bool_]:
    """Return the mask of actions that openings sample from, shape (N, num_actions).

    These are the empty intersections near a stone, or near the middle of an empty board.
    """
    assert isinstance(game, Gomoku)
    side = game.board_size
    stones = game.owners(states) >= 0
    stones[~stones.any((1, 2)), side // 2, side // 2] = True
    wide = np.pad(stones, ((0, 0), (_NEAR, _NEAR), (_NEAR, _NEAR)))
    near = np.zeros_like(stones)
    for down in range(2 * _NEAR + 1):
        for right in range(2 * _NEAR + 1):
            near |= wide[:, down : down + side, right : right + side]
    return game.legal(states) & near.reshape(len(near), -1)
