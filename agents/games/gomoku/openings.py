"""Balanced openings of Gomoku, as `python -m agents.dev openings gomoku` makes them.

After random stones, one near another, one player is mostly far ahead. Those positions are kept in
which the engine `threats` sees neither a forced win nor much of an advantage.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agents.games.gomoku.threats import ThreatsAgent
from boardenvs.game import Game, States
from boardenvs.gomoku import Gomoku

__all__ = ["BUDGET", "CRITERION", "MOST", "MOVES", "PARAMS", "drawable", "is_balanced", "judge"]

MOST = 0.1
"""The result that `threats` expects is no further from 0."""
MOVES = 6
"""Moves of an opening, by default."""
BUDGET = 100_000
"""Positions that `judge` looks at, by default."""
PARAMS = ("board_size", "win_length", "exact")
"""The parameters of the game that a file of openings is for."""
CRITERION = {"expected result at most": MOST}
"""Description of the judge in a file of openings."""
_NEAR = 2
"""Maximum distance of a stone from another stone."""


def is_balanced(engine: ThreatsAgent, state: np.void) -> bool:
    """Return whether an engine sees no winner and no large advantage."""
    (thought,) = engine.think(np.array([state], engine.game.state_dtype))
    return not thought.proven and abs(thought.value) <= MOST


def judge(game: Game, budget: int) -> Callable[[np.void], bool]:
    """Return a function of a record that returns whether an opening is balanced.

    Args:
        game: Gomoku.
        budget: number of positions that `threats` searches.
    """
    assert isinstance(game, Gomoku)
    return functools.partial(is_balanced, ThreatsAgent(game, nodes=budget))


def drawable(game: Game, states: States) -> npt.NDArray[np.bool_]:
    """Return the actions that openings are drawn from, shape (N, num_actions).

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
