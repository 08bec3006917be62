"""Balanced openings of Gekitai, for `python -m agents.dev openings gekitai`.

The first player wins from the empty board, and most random openings are won within a few plies.
Matches from such openings measure the luck of the start. In a balanced opening, neither player can
force a win within `PLIES` plies, and a search for longer wins finds none within its budget.
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

__all__ = [
    "BUDGET",
    "CRITERION",
    "MOVES",
    "PARAMS",
    "PLIES",
    "balance_test",
    "drawable",
    "is_balanced",
]

PLIES = 9
"""Number of plies within which neither player can force a win."""
MOVES = 4
"""Default number of moves of an opening."""
BUDGET = 300_000
"""Default number of positions that `judge` searches."""
PARAMS = ("board_size", "pieces", "line_length")
"""Parameters of the game that are part of an openings file."""
CRITERION = {"no win within plies": PLIES}
"""Description of the judge in an openings file."""
_TABLE_BITS = 20


def is_balanced(solver: Solver, state: np.void, budget: int) -> bool:
    """Return whether searches find no win of either player.

    Args:
        solver: solver of the game. Its table is cleared, so the result depends only on `state`.
        state: a record that is not over.
        budget: maximum number of positions in each search for a win of any length.
    """
    solver.clear()
    if any(solver.search(state, budget, attack=attack).won for attack in (True, False)):
        return False
    solver.clear()
    return not any(
        # The winner plays the last ply, so the bound must have the right parity.
        solver.search(state, UNLIMITED, attack=attack, plies=PLIES + 1 - attack).won
        for attack in (True, False)
    )


def balance_test(game: Game, budget: int) -> Callable[[np.void], bool]:
    """Return a function that returns whether the record after an opening is balanced.

    Args:
        game: a game of Gekitai.
        budget: maximum number of positions in each search for a win of any length.
    """
    assert isinstance(game, Gekitai)
    return functools.partial(
        is_balanced, Solver(game, _TABLE_BITS, known_wins(game)), budget=budget
    )


def drawable(game: Game, states: States) -> npt.NDArray[np.bool_]:
    """Return the mask of actions of openings, all legal ones, shape (N, num_actions)."""
    return game.legal(states)
