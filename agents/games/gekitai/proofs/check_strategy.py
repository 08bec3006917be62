"""An independent check that a strategy wins Gekitai for the first player.

`python -m agents.dev gekitai_check_strategy` checks the shipped strategy. To be independent, this
module has its own rules and uses only NumPy, nothing of this package or of the search that found
the strategy.

A file is an archive of NumPy arrays (`.npz`). `side`, `pieces` and `both_draw` describe the game;
lines have three pieces. The other arrays have an entry for each position in which the winner is to
move and cannot win at once:

- `mine`, `theirs`: the pieces of the player to move and of the other player. Bit `k` is the cell
  `k = side * row + column`. Of the eight symmetric boards, it is the one with the smallest pair of
  numbers, and the entries are in ascending order of these pairs.
- `cell`: the cell to place a piece on.
- `rank`: the maximum number of plies to the end of the game.

The strategy wins if the positions include the empty board, and if one of these holds for each
position, after its move and any reply:

- The other player has lost.
- The winner can win at once.
- The board is a position of the strategy, with a rank lower by at least two.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FORMAT", "Checked", "Strategy", "check_strategy", "read_strategy", "shipped_files"]

FORMAT = np.dtype([("mine", "<u8"), ("theirs", "<u8"), ("cell", "u1"), ("rank", "u1")])
"""Dtype of the records of a strategy."""

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


@dataclass(frozen=True)
class Strategy:
    """A strategy of the first player, as in a file."""

    side: int
    """Number of rows and columns of the board."""
    pieces: int
    """Number of pieces of each player."""
    both_draw: bool
    """Whether a placement that satisfies both players is a draw, rather than a win of the mover."""
    records: npt.NDArray[Any]
    """Records of `FORMAT`, shape (N,)."""


def shipped_files() -> list[Path]:
    """Return the paths of the shipped strategies, in the order of boards and pieces."""
    files = Path(__file__).parent.glob("first_player_*.npz")
    return sorted(files, key=lambda file: [int(number) for number in re.findall(r"\d+", file.stem)])


def read_strategy(file: Traversable) -> Strategy:
    """Return the strategy of a file.

    Raises:
        ValueError: the file is damaged or no strategy.
        OSError: the file cannot be read.
    """
    packed = file.read_bytes()
    try:
        with np.load(io.BytesIO(packed)) as arrays:
            records = np.zeros(len(arrays["mine"]), FORMAT)
            for name in FORMAT.names or ():
                records[name] = arrays[name]
            side, pieces, both_draw = (int(arrays[k]) for k in ("side", "pieces", "both_draw"))
    except (
        *(ValueError, TypeError, KeyError, EOFError, AttributeError),
        *(zipfile.BadZipFile, zlib.error),
    ) as error:
        raise ValueError(f"file must be a complete strategy, got {file}: {error}") from error
    return Strategy(side, pieces, bool(both_draw), records)


class _Rules:
    """The rules of the game on one board."""

    def __init__(self, side: int, pieces: int, both_draw: bool) -> None:
        self.cells = side * side
        self.pieces = pieces
        self.both_draw = both_draw

        def bit(row: int, column: int) -> int:
            """Return the bit of a cell, 0 if it is off the board."""
            on_board = 0 <= row < side and 0 <= column < side
            return 1 << (row * side + column) if on_board else 0

        steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
        every = [(row, column) for row in range(side) for column in range(side)]
        # For each cell, pairs of a neighbour on the board and the cell beyond (0 if off the board).
        self.pushes = [
            [
                (np.uint64(near), np.uint64(bit(row + 2 * down, column + 2 * right)))
                for down, right in steps
                if (near := bit(row + down, column + right))
            ]
            for row, column in every
        ]
        self.lines = [
            np.uint64(sum(cells))
            for row, column in every
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
            if all(cells := [bit(row + k * down, column + k * right) for k in range(_LINE)])
        ]
        grid = np.arange(self.cells).reshape(side, side)
        self.turns = [np.rot90(one, k).ravel() for one in (grid, grid.T) for k in range(4)]

    def placed(
        self, cell: int, mine: _Bitboards, theirs: _Bitboards
    ) -> tuple[_Bitboards, _Bitboards]:
        """Return both players' pieces after the owner of `mine` placed one on an empty cell.

        Each neighbour of either colour moves one cell straight outward, or off the board at the
        edge. It stays if the cell beyond is occupied.
        """
        occupied = mine | theirs
        mine_after = mine | np.uint64(1 << cell)
        theirs_after = theirs
        for near, beyond in self.pushes[cell]:
            goes = (occupied & near != 0) & (occupied & beyond == 0)
            is_mine = goes & (mine & near != 0)
            is_theirs = goes & (theirs & near != 0)
            mine_after = np.where(is_mine, mine_after & ~near | beyond, mine_after)
            theirs_after = np.where(is_theirs, theirs_after & ~near | beyond, theirs_after)
        return mine_after, theirs_after

    def has_won(self, pieces: _Bitboards) -> _Which:
        """Return whether a player has a line or all pieces on the board, for each board."""
        won: _Which = np.bitwise_count(pieces) >= self.pieces
        for line in self.lines:
            won |= pieces & line == line
        return won

    def wins_at_once(self, mine: _Bitboards, theirs: _Bitboards) -> _Which:
        """Return whether the owner of `mine`, who is to move, can win at once, for each board."""
        won = np.zeros(len(mine), np.bool_)
        for cell in range(self.cells):
            todo = np.flatnonzero(~won & ((mine | theirs) >> np.uint64(cell) & np.uint64(1) == 0))
            mine_after, theirs_after = self.placed(cell, mine[todo], theirs[todo])
            won[todo] = self.has_won(mine_after)
            if self.both_draw:
                won[todo] &= ~self.has_won(theirs_after)
        return won

    def smallest(self, mine: _Bitboards, theirs: _Bitboards) -> tuple[_Bitboards, _Bitboards]:
        """Return the smallest pair of numbers among the symmetries of each board."""
        best_mine, best_theirs = mine, theirs
        for turn in self.turns[1:]:
            one, two = self.turned(mine, turn), self.turned(theirs, turn)
            less = (one < best_mine) | (one == best_mine) & (two < best_theirs)
            best_mine = np.where(less, one, best_mine)
            best_theirs = np.where(less, two, best_theirs)
        return best_mine, best_theirs

    def turned(self, pieces: _Bitboards, turn: npt.NDArray[np.int64]) -> _Bitboards:
        """Return boards under a symmetry, in which cell `k` has the piece of cell `turn[k]`."""
        found = np.zeros_like(pieces)
        for k, old in enumerate(turn.tolist()):
            found |= (pieces >> np.uint64(old) & np.uint64(1)) << np.uint64(k)
        return found


def check_strategy(strategy: Strategy) -> Checked:
    """Check every position of a strategy, and every reply in each.

    Raises:
        ValueError: the strategy does not win. The message has the first fault.
    """
    records = strategy.records
    if records.dtype != FORMAT or records.ndim != 1:
        raise ValueError(
            f"strategy must have dtype {FORMAT} and shape (N,), "
            f"got {records.dtype} and {records.shape}"
        )
    if not (3 <= strategy.side <= 8 and strategy.pieces >= _LINE):
        raise ValueError(
            "strategy must have 3 to 8 cells a side and at least 3 pieces, "
            f"got {strategy.side} and {strategy.pieces}"
        )
    rules = _Rules(strategy.side, strategy.pieces, strategy.both_draw)
    mine, theirs = records["mine"], records["theirs"]
    if len(records) == 0 or mine[0] | theirs[0]:
        raise ValueError(
            f"strategy positions must include the empty board, got {len(records)} without it"
        )
    places = _Places(records)
    if (places.keys[1:] <= places.keys[:-1]).any():
        raise ValueError("strategy positions must be in ascending order")
    if (mine & theirs).any() or int((mine | theirs).max()) >= 1 << rules.cells:
        raise ValueError("strategy positions must have at most one piece on each cell of the board")
    replies = 0
    for begin in range(0, len(records), _AT_ONCE):
        replies += _check(rules, records, places, begin)
    return Checked(len(records), replies, int(records["rank"][0]))


class _Places:
    """The positions of a strategy as integers in ascending order."""

    def __init__(self, records: npt.NDArray[Any]) -> None:
        self.mine = np.unique(records["mine"])
        self.theirs = np.unique(records["theirs"])
        self.keys = self.of(records["mine"], records["theirs"])

    def of(self, mine: _Bitboards, theirs: _Bitboards) -> npt.NDArray[np.int64]:
        """Return the integer of each board, -1 for bitboards that no position has."""
        i = np.searchsorted(self.mine, mine).clip(max=len(self.mine) - 1)
        j = np.searchsorted(self.theirs, theirs).clip(max=len(self.theirs) - 1)
        known = (self.mine[i] == mine) & (self.theirs[j] == theirs)
        return np.where(known, i * len(self.theirs) + j, -1)


def _check(rules: _Rules, records: npt.NDArray[Any], places: _Places, begin: int) -> int:
    """Check some of the positions; return the number of replies."""
    entries = records[begin : begin + _AT_ONCE]
    numbers = np.arange(begin, begin + len(entries))
    mine, theirs = entries["mine"], entries["theirs"]
    cells, ranks = entries["cell"], entries["rank"].astype(np.int64)
    one, two = rules.smallest(mine, theirs)
    _refuse(numbers, (one != mine) | (two != theirs), "has a smaller symmetry")
    _refuse(numbers, rules.has_won(mine) | rules.has_won(theirs), "is over")
    _refuse(numbers, cells >= rules.cells, "has a cell off the board")
    _refuse(numbers, (mine | theirs) >> cells & np.uint64(1) != 0, "has an occupied cell")
    mine, theirs = mine.copy(), theirs.copy()
    for cell in np.unique(cells):
        here = cells == cell
        mine[here], theirs[here] = rules.placed(int(cell), mine[here], theirs[here])
    _refuse(numbers, rules.has_won(mine), "is won by its own move at once")
    _refuse(numbers, rules.has_won(theirs), "is lost by its own move")
    _refuse(numbers, ranks < 3, "has a rank below 3")
    replies = 0
    for reply in range(rules.cells):
        free = np.flatnonzero((mine | theirs) >> np.uint64(reply) & np.uint64(1) == 0)
        replies += len(free)
        theirs_after, mine_after = rules.placed(reply, theirs[free], mine[free])
        _refuse(numbers[free], rules.has_won(theirs_after), f"is lost by a reply at cell {reply}")
        goes_on = ~rules.has_won(mine_after)
        goes_on[goes_on] = ~rules.wins_at_once(mine_after[goes_on], theirs_after[goes_on])
        free = free[goes_on]
        wanted = places.of(*rules.smallest(mine_after[goes_on], theirs_after[goes_on]))
        found = np.searchsorted(places.keys, wanted).clip(max=len(records) - 1)
        _refuse(numbers[free], places.keys[found] != wanted, f"has no answer to cell {reply}")
        rises = records["rank"][found].astype(np.int64) + 2 > ranks[free]
        _refuse(numbers[free], rises, f"must reach a rank lower by 2 after the reply {reply}")
    return replies


def _refuse(numbers: npt.NDArray[np.int64], faulty: _Which, fault: str) -> None:
    if faulty.any():
        raise ValueError(f"strategy position {numbers[faulty.argmax()]} {fault}")
