"""Makes balanced openings of Gekitai: `python -m agents.games.gekitai.openings`.

From the empty board the first player wins, and after most random moves somebody does within a few
plies. Matches from there tell who got the better start. In the positions that are kept here neither
player can force a win within `PLIES` plies, which is certain, and the search for wins of any
length finds none within its budget, for neither of them.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.games.gekitai.solving import Solver
from agents.games.gekitai.strategy import known_wins
from agents.proofs.asking import UNLIMITED
from agents.random_openings import Judge, make_openings, openings_parser
from boardenvs.checks import whole_number
from boardenvs.game import Game
from boardenvs.gekitai import Gekitai

__all__ = ["PLIES", "is_balanced", "main"]

PLIES = 9
"""Within how many plies neither player can force a win."""
_TABLE_BITS = 20
_FILE = Path(__file__).with_name("balanced.openings.json")
_PARAMS = ("board_size", "pieces", "line_length")


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Make openings; see `--help`.

    Args:
        arguments: what stands after the program's name; by default the process's own.

    Returns:
        The exit status: 0, or 130 after Ctrl-C; 2 by `SystemExit` after an error.
    """
    parser = openings_parser(
        "agents.games.gekitai.openings",
        "Make random openings after which neither player is known to win: no win is "
        f"forced within {PLIES} plies, and none is found by proof numbers.",
        4,
    )
    parser.add_argument(
        "--budget",
        type=int,
        default=300_000,
        help="positions that the search for each player's win looks at (default 300000)",
    )
    return make_openings(parser, arguments, "gekitai", _judged)


def _judged(
    options: argparse.Namespace, game: Game
) -> tuple[Judge, None, Path, Sequence[str], dict[str, Any]]:
    assert isinstance(game, Gekitai)
    budget = whole_number("budget", options.budget, 1)
    solver = Solver(game, _TABLE_BITS, known_wins(game))
    made = {
        "options": {"budget": budget},
        "no win within plies": PLIES,
        "positions searched for each player's win": budget,
    }
    return functools.partial(is_balanced, solver, budget=budget), None, _FILE, _PARAMS, made


if __name__ == "__main__":
    sys.exit(main())
