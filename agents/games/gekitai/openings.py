"""Balanced openings of Gekitai, as `python -m agents.dev openings gekitai` makes them.

From the empty board the first player wins, and after most random moves somebody does within a few
plies. Matches from there tell who got the better start. In the positions that are kept here neither
player can force a win within `PLIES` plies, which is certain, and the search for wins of any
length finds none within its budget, for neither of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from agents.games.gekitai.proofs.solving import Solver
from agents.games.gekitai.proofs.strategy import known_wins
from agents.search.proofs.result import UNLIMITED
from boardenvs.game import Game, States
from boardenvs.gekitai import Gekitai

__all__ = ["BUDGET", "CRITERION", "MOVES", "PARAMS", "PLIES", "drawable", "is_balanced", "judge"]

PLIES = 9
"""Within how many plies neither player can force a win."""
MOVES = 4
"""Moves of an opening, by default."""
BUDGET = 300_000
"""Positions that `judge` looks at, by default."""
PARAMS = ("board_size", "pieces", "line_length")
"""The parameters of the game that a file of openings is for."""
CRITERION = {"no win within plies": PLIES}
"""What a file of openings says of the judge."""
_TABLE_BITS = 20


def is_balanced(solver: Solver, state: np.void, budget: int) -> bool:
    """Whether no win of either player is found.

    Args:
        solver: of the game; its table is emptied, so that the answer is that of the position.
        state: a record that is not over.
        budget: how many positions to look at in each search for a win of any length.
    """
    solver.clear()
    if any(solver.search(state, budget, attack=attack).won for attack in (True, False)):
        return False
    solver.clear()
    return not any(
        # The last ply is that of who wins.
        solver.search(state, UNLIMITED, attack=attack, plies=PLIES + 1 - attack).won
        for attack in (True, False)
    )


def judge(game: Game, budget: int) -> Callable[[np.void], bool]:
    """Return the function that tells whether an opening is balanced, by the record after it.

    Args:
        game: Gekitai.
        budget: how many positions to look at in each search for a win of any length.
    """
    assert isinstance(game, Gekitai)
    return functools.partial(
        is_balanced, Solver(game, _TABLE_BITS, known_wins(game)), budget=budget
    )


def drawable(game: Game, states: States) -> npt.NDArray[np.bool_]:
    """Return the actions that openings are drawn from: all legal ones, shape (N, num_actions)."""
    return game.legal(states)
