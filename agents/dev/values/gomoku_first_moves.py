"""A program that proves the value of each first move of Gomoku, on boards up to 8 x 8.

If longer lines win, a further stone of a player's colour never harms the player. So if the first
player cannot win, no first move loses: otherwise the first player could win as the second player
does after that move, as if a stone of the opponent were on its intersection.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import boardenvs
from agents.arguments import add_parameters, parameters
from agents.games.gomoku.proofs.proof import Solver
from agents.report.progress import progress_bar
from agents.search.proofs.result import UNLIMITED
from boardenvs.core.checks import whole_number
from boardenvs.files import check_place, write_atomically
from boardenvs.gomoku import Gomoku
from boardenvs.show.svg import (
    BLACK,
    CELL,
    INK,
    MARGIN,
    PAPER,
    RED,
    centre,
    element,
    grid,
    label,
    svg,
)

__all__ = ["DESCRIPTION", "FirstMoves", "add_arguments", "prove_first_moves", "run"]

DESCRIPTION = "Prove the value of each first move of Gomoku, on boards up to 8 x 8."
_STEP = 20_000  # positions until the search changes to the other player's win
_LETTERS = {1: "W", 0: "D", -1: "L", None: "?"}
_NAMES = {"W": "wins", "D": "draws", "L": "loses", "?": "not settled"}
_LOOK = {  # fill and text of the mark of each letter
    "W": (BLACK, PAPER),
    "D": (PAPER, INK),
    "L": (RED, PAPER),
    "?": ("none", INK),
}


class FirstMoves(NamedTuple):
    """The value of each first move, and the cost of the proofs."""

    letters: npt.NDArray[np.str_]
    """W for a move that wins, D for a draw, L for a loss, "?" without a proof; shape (size, size).
    """
    positions: int
    seconds: float
    """CPU time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the program's arguments to its parser."""
    add_parameters(parser)
    parser.add_argument(
        "--positions", type=int, metavar="N", help="maximum number of positions for each proof"
    )
    parser.add_argument(
        "--table-bits",
        type=int,
        default=22,
        metavar="BITS",
        help="size of the table, 2**BITS times 24 bytes (default 22)",
    )
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw the board to FILE")


def run(options: argparse.Namespace) -> None:
    """Print the board with the value of each first move.

    Raises:
        ValueError: an argument is out of range.
        OSError: the picture cannot be written.
    """
    check_place("--svg", options.svg, ".svg")
    limit = UNLIMITED if options.positions is None else whole_number("N", options.positions, 1)
    game = boardenvs.make("gomoku", **parameters(options))
    assert isinstance(game, Gomoku)
    found = prove_first_moves(Solver(game, options.table_bits), limit)
    print(f"   {' '.join(ascii_uppercase[: game.board_size])}")
    for number, row in enumerate(found.letters):
        print(f"{number:2} {' '.join(row)}")
    known = [f"{letter} {_NAMES[letter]}" for letter in _NAMES if (found.letters == letter).any()]
    print(f"{', '.join(known)}: {found.positions:,} positions, {found.seconds:.0f} s of CPU time")
    if options.svg is not None:
        write_atomically(options.svg, _picture(game, found.letters).encode())


def prove_first_moves(solver: Solver, limit: int = UNLIMITED) -> FirstMoves:
    """Return the value of each first move for the first player.

    Args:
        solver: a search of the game.
        limit: maximum number of positions for each proof.
    """
    game = solver.game
    size = game.board_size
    letters = np.full((size, size), "?")
    cells = np.arange(size * size).reshape(size, size)
    turns = [np.rot90(one, k) for one in (cells, cells.T) for k in range(4)]
    # Equal cells of all turns of the board are one question.
    lowest = np.min(turns, axis=0)
    began = time.process_time()
    value, positions = _value(solver, game.new(1, 0)[0], limit)
    if value == 0 and not game.exact:
        letters[:] = _LETTERS[0]
        return FirstMoves(letters, positions, time.process_time() - began)
    # No move of a drawn board wins, so the remaining question is whether it loses.
    questions = (True,) if value == 0 else (True, False)
    with progress_bar(len(np.unique(lowest)), unit="move", desc="first moves") as bar:
        for action in np.unique(lowest):
            state = game.new(1, 0)
            game.play(state, [int(action)])
            value, used = _value(solver, state[0], limit, questions)
            letters[lowest == action] = _LETTERS[value]
            positions += used
            bar.update()
    return FirstMoves(letters, positions, time.process_time() - began)


def _value(
    solver: Solver, state: np.void, limit: int, questions: Sequence[bool] = (True, False)
) -> tuple[int | None, int]:
    """Return the value for the player who has just moved, and the positions searched.

    Each question asks whether a player can win: the player to move (`True`), or the other one.
    """
    used = 0
    todo = list(questions)
    while todo and used < limit:
        attack = todo.pop(0)
        found = solver.search(state, min(_STEP, limit - used), attack=attack)
        used += found.positions
        if found.won:
            return (-1 if attack else 1), used
        if found.won is None:
            todo.append(attack)
    return (None if todo else 0), used


def _picture(game: Gomoku, letters: npt.NDArray[np.str_]) -> str:
    """Return the board as SVG, with a mark of its value on each intersection."""
    size = game.board_size
    shapes = grid([*ascii_uppercase[:size]], [*map(str, range(size))])
    for (row, column), letter in np.ndenumerate(letters):
        fill, ink = _LOOK[str(letter)]
        x, y = centre(row, column)
        shapes.append(element("circle", cx=x, cy=y, r=17, fill=fill, stroke=INK))
        shapes.append(label(x, y, str(letter), 18, fill=ink, font_weight="bold"))
    side = 2 * MARGIN + size * CELL
    lines = f"{game.win_length} in a row on {size} x {size}"
    return svg(side, side, f"Gomoku, {lines}: the value of each first move", shapes)
