"""Files of Piskvork, the tournament manager of Gomocup: `*.psq`.

The first line has the size of the board, the level of each player, and the number of the player
who began (0 or 1). Each further line is a stone: its column and row, counted from 1 at the top
left, and its time in milliseconds. The names of both players may follow, and a number for the kind
of end. In files of Gomocup the next line has the result and the name of the tournament, which
contains the name of the rule. Files of Piskvork itself have no rule. Other lines after the end are
remarks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from boardenvs.core.checks import printable
from boardenvs.gomoku.other_files import (
    decoded,
    episode_of,
    exact_of,
    kept_moves,
    rule_of,
    winner_of,
)

if TYPE_CHECKING:
    from boardenvs.episode import Episode
    from boardenvs.game import Game

__all__ = ["read", "write"]

_HEAD = re.compile(r"Piskvorky +([0-9]{1,4})x([0-9]{1,4}), *-?[0-9]+:-?[0-9]+, *([0-9]+)\s*")
_STONE = re.compile(r"\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*(?:,\s*-?[0-9]+\s*)?")
_ENDED = re.compile(r"\s*-?[0-9]+\s*")
_RESULT = re.compile(r"\s*-?[0-9]+\s*,(.*)")
_RULE = re.compile("freestyle|standard|renju|caro", re.IGNORECASE)


def read(data: bytes, game: Game | None = None) -> list[Episode]:
    """Return the only episode of a PSQ file.

    Args:
        data: content of the file.
        game: expected game; `None` for the game of the file, see `.other_files`.

    Raises:
        ValueError: if the data are no PSQ file, are damaged, or hold another game.
    """
    lines = [
        (number, line.rstrip("\r"))
        for number, line in enumerate(decoded(data).split("\n"), 1)
        if line.strip()
    ]
    head = _HEAD.fullmatch(lines[0][1]) if lines else None
    if head is None:
        raise ValueError("no PSQ file: its first line must be like 'Piskvorky 15x15, 11:11, 0'")
    columns, rows, began = map(int, head.groups())
    if columns != rows:
        raise ValueError(f"the board must be square, got {columns} by {rows}")
    if began > 1:
        raise ValueError(f"the last number of the first line must be 0 or 1, got {began}")
    cells = []
    for number, line in lines[1:]:
        stone = _STONE.fullmatch(line)
        if stone is None:
            break
        column, row = int(stone[1]), int(stone[2])
        if not (1 <= column <= columns and 1 <= row <= rows):
            raise ValueError(f"line {number}: {column},{row} is off the board of {rows} by {rows}")
        cells.append((row - 1) * columns + column - 1)
    rest = lines[1 + len(cells) :]
    names = [printable(line) for _, line in rest[:2]] if _is_named(rest) else None
    exact = _rule_of_end(rest if names is None else rest[2:], game)
    if names and began:
        names.reverse()
    return [episode_of(rows, exact, cells, names, game)]


def _is_named(rest: list[tuple[int, str]]) -> bool:
    """Return whether the lines after the stones begin with the names of the players."""
    lines = [line for _, line in rest]
    if len(lines) < 2:
        return False
    if _ENDED.fullmatch(lines[0]):  # an end, or a name if a whole end follows both names
        return len(lines) == 4 and bool(_ENDED.fullmatch(lines[2]) and _RESULT.fullmatch(lines[3]))
    return len(lines) > 2 or not _ENDED.fullmatch(lines[1])


def _rule_of_end(lines: list[tuple[int, str]], game: Game | None) -> bool | None:
    """Return the value of `exact` from the lines after the names; `None` without a rule."""
    exact = None
    for place, (number, line) in enumerate(lines):
        if place == 0 and not _ENDED.fullmatch(line):
            raise ValueError(
                f"line {number} must be a stone such as 8,8,0, or an end, got {line[:20]!r}"
            )
        result = _RESULT.fullmatch(line) if place == 1 else None
        if _STONE.fullmatch(line) and (result is None or line.count(",") > 1):
            raise ValueError(f"line {number} must not be a stone after the end, got {line[:20]!r}")
        if result is not None and (rule := _RULE.search(result[1])):
            exact = exact_of(rule[0], game)
    return exact


def write(episode: Episode) -> bytes:
    """Return the content of the PSQ file of an episode, in Gomocup's format with all times 0.

    Raises:
        ValueError: if a PSQ file cannot hold the episode.
    """
    size = episode.game.params["board_size"]
    for name in episode.players:
        if not name.strip() or _STONE.fullmatch(name):
            raise ValueError(
                f"players' names in a PSQ file must not be blank or read like a stone, got {name!r}"
            )
    winner = winner_of(episode)
    result = -1 if winner is None else winner + 1
    lines = [
        f"Piskvorky {size}x{size}, 11:11, 0",
        *(f"{cell % size + 1},{cell // size + 1},0" for cell in kept_moves(episode)),
        *episode.players,
        "-1",
        f"{result},{rule_of(episode.game)}",
    ]
    return "".join(f"{line}\n" for line in lines).encode()
