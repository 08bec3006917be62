"""Pictures of the 112 game: the row of positions, the last move and the winning 1, 1, 2."""

from __future__ import annotations

from collections.abc import Sequence

from boardenvs.show.svg import CELL, MARGIN, centre, grid, label, last_mark, line_mark, svg

__all__ = ["board_picture"]

_WORDS = 240  # minimum width, for the status


def board_picture(cells: Sequence[int], last: int, status: str) -> str:
    """Return the row as SVG.

    Args:
        cells: value of each position, 0 if it is empty.
        last: position of the last move, counted from 0; -1 before the first move.
        status: text that names the player to move or the result.
    """
    shapes = grid([str(i + 1) for i in range(len(cells))], [""])
    for i in range(len(cells) - 2):
        if list(cells[i : i + 3]) == [1, 1, 2]:
            shapes.append(line_mark((0, i), (0, i + 2)))
    shapes += [
        label(*centre(0, i), str(value), size=26, font_weight="bold")
        for i, value in enumerate(cells)
        if value
    ]
    if last >= 0:
        shapes.append(last_mark(0, last))
    words = f"{status[0].upper()}{status[1:]}"
    width, below = max(2 * MARGIN + len(cells) * CELL, _WORDS), CELL + MARGIN
    shapes.append(label(MARGIN, below + 20, words, 18, text_anchor="start"))
    return svg(width, below + 40, f"112 game: {status}", shapes)
