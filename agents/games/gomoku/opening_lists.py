"""A reader of Gomocup's opening lists, with a line `x,y, x,y, ...` for each opening, black first.

x is the column and y the row, counted to the right and down from the middle of the board. The
middle has the column and the row `board_size // 2`, counted from 0.
"""

from __future__ import annotations

import re

from boardenvs.game import Game

__all__ = ["read"]


def read(line: str, game: Game) -> list[int]:
    """Return the actions of an opening.

    Args:
        line: one line of the list.
        game: Gomoku.

    Raises:
        ValueError: the line does not have this format, or a stone is off the board.
    """
    size = int(game.params["board_size"])
    parts = [part.strip() for part in line.split(",")]
    if len(parts) % 2 or not all(re.fullmatch("[+-]?[0-9]{1,3}", part) for part in parts):
        raise ValueError(f"expected x,y of each stone like -1,2, 0,3, got {line[:60]!r}")
    cells = []
    for x, y in zip(parts[::2], parts[1::2], strict=True):
        column, row = size // 2 + int(x), size // 2 + int(y)
        if not (0 <= column < size and 0 <= row < size):
            raise ValueError(
                f"x,y must be on the board of {size} by {size}, counted from its middle, "
                f"got {x},{y}"
            )
        cells.append(row * size + column)
    return cells
