"""A check from first principles that a strategy wins Gekitai for the player who moves first.

`python -m agents.dev gekitai_check_strategy` checks the shipped strategy. Everything that the check
takes for granted stands in this module: it uses NumPy and nothing of this package, neither its
rules nor what the strategy was found with.

The file is an array of NumPy with a record for each position in which the winner is to move and
does not win at once:

- `position`: the board as a number, the sum of `3**k` for each cell `k` (row times 6 + column) with
  a piece of the player to move, and of `2 * 3**k` for each with one of the other's; of the eight
  turns of the board that with the least number.
- `cell`: where to place a piece.
- `rank`: how many plies the game lasts from there on, at most.

The strategy wins if the empty board is one of the positions, and if for each of them this holds:
after its move the other player may reply what he likes, and either has lost by that, or the winner
wins at once, or the board is one of the positions again, of a rank lower by two or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FILE", "FORMAT", "Checked", "check_strategy"]

FILE = Path(__file__).with_name("first_player.npy")
"""The strategy that is shipped."""
FORMAT = np.dtype([("position", "<u8"), ("cell", "u1"), ("rank", "u1")])
"""A record of the file."""

_SIDE = 6
_CELLS = _SIDE * _SIDE
_PIECES = 8
_LINE = 3
_AT_ONCE = 20_000  # boards, so that they stay in the processor's cache

_Bitboards = npt.NDArray[np.uint64]
"""Boards of one player: the bit of cell `k` is `1 << k`."""
_Which = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Checked:
    """What has been found true of a strategy."""

    positions: int
    """How many there are, all of them checked."""
    replies: int
    """How many replies of the other player were looked at."""
    plies: int
    """How long the game lasts from the empty board, at most."""


def _bit(row: int, column: int) -> int:
    """The bit of a cell; 0 if it is off the board."""
    on_board = 0 <= row < _SIDE and 0 <= column < _SIDE
    return 1 << (row * _SIDE + column) if on_board else 0


_STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
# Of each cell, for each step to a neighbour on the board: that one and the cell beyond.
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
    """Both players' pieces after the owner of `mine` placed one on an empty cell.

    Each neighbour, of either colour, goes one cell straight outward: to the cell beyond if that
    is empty, off the board if there is none; it stays if the cell beyond is occupied.
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
    """Where a player has a line or all pieces on the board."""
    won: _Which = np.bitwise_count(pieces) >= _PIECES
    for line in _LINES:
        won |= pieces & line == line
    return won


def _wins_at_once(mine: _Bitboards, theirs: _Bitboards) -> _Which:
    """Where the owner of `mine`, who is to move, has a winning placement."""
    won = np.zeros(len(mine), np.bool_)
    for cell in range(_CELLS):
        todo = np.flatnonzero(~won & ((mine | theirs) >> np.uint64(cell) & np.uint64(1) == 0))
        won[todo] = _has_won(_placed(cell, mine[todo], theirs[todo])[0])
    return won


def _bitboards(positions: npt.NDArray[np.uint64]) -> tuple[_Bitboards, _Bitboards]:
    """The pieces of the player to move, and the other's."""
    digits = positions[:, None] // _POWERS % np.uint64(3)
    bits = np.uint64(1) << np.arange(_CELLS, dtype=np.uint64)
    return (digits == 1) @ bits, (digits == 2) @ bits


def _numbers(mine: _Bitboards, theirs: _Bitboards) -> npt.NDArray[np.uint64]:
    """The numbers of boards, each of the turn with the least."""
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
        ValueError: it does not win; the first fault is told.
    """
    if strategy.dtype != FORMAT or strategy.ndim != 1:
        raise ValueError(f"expected records {FORMAT}, got {strategy.dtype} of {strategy.shape}")
    positions = strategy["position"]
    if (positions[1:] <= positions[:-1]).any() or (positions >= np.uint64(3**_CELLS)).any():
        raise ValueError("the positions are not numbers of boards in ascending order")
    if len(positions) == 0 or positions[0] != 0:
        raise ValueError("the empty board is not one of the positions")
    replies = 0
    for begin in range(0, len(strategy), _AT_ONCE):
        entries = slice(begin, begin + _AT_ONCE)
        replies += _check(strategy, strategy[entries])
    return Checked(len(strategy), replies, int(strategy["rank"][0]))


def _check(strategy: npt.NDArray[Any], entries: npt.NDArray[Any]) -> int:
    """Check some of the positions; returns how many replies there are."""
    mine, theirs = _bitboards(entries["position"])
    _refuse(entries, (_numbers(mine, theirs) != entries["position"]), "is not in its least turn")
    _refuse(entries, _has_won(mine) | _has_won(theirs), "is over")
    _refuse(entries, entries["cell"] >= _CELLS, "has its cell off the board")
    _refuse(
        entries, (mine | theirs) >> entries["cell"] & np.uint64(1) != 0, "has its cell occupied"
    )
    for cell in np.unique(entries["cell"]):
        here = entries["cell"] == cell
        mine[here], theirs[here] = _placed(int(cell), mine[here], theirs[here])
    _refuse(entries, _has_won(mine), "is won at once")
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
        _refuse(entries[free], rises, f"comes to no lower rank after a reply at cell {reply}")
    return replies


def _refuse(entries: npt.NDArray[Any], faulty: _Which, fault: str) -> None:
    if faulty.any():
        raise ValueError(f"position {entries['position'][faulty.argmax()]} {fault}")
