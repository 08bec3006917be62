"""A quick move within milliseconds, without imports of libraries or compilation."""

from __future__ import annotations

from collections.abc import Mapping

from agents.games.gomoku.protocol.messages import OTHER, OWN

__all__ = ["quick_move"]

_BASE = 100
"""Base of a line's worth. One more stone outweighs all lines through a cell with fewer stones."""


def quick_move(stones: Mapping[int, int], size: int, length: int) -> int:
    """Return the empty cell whose lines are worth most, for the program or against it.

    A line without stones of both players is worth a power that grows with the number of its
    stones. So the move completes a line of the program if it can, else blocks a line that the
    opponent could complete. Among equal cells, the function returns the one nearest to the middle.

    Args:
        stones: `OWN` or `OTHER` by cell; at least one cell is empty.
        size: the number of rows of the board, which is also the number of columns.
        length: the number of cells of a line that wins.
    """
    worth = {cell: 0 for cell in range(size * size) if cell not in stones}
    for first in range(size * size):
        row, column = divmod(first, size)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            last_row, last_column = row + down * (length - 1), column + right * (length - 1)
            if last_row >= size or not 0 <= last_column < size:
                continue
            line = [first + k * (down * size + right) for k in range(length)]
            owners = [stones.get(cell) for cell in line]
            own, other = owners.count(OWN), owners.count(OTHER)
            if own and other:
                continue
            for cell in line:
                if cell in worth:
                    worth[cell] += _BASE**other if other else 2 * _BASE**own
    middle = (size - 1) / 2

    def rank(cell: int) -> tuple[int, float]:
        row, column = divmod(cell, size)
        return worth[cell], -max(abs(row - middle), abs(column - middle))

    return max(worth, key=rank)
