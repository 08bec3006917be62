"""The text formats of Goat Race: board with players, phase and turn; moves; obstacles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from boardenvs.core.checks import shown, text_value, whole_number
from boardenvs.show.grid import address, grid_cells, grid_text

__all__ = [
    "COLORS",
    "DECISIONS",
    "LETTERS",
    "LOOK_OF",
    "Position",
    "action_from_text",
    "action_to_text",
    "cells_of_action",
    "obstacles",
    "obstacles_from_text",
    "parse_turn_line",
    "position_from_text",
    "position_to_text",
    "walls",
]

COLORS = ("WHITE", "BLACK", "RED", "ORANGE", "GREEN")
"""Colour of each seat."""
LETTERS = "".join(color[0] for color in COLORS)
LOOK_OF = {"W": "cyan", "B": "magenta", "R": "red", "O": "yellow", "G": "green", "X": "faint"}
"""Terminal colour of each letter, readable on black and white backgrounds."""
DECISIONS = ("place", "sideways", "forward")
"""Name of each decision, indexed by the constants of `boardenvs.goat_race.rules`."""
_STAY = "s"


# -- Positions ----------------------------------------------------------------------------


class Position(NamedTuple):
    """The content of a text."""

    tops: list[str]
    """A string for each row: a letter, `X` for an obstacle, or a blank."""
    obstacles: list[list[Any]]
    phase: int
    turn: str
    """Colour of the player to move."""


def position_to_text(tops: Sequence[str], players: Sequence[str], phase: int, turn: str) -> str:
    """Return board, players, phase and turn as text.

    Args:
        tops: see `Position`.
        players: colours of the players, in the order in which they joined.
        phase: 1, 2 or 3.
        turn: colour of the player to move.
    """
    return (
        f"{grid_text(tops)}\nPlayers: {', '.join(players)}\n"
        f"Phase: {phase}\nPlayer whose turn it is: {turn}\n"
    )


def position_from_text(text: str, height: int, width: int, players: Sequence[str]) -> Position:
    """Return the content of a text from `position_to_text`, of phase 2 or 3.

    Raises:
        ValueError: if the text is malformed.
    """
    lines = text_value("text", text).splitlines()
    end = 2 * height + 2
    letters = "".join(player[0] for player in players)
    tops = grid_cells("\n".join(lines[:end]), height, width, f"{letters}X ")
    blocked = [sum(1 << column for column, cell in enumerate(row) if cell == "X") for row in tops]
    pairs = obstacles(blocked)
    walls(pairs, height, width)
    for phase in (2, 3):
        for turn in players:
            if lines[end:] == position_to_text(tops, players, phase, turn).splitlines()[end:]:
                return Position(tops, pairs, phase, turn)
    raise ValueError(
        f"text must have below the board an empty line, 'Players: {', '.join(players)}', "
        f"'Phase: 2' or 'Phase: 3', and 'Player whose turn it is: ' with a player, "
        f"got {shown(lines[end:])}"
    )


def parse_turn_line(line: str, players: Sequence[str]) -> dict[str, Any]:
    """Return order, decision and die, as keyword arguments of `GoatRace.from_text`.

    Args:
        line: a line from `GoatRacePresentation.turn_line`.
        players: colour of each seat.

    Raises:
        ValueError: if the line is malformed.
    """
    found = re.fullmatch(
        r"Order: ([A-Z, ]+); (?:place a goat.*|die: (\d{1,2}); move (sideways|a goat).*)",
        text_value("text", line).strip(),
        re.ASCII,
    )
    names = found[1].split(", ") if found else []
    if found is None or sorted(names) != sorted(players):
        raise ValueError(
            "text must have below the board a line such as "
            f"'Order: {', '.join(players)}; die: 3; move a goat of row 3 forward', got "
            f"{shown(line)}"
        )
    arguments: dict[str, Any] = {"order": [players.index(name) for name in names]}
    if found[2] is not None:
        arguments["die"] = int(found[2])
        arguments["decision"] = "sideways" if found[3] == "sideways" else "forward"
    return arguments


def walls(pairs: Any, height: int, width: int) -> list[int]:
    """Return a word of bits for each row, from obstacles given as `(row, column)`.

    Raises:
        ValueError: if the list is malformed, or an obstacle is in the first or last column.
    """
    last = ascii_uppercase[width - 2]
    expected = (
        f"obstacles must be one (row, column) for each row from 1 to {height}, with columns "
        f"from B to {last}"
    )
    if not isinstance(pairs, list | tuple) or len(pairs) != height:
        raise ValueError(f"{expected}, got {shown(pairs)}")
    blocked = [0] * height
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise ValueError(f"{expected}, got {shown(pair)}")
        row = whole_number("row of obstacles", pair[0], 1, height) - 1
        inner = ascii_uppercase[1 : width - 1]
        if not isinstance(pair[1], str) or len(pair[1]) != 1 or pair[1] not in inner:
            raise ValueError(f"{expected}, got column {shown(pair[1])}")
        if blocked[row]:
            raise ValueError(f"{expected}, got row {row + 1} twice")
        blocked[row] = 1 << ascii_uppercase.index(pair[1])
    return blocked


def obstacles(blocked: Sequence[int]) -> list[list[Any]]:
    """Return the obstacles of words from `walls` as `[row, column]`, row by row."""
    return [
        [row + 1, ascii_uppercase[column]]
        for row, word in enumerate(blocked)
        for column in range(26)
        if word >> column & 1
    ]


def obstacles_from_text(text: str) -> list[tuple[int, str]]:
    """Return obstacles from the letters of their columns, row by row, such as `CDBHEC`."""
    return list(enumerate(text, 1))


# -- Actions ------------------------------------------------------------------------------


def cells_of_action(action: int, height: int, width: int, die: int) -> list[tuple[int, int]]:
    """Return the cells of an action as rows and columns, counted from 0.

    A move has a first and a last cell. The last cell of a few actions is off the board; these
    actions are never legal. A placement has one cell, and staying has no cells.
    """
    stay = height + 2 * height * width
    if action == stay:
        return []
    if action < height:
        return [(action, 0)]
    if action < stay:
        cell, down = divmod(action - height, 2)
        row, column = divmod(cell, width)
        return [(row, column), (row + 2 * down - 1, column)]
    column = action - stay - 1
    return [(die - 1, column), (die - 1, column + 1)]


def action_to_text(action: int, height: int, width: int, die: int) -> str:
    """Return `1`, `C4C5`, `s` or `B3C3`; without a throw, a forward action is `BC`.

    Actions that would leave the board have addresses beyond it: `A1A0`, `I3J3`.
    """
    cells = cells_of_action(action, height, width, die)
    if not cells:
        return _STAY
    if len(cells) == 1:
        return str(action + 1)
    begin, end = cells
    if begin[1] == end[1]:
        return address(*begin) + address(*end)
    row = str(die) if die else ""
    return f"{_letter(begin[1])}{row}{_letter(end[1])}{row}"


def action_from_text(text: str, height: int, width: int, die: int) -> int:
    """Return the action of a text from `action_to_text`, ignoring case and blanks.

    Raises:
        ValueError: if the text is not an action of this board and throw.
    """
    word = re.sub(r"\s", "", text_value("text", text)).upper()
    stay = height + 2 * height * width
    if word == _STAY.upper():
        return stay
    if re.fullmatch("[1-9][0-9]?", word):
        return whole_number("the row to place a goat in", int(word), 1, height) - 1
    found = re.fullmatch(r"([A-Z])(\d*)([A-Z\[])(\d*)", word, re.ASCII)
    if (
        found is None
        or max(map(len, found.group(2, 4))) > 2
        or (die and not (found[2] and found[4]))
    ):
        raise ValueError(
            f"expected a row such as 1, a move such as C4C5, or s to stay, got {text.strip()!r}"
        )
    columns = ord(found[1]) - ord("A"), ord(found[3]) - ord("A")
    if columns[0] >= width:
        raise ValueError(
            f"{text.strip()!r} starts off the board of columns A to {_letter(width - 1)}"
        )
    if columns[1] == columns[0] + 1 and found[2] == found[4] == (str(die) if die else ""):
        return stay + 1 + columns[0]
    if columns[1] == columns[0] and found[2] and found[4]:
        rows = int(found[2]), int(found[4])
        if 1 <= rows[0] <= height and abs(rows[1] - rows[0]) == 1:
            cell = (rows[0] - 1) * width + columns[0]
            return height + 2 * cell + (rows[1] > rows[0])
    row = f"in row {die}" if die else "without its rows, as BC,"
    raise ValueError(
        f"{text.strip()!r} is no move one row up or down, and none one column forward {row}"
    )


def _letter(column: int) -> str:
    """Return a column's letter; the column after Z, off the widest board, is `[`."""
    return chr(ord("A") + column)
