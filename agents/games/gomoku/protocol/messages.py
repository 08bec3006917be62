"""The messages of Gomocup's protocol between Gomoku programs and tournament managers.

The manager writes commands to the program's standard input, one on each line, and reads the
answers. See P. Lastovicka, "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm. A
cell is `x,y`, its column and its row from 0. `agents.games.gomoku.brain` is the program,
`agents.games.gomoku.protocol.engine` the manager.
"""

from __future__ import annotations

import re

from boardenvs.core.checks import shown

__all__ = ["FREE", "OTHER", "OWN", "RULES", "UNLIMITED", "cell_of", "text_of"]

RULES = {0: False, 1: True}
"""Whether only lines of exactly five win, by the number of the rule."""
OWN, OTHER = 1, 2
"""Owner of a stone in a line of BOARD: the program or its opponent."""
FREE = 0
"""Value for no limit of a match's time or of memory; for a move's time it means no delay."""
UNLIMITED = 2**31 - 1
"""Value of `time_left`, in milliseconds, for no limit."""
_CELL = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*")


def cell_of(text: str, size: int) -> int:
    """Return the number of the cell `x,y` of a board.

    Raises:
        ValueError: `text` does not have this format, or the cell is off the board.
    """
    found = _CELL.fullmatch(text)
    if found is None:
        raise ValueError(f"expected X,Y, got {shown(text.strip())}")
    column, row = int(found[1]), int(found[2])
    if max(column, row) >= size:
        raise ValueError(f"{column},{row} is outside of a board of {size} by {size}")
    return row * size + column


def text_of(cell: int, size: int) -> str:
    """Return a cell as `x,y`."""
    return f"{cell % size},{cell // size}"
