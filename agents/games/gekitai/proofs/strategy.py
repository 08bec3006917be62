"""The shipped winning strategies of the first player of Gekitai, as tables of known wins.

`python -m agents.dev gekitai_strategy` creates their files; `check_strategy` describes the format.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import functools
from importlib import resources

import numpy as np
import numpy.typing as npt

from agents.games.gekitai.proofs.check_strategy import read_strategy
from agents.search.proofs.bitboards import canonical, turned
from agents.search.proofs.proof_numbers import ANY_LENGTH, NEVER, entries, write
from boardenvs.gekitai import Gekitai, rules
from boardenvs.gekitai.rules import count
from boardenvs.kernels.binding import over_rules

__all__ = ["file_name", "known_wins"]

_ENOUGH = 8
"""Most pieces that the first player places on 7 x 7 and 8 x 8, so that more make no difference."""


def file_name(game: Gekitai, both_draw: bool = False) -> str:
    """Return the name of the file of a strategy for a game.

    Args:
        game: the game.
        both_draw: whether a placement that satisfies both players is a draw.
    """
    pieces = game.pieces if game.board_size == 6 else min(game.pieces, _ENOUGH)
    return f"first_player_{game.board_size}x{game.board_size}_{pieces}{'_draw' * both_draw}.npz"


def known_wins(game: Gekitai) -> npt.NDArray[np.void]:
    """Return the positions of the shipped strategy for a game as a table for a `Solver`.

    It is empty for games without a shipped strategy.
    """
    file = resources.files(__package__) / file_name(game)
    if game.line_length != 3 or not file.is_file():
        return entries(2)[:0]
    return _shipped(game.board_size, file.name)


@functools.cache
def _shipped(side: int, name: str) -> npt.NDArray[np.void]:
    records = read_strategy(resources.files(__package__) / name).records
    mine, theirs = (spread(records[of], side) for of in ("mine", "theirs"))
    cells = records["cell"].astype(np.int64)
    cells = cells // side * 8 + cells % side
    size = 8
    while True:
        table = entries(size)
        if enter_all.bound_to(rules)(
            Gekitai(board_size=side).constants,
            mine,
            theirs,
            cells,
            records["rank"].astype(np.int64),
            table,
        ):
            table.flags.writeable = False
            return table
        size += 1  # too many positions have the same places


def spread(pieces: npt.NDArray[np.uint64], side: int) -> npt.NDArray[np.uint64]:
    """Return bitboards of a file as those of `boardenvs.gekitai.rules`, with eight bits a row."""
    row = np.uint64((1 << side) - 1)
    found = np.zeros_like(pieces)
    for k in range(side):
        found |= (pieces >> np.uint64(side * k) & row) << np.uint64(8 * k)
    return found


@over_rules(plies=1_000_000)
def enter_all(params, mine, theirs, cells, ranks, table):
    """Write known wins to an empty table; return whether all have a place."""
    p = params[0]
    for i in range(len(mine)):
        one, two, turn = canonical(p, mine[i], theirs[i])
        cell = turned(p, np.uint64(1) << np.uint64(cells[i]), turn)
        bit = count(cell - np.uint64(1))
        write(table, one, two, ANY_LENGTH, 0, NEVER, ranks[i], bit, 1)
    num = 0
    for entry in table:
        num += entry.kind != 0
    return num == len(mine)
