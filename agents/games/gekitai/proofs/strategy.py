"""The shipped winning strategy of the first player of Gekitai, as a table of known wins.

`python -m agents.dev gekitai_strategy` creates its file; `check_strategy` describes the format.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import functools
import io
from importlib import resources

import numpy as np
import numpy.typing as npt

from agents.games.gekitai.proofs.check_strategy import FILE
from agents.search.proofs.bitboards import canonical, turned
from agents.search.proofs.proof_numbers import ANY_LENGTH, NEVER, entries, write
from boardenvs.gekitai import Gekitai, rules
from boardenvs.gekitai.rules import count
from boardenvs.kernels.binding import over_rules

__all__ = ["BITS", "POWERS", "known_wins"]

_CELLS = 36
BITS = np.array([8 * r + c for r in range(6) for c in range(6)], np.uint64)
"""Bit of each cell, as in `boardenvs.gekitai.rules`."""
POWERS = np.array([3**k for k in range(_CELLS)], np.uint64)
"""Value of the digit of each cell in a position of the file, as in `check_strategy`."""


def known_wins(game: Gekitai) -> npt.NDArray[np.void]:
    """Return the positions of the shipped strategy as a table for a `Solver`.

    It is empty for games with other parameters.
    """
    if (game.board_size, game.pieces, game.line_length) != (6, 8, 3):
        return entries(2)[:0]
    return _shipped()


@functools.cache
def _shipped() -> npt.NDArray[np.void]:
    strategy = np.load(io.BytesIO((resources.files(__package__) / FILE.name).read_bytes()))
    digits = strategy["position"][:, None] // POWERS % np.uint64(3)
    bits = np.uint64(1) << BITS
    mine, theirs = ((digits == np.uint64(digit)) @ bits for digit in (1, 2))
    cells = BITS[strategy["cell"]].astype(np.int64)
    size = 16
    while True:
        table = entries(size)
        if enter_all.bound_to(rules)(
            Gekitai().constants, mine, theirs, cells, strategy["rank"].astype(np.int64), table
        ):
            table.flags.writeable = False
            return table
        size += 1  # too many positions have the same places


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
