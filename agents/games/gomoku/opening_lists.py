"""A reader of opening lists with one opening per line, black first.

Gomocup's lists have lines `x,y, x,y, ...`. x is the column and y the row, counted to the right and
down from the middle of the board. The middle has the column and the row `board_size // 2`, counted
from 0. This is the type `offset` of c-gomoku-cli.

Its type `pos` has lines like `d3e5f6d7`: for each stone the letter of its column, from `a` at the
left, and the number of its row, from 1 at the top.
"""

from __future__ import annotations

import re

from boardenvs.game import Game

__all__ = ["read"]

_POS = re.compile("([a-z])([0-9]{1,2})")


def read(line: str, game: Game) -> list[int]:
    """Return the actions of an opening.

    Args:
        line: one line of the list.
        game: Gomoku.

    Raises:
        ValueError: the line has neither format, or a stone is off the board.
    """
    size = int(game.params["board_size"])
    line = line.strip()
    if re.fullmatch(f"(?:{_POS.pattern})+", line):
        return [_cell_of(letter, row, size) for letter, row in _POS.findall(line)]
    parts = [part.strip() for part in line.split(",")]
    if len(parts) % 2 or not all(re.fullmatch("[+-]?[0-9]{1,3}", part) for part in parts):
        raise ValueError(
            "expected x,y of each stone like -1,2, 0,3, or its column and row like d3e5, "
            f"got {line[:60]!r}"
        )
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


def _cell_of(letter: str, number: str, size: int) -> int:
    column, row = ord(letter) - ord("a"), int(number) - 1
    if not (column < size and 0 <= row < size):
        raise ValueError(
            f"column and row must be from a1 to {chr(ord('a') + size - 1)}{size}, "
            f"got {letter}{number}"
        )
    return row * size + column
