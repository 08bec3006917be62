"""Gomocup's protocol, by which Gomoku programs and tournament managers talk: what both sides share.

The manager writes commands to the program's standard input, one a line, and reads its answers; see
P. Lastovicka, "Gomoku AI protocol", https://plastovicka.github.io/protocl2en.htm. Cells are
`x,y`, the column and the row from 0. `agents.games.gomoku.brain` is the program's side,
`agents.games.gomoku.protocol.engine` the manager's.
"""

from __future__ import annotations

import re

from boardenvs.core.checks import shown

__all__ = ["FREE", "OTHER", "OWN", "RULES", "UNLIMITED", "cell_of", "text_of"]

RULES = {0: False, 1: True}
"""Values of the parameter `exact` by the number of the rule."""
OWN, OTHER = 1, 2
"""Numbers of the owners in a line of BOARD: the program and its opponent."""
FREE = 0
"""No limit, as a time or an amount of memory, but for the time of a move."""
UNLIMITED = 2**31 - 1
"""Milliseconds left that mean no limit."""
_CELL = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*")


def cell_of(text: str, size: int) -> int:
    """Return the number of the cell `x,y` on a board.

    Raises:
        ValueError: the text is not a cell.
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
