"""Lists of openings in Gomocup's format: a line `x,y, x,y, ...` for each opening, black first.

x is the column and y the row, counted to the right and down from the middle of the board. The
middle is the column and the row with the number `board_size // 2`, counted from 0.
"""

from __future__ import annotations

import re

from boardenvs.game import Game

__all__ = ["read"]


def read(line: str, game: Game) -> list[int]:
    """Return the actions of a line.

    Args:
        line: a line of the list.
        game: Gomoku.

    Raises:
        ValueError: the line does not have this format, or a stone is off the board.
    """
    size = int(game.params["board_size"])
    parts = [part.strip() for part in line.split(",")]
    if len(parts) % 2 or not all(re.fullmatch("[+-]?[0-9]{1,3}", part) for part in parts):
        raise ValueError(f"expected x,y of each stone such as -1,2, 0,3, got {line[:60]!r}")
    cells = []
    for x, y in zip(parts[::2], parts[1::2], strict=True):
        column, row = size // 2 + int(x), size // 2 + int(y)
        if not (0 <= column < size and 0 <= row < size):
            raise ValueError(f"{x},{y} is off the board of {size} by {size}")
        cells.append(row * size + column)
    return cells
