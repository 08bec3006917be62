"""An independent check that a strategy wins Gekitai for the first player.

`python -m agents.dev gekitai_check_strategy` checks the shipped strategy. To be independent, this
module has its own rules and uses only NumPy, nothing of this package or of the search that found
the strategy.

The file is a NumPy array with a record for each position in which the winner is to move and cannot
win at once:

- `position`: the board as a number, the sum of `3**k` for each cell `k` (6 * row + column) with a
  piece of the player to move, and of `2 * 3**k` for each cell with a piece of the other player. Of
  the eight symmetric boards, it is the one with the smallest number.
- `cell`: the cell to place a piece on.
- `rank`: the maximum number of plies to the end of the game.

The strategy wins if the positions include the empty board, and if one of these holds for each
position, after its move and any reply:

- The other player has lost.
- The winner can win at once.
- The board is a position of the strategy, with a rank lower by at least two.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FILE", "FORMAT", "Checked", "check_strategy"]

FILE = Path(__file__).with_name("first_player.npy")
"""Path of the shipped strategy."""
FORMAT = np.dtype([("position", "<u8"), ("cell", "u1"), ("rank", "u1")])
"""Dtype of the file."""

_SIDE = 6
_CELLS = _SIDE * _SIDE
_PIECES = 8
_LINE = 3
_AT_ONCE = 20_000  # boards, few enough for the processor's cache

_Bitboards = npt.NDArray[np.uint64]
"""Pieces of one player, with bit `1 << k` for cell `k`."""
_Which = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Checked:
    """Facts about a checked strategy."""

    positions: int
    """Number of checked positions, which are all positions."""
    replies: int
    """Number of checked replies of the other player."""
    plies: int
    """Maximum number of plies from the empty board to the end."""


def _bit(row: int, column: int) -> int:
    """Return the bit of a cell, 0 if it is off the board."""
    on_board = 0 <= row < _SIDE and 0 <= column < _SIDE
    return 1 << (row * _SIDE + column) if on_board else 0


_STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
# For each cell, pairs of a neighbour on the board and the cell beyond (0 if off the board).
_PUSHES = [
    [
        (np.uint64(near), np.uint64(_bit(row + 2 * down, column + 2 * right)))
        for down, right in _STEPS
        if (near := _bit(row + down, column + right))
    ]
    for row in range(_SIDE)
    for column in range(_SIDE)
]
_LINES = [
    np.uint64(sum(cells))
    for row in range(_SIDE)
    for column in range(_SIDE)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    if all(cells := [_bit(row + k * down, column + k * right) for k in range(_LINE)])
]
_POWERS = np.array([3**k for k in range(_CELLS)], np.uint64)
_GRID = np.arange(_CELLS).reshape(_SIDE, _SIDE)
_TURNS = [np.rot90(grid, k).ravel() for grid in (_GRID, _GRID.T) for k in range(4)]


def _placed(cell: int, mine: _Bitboards, theirs: _Bitboards) -> tuple[_Bitboards, _Bitboards]:
    """Return both players' pieces after the owner of `mine` placed one on an empty cell.

    Each neighbour of either colour moves one cell straight outward, or off the board at the edge.
    It stays if the cell beyond is occupied.
    """
    occupied = mine | theirs
    mine_after = mine | np.uint64(1 << cell)
    theirs_after = theirs
    for near, beyond in _PUSHES[cell]:
        goes = (occupied & near != 0) & (occupied & beyond == 0)
        is_mine = goes & (mine & near != 0)
        is_theirs = goes & (theirs & near != 0)
        mine_after = np.where(is_mine, mine_after & ~near | beyond, mine_after)
        theirs_after = np.where(is_theirs, theirs_after & ~near | beyond, theirs_after)
    return mine_after, theirs_after


def _has_won(pieces: _Bitboards) -> _Which:
    """Return whether a player has a line or all pieces on the board, for each board."""
    won: _Which = np.bitwise_count(pieces) >= _PIECES
    for line in _LINES:
        won |= pieces & line == line
    return won


def _wins_at_once(mine: _Bitboards, theirs: _Bitboards) -> _Which:
    """Return whether the owner of `mine`, who is to move, can win at once, for each board."""
    won = np.zeros(len(mine), np.bool_)
    for cell in range(_CELLS):
        todo = np.flatnonzero(~won & ((mine | theirs) >> np.uint64(cell) & np.uint64(1) == 0))
        won[todo] = _has_won(_placed(cell, mine[todo], theirs[todo])[0])
    return won


def _bitboards(positions: npt.NDArray[np.uint64]) -> tuple[_Bitboards, _Bitboards]:
    """Return the pieces of the player to move and of the other player."""
    digits = positions[:, None] // _POWERS % np.uint64(3)
    bits = np.uint64(1) << np.arange(_CELLS, dtype=np.uint64)
    return (digits == 1) @ bits, (digits == 2) @ bits


def _numbers(mine: _Bitboards, theirs: _Bitboards) -> npt.NDArray[np.uint64]:
    """Return the smallest number among the symmetries of each board."""
    cells = np.arange(_CELLS, dtype=np.uint64)
    digits = mine[:, None] >> cells & np.uint64(1)
    digits += (theirs[:, None] >> cells & np.uint64(1)) * np.uint64(2)
    numbers: npt.NDArray[np.uint64] = np.min([digits[:, turn] @ _POWERS for turn in _TURNS], axis=0)
    return numbers


def check_strategy(strategy: npt.NDArray[Any]) -> Checked:
    """Check every position of a strategy, and every reply in each.

    Args:
        strategy: records of `FORMAT`, shape (N,), in ascending order of positions.

    Raises:
        ValueError: the strategy does not win. The message has the first fault.
    """
    if strategy.dtype != FORMAT or strategy.ndim != 1:
        raise ValueError(
            f"strategy must have dtype {FORMAT} and shape (N,), "
            f"got {strategy.dtype} and {strategy.shape}"
        )
    positions = strategy["position"]
    if (positions[1:] <= positions[:-1]).any() or (positions >= np.uint64(3**_CELLS)).any():
        raise ValueError("strategy positions must be board numbers in ascending order")
    if len(positions) == 0 or positions[0] != 0:
        raise ValueError(
            f"strategy positions must include the empty board, got {len(positions)} without it"
        )
    replies = 0
    for begin in range(0, len(strategy), _AT_ONCE):
        entries = slice(begin, begin + _AT_ONCE)
        replies += _check(strategy, strategy[entries])
    return Checked(len(strategy), replies, int(strategy["rank"][0]))


def _check(strategy: npt.NDArray[Any], entries: npt.NDArray[Any]) -> int:
    """Check some of the positions; return the number of replies."""
    mine, theirs = _bitboards(entries["position"])
    _refuse(
        entries,
        (_numbers(mine, theirs) != entries["position"]),
        "has a smaller symmetry",
    )
    _refuse(entries, _has_won(mine) | _has_won(theirs), "is over")
    _refuse(entries, entries["cell"] >= _CELLS, "has a cell off the board")
    _refuse(entries, (mine | theirs) >> entries["cell"] & np.uint64(1) != 0, "has an occupied cell")
    for cell in np.unique(entries["cell"]):
        here = entries["cell"] == cell
        mine[here], theirs[here] = _placed(int(cell), mine[here], theirs[here])
    _refuse(entries, _has_won(mine), "is won by its own move at once")
    _refuse(entries, _has_won(theirs), "is lost by its own move")
    _refuse(entries, entries["rank"] < 3, "has a rank below 3")
    replies = 0
    for reply in range(_CELLS):
        free = np.flatnonzero((mine | theirs) >> np.uint64(reply) & np.uint64(1) == 0)
        replies += len(free)
        theirs_after, mine_after = _placed(reply, theirs[free], mine[free])
        _refuse(entries[free], _has_won(theirs_after), f"is lost by a reply at cell {reply}")
        goes_on = ~_has_won(mine_after)
        goes_on[goes_on] = ~_wins_at_once(mine_after[goes_on], theirs_after[goes_on])
        free = free[goes_on]
        numbers = _numbers(mine_after[goes_on], theirs_after[goes_on])
        places = np.searchsorted(strategy["position"], numbers).clip(max=len(strategy) - 1)
        found = strategy[places]
        _refuse(entries[free], found["position"] != numbers, f"has no answer to cell {reply}")
        rises = found["rank"] + 2 > entries["rank"][free].astype(np.int64)
        _refuse(entries[free], rises, f"must reach a rank lower by 2 after the reply {reply}")
    return replies


def _refuse(entries: npt.NDArray[Any], faulty: _Which, fault: str) -> None:
    if faulty.any():
        raise ValueError(f"strategy position {entries['position'][faulty.argmax()]} {fault}")
