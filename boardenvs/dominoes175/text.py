"""The console format of Dominoes 175: the grid face down, and below it the stacks.

Some lines end in blanks. They are part of the output, and are ignored when a text is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from boardenvs.core.checks import require_lines, shown, text_value
from boardenvs.dominoes175.rules import CELLS, STACKS
from boardenvs.show.presentation import Span

__all__ = [
    "COLUMNS",
    "HIDDEN",
    "ROWS",
    "TAKEN",
    "action_from_text",
    "action_to_text",
    "cell_span",
    "deck_from_text",
    "grid_to_text",
    "table_from_text",
    "table_to_text",
    "tile_from_turn_line",
    "tile_span",
    "tile_to_text",
]

ROWS, COLUMNS = 4, 7
HIDDEN = "[?|?]"
TAKEN = "***"
_RULE = 65 * "-"
_GAP = 4 * " "

Tile = tuple[int, int]
"""Dots at the bottom and on top."""


def tile_to_text(bottom: int, top: int) -> str:
    """Return a tile face up, such as `[0|1]`."""
    return f"[{bottom}|{top}]"


def grid_to_text(cells: Sequence[str]) -> str:
    """Return the grid below the numbers of its columns; every line ends with a newline.

    Args:
        cells: tile or `TAKEN` for each cell, row by row.
    """
    lines = [" " * 4 + _GAP.join(f"  {column}  " for column in range(COLUMNS)) + "  "]
    for row in range(ROWS):
        texts = [f"{cell:^5}" for cell in cells[row * COLUMNS : (row + 1) * COLUMNS]]
        lines.append(f"{row}   " + _GAP.join(texts) + "  ")
    return "".join(f"{line}\n" for line in lines)


def table_to_text(cells: Sequence[str], stacks: Sequence[Sequence[str]]) -> str:
    """Return the grid and the stacks; every line ends with a newline.

    Args:
        cells: as for `grid_to_text`.
        stacks: tiles of each stack, from the bottom up.
    """
    lines = [f"{k}|| " + "".join(f"{tile}-" for tile in stack) for k, stack in enumerate(stacks)]
    below = ["", "Domino Stacks:", *lines, _RULE]
    return "Selection Grid:\n" + grid_to_text(cells) + "".join(f"{line}\n" for line in below)


def cell_span(cell: int, look: str) -> Span:
    """Return the place of a taken cell in the text of a table."""
    row, column = divmod(cell, COLUMNS)
    start = 5 + (5 + len(_GAP)) * column
    return Span(2 + row, start, start + len(TAKEN), look)


def tile_span(stack: int, height: int, look: str) -> Span:
    """Return the place of a tile in the text of a table; heights are counted from 0."""
    start = 4 + 6 * height
    return Span(4 + ROWS + stack, start, start + 5, look)


def table_from_text(text: str) -> tuple[list[int], list[list[Tile]]]:
    """Return the taken cells and the tiles of each stack, from the bottom up.

    Raises:
        ValueError: if the text is not from `table_to_text` with the grid face down.
    """
    lines = [line.rstrip(" ") for line in text_value("text", text).splitlines()]
    cells = [cell for line in lines[2 : 2 + ROWS] for cell in line.split()[1:]]
    stacks = [
        [(int(bottom), int(top)) for bottom, top in re.findall(r"\[([0-6])\|([0-6])\]", line)]
        for line in lines[4 + ROWS : 4 + ROWS + STACKS]
    ]
    # Writing what was read must give the same text.
    tiles = [[tile_to_text(*tile) for tile in stack] for stack in [*stacks, [], [], []][:STACKS]]
    grid = [TAKEN if cell == TAKEN else HIDDEN for cell in [*cells, *CELLS * [HIDDEN]][:CELLS]]
    expected = [line.rstrip(" ") for line in table_to_text(grid, tiles).splitlines()]
    require_lines(lines, expected)
    return [number for number, cell in enumerate(grid) if cell == TAKEN], stacks


def tile_from_turn_line(line: str) -> Tile:
    """Return the tile of a line such as `Tile in hand: [0|2]`.

    Raises:
        ValueError: if the line is malformed.
    """
    found = re.fullmatch(r"Tile in hand: \[([0-6])\|([0-6])\]", text_value("text", line).strip())
    if found is None:
        raise ValueError(f"expected a line such as 'Tile in hand: [0|2]', got {shown(line)}")
    return int(found[1]), int(found[2])


def deck_from_text(text: str) -> list[list[int]]:
    """Return the tiles in the order of the cells, from a text such as `0/0 0/1 ...`.

    Raises:
        ValueError: if a tile is not a pair of numbers.
    """
    tiles = text.split()
    try:
        return [[int(end) for end in tile.split("/")] for tile in tiles]
    except ValueError:
        raise ValueError(f"deck must be tiles such as 0/0 0/1 0/2, got {shown(text)}") from None


def action_to_text(action: int, hand: Tile | None) -> str:
    """Return a cell such as `0,3`, or a stack and the end on top, such as `0 6`.

    Args:
        action: number of the action.
        hand: ends of the tile in hand, smaller first. If `None`, the end is written as `larger`
            or `smaller`. The smaller end of a double, which is never legal, is written the same
            way.
    """
    if action < CELLS:
        return "{},{}".format(*divmod(action, COLUMNS))
    stack, small_up = divmod(action - CELLS, 2)
    if hand is None or (small_up and hand[0] == hand[1]):
        return f"{stack} {'smaller' if small_up else 'larger'}"
    return f"{stack} {hand[0] if small_up else hand[1]}"


def action_from_text(text: str, hand: Tile | None) -> int:
    """Return the action of a text from `action_to_text`, ignoring additional blanks.

    Raises:
        ValueError: if the text is malformed, the cell or stack does not exist, or the tile in
            hand does not have the end.
    """
    words = text_value("text", text).split()
    cell = re.fullmatch(r"([0-9]),([0-9])", "".join(words))
    if cell:
        row, column = int(cell[1]), int(cell[2])
        if row >= ROWS or column >= COLUMNS:
            raise ValueError(
                f"{text.strip()!r} is off the grid; its last cell is {ROWS - 1},{COLUMNS - 1}"
            )
        return row * COLUMNS + column
    played = re.fullmatch(r"([0-9]) ([0-6]|larger|smaller)", " ".join(words))
    if not played:
        raise ValueError(
            f"expected a cell such as 0,3, or a stack and the end on top such as 0 6, got {text!r}"
        )
    stack, end = int(played[1]), played[2]
    if stack >= STACKS:
        raise ValueError(f"there is no stack {stack}; the last one is {STACKS - 1}")
    if end in ("larger", "smaller"):
        small_up = end == "smaller"
    elif hand is None:
        raise ValueError(f"{text.strip()!r} plays a tile, but there is none in hand")
    elif int(end) not in hand:
        raise ValueError(f"the tile in hand, {tile_to_text(*hand)}, has no end with {end} dots")
    else:
        small_up = int(end) != hand[1]
    return CELLS + 2 * stack + small_up
