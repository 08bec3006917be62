"""Positions of Goat Race as dictionaries: their stacks, and checks that play can lead to them.

The functions read and write records, which determine the number of players and the board size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

import numpy as np

from boardenvs.core.checks import require_implied
from boardenvs.core.checks import shown as given
from boardenvs.goat_race.text import LETTERS, cells_of_action
from boardenvs.show.grid import address

__all__ = [
    "ARRIVALS",
    "GOATS",
    "check_last_action",
    "complete_stacks",
    "last_cells",
    "put_stacks",
    "set_placement",
    "set_race",
    "stacks_of",
    "tops",
]

GOATS = 4
"""Number of goats of each player."""
ARRIVALS = 3
"""Number of a player's goats in the Destination that wins."""

_LETTER_OF_DIGIT = str.maketrans("01234567", f"?{LETTERS}??")  # octal digits of a stack


# -- Stacks -------------------------------------------------------------------------------


def stacks_of(state: np.void) -> dict[str, str]:
    """Return the letters of every stack of a record from the bottom, by address.

    The record may hold any bytes; invalid goats are "?".
    """
    stacks = {}
    for r, row in enumerate(state["stacks"].tolist()):
        for c, stack in enumerate(row):
            if stack:
                digits = f"{stack:o}" if stack > 0 else "0"
                stacks[address(r, c)] = digits.translate(_LETTER_OF_DIGIT)
    return stacks


def put_stacks(stacks: Any, players: Sequence[str], state: np.void) -> None:
    """Write stacks, tops and arrivals into a record.

    Args:
        stacks: letters by address, from the user.
        players: colours in play.
        state: record with obstacles and without goats.

    Raises:
        ValueError: if the stacks are invalid, or one stands on an obstacle.
    """
    height, width = state["stacks"].shape
    piles = _checked_stacks(stacks, height, width, players)
    blocked = state["blocked"].tolist()
    for (row, column), pile in piles.items():
        if blocked[row] >> column & 1:
            raise ValueError(
                f"stacks must have no goats on an obstacle, got {pile!r} at {address(row, column)}"
            )
        seats = [LETTERS.index(letter) for letter in pile]
        stack = 0
        for seat in seats:
            stack = stack << 3 | seat + 1
        state["stacks"][row, column] = stack
        state["tops"][seats[-1], row] |= 1 << column
        if column == width - 1:
            for seat in seats:
                state["arrived"][seat] += 1


def _goats(state: np.void) -> list[int]:
    """Return each seat's number of goats on the board."""
    piles = "".join(stacks_of(state).values())
    return [piles.count(letter) for letter in LETTERS[: len(state["order"])]]


def complete_stacks(
    tops: Sequence[str], stacks: Any, players: Sequence[str], everyone: bool
) -> dict[str, str]:
    """Return whole stacks by address, from the bottom, for a board of tops.

    Args:
        tops: see `boardenvs.goat_race.text.Position`.
        stacks: known stacks by address.
        players: colours in play.
        everyone: whether all goats are on the board. Missing goats are then put at the bottom of
            the first stack that is not in `stacks`, outside the Destination if possible, since
            goats in the Destination count.

    Raises:
        ValueError: if `stacks` are invalid, or have other tops.
    """
    known = _checked_stacks(stacks, len(tops), len(tops[0]), players)
    piles = {}
    first = arrived = None
    for r, row in enumerate(tops):
        for c, cell in enumerate(row):
            shown = known.get((r, c), cell)[-1].strip("X ")
            if shown != cell.strip("X "):
                raise ValueError(
                    f"stacks must have {cell!r} on top at {address(r, c)} as in the text, "
                    f"got {shown!r}"
                )
            if shown:
                piles[address(r, c)] = known.get((r, c), cell)
                if (r, c) not in known and c < len(row) - 1:
                    first = first or address(r, c)
                elif (r, c) not in known:
                    arrived = arrived or address(r, c)
    first = first or arrived
    if everyone and first is not None:
        standing = "".join(piles.values())
        missing = [letter * (GOATS - standing.count(letter)) for letter in LETTERS[: len(players)]]
        piles[first] = "".join(missing) + piles[first]
    return piles


def _checked_stacks(
    stacks: Any, height: int, width: int, players: Sequence[str]
) -> dict[tuple[int, int], str]:
    """Return the stacks by row and column, counted from 0, instead of by address.

    Raises:
        ValueError: if `stacks` is not a dictionary of addresses to letters of the players' colours.
    """
    letters = LETTERS[: len(players)]
    if not isinstance(stacks, dict):
        raise ValueError(f"stacks must be a dictionary of addresses to goats, got {given(stacks)}")
    cells = {}
    for key, pile in stacks.items():
        found = re.fullmatch("([A-Z])([1-9][0-9]?)", key) if isinstance(key, str) else None
        if found is None or ord(found[1]) - ord("A") >= width or int(found[2]) > height:
            last = address(height - 1, width - 1)
            raise ValueError(f"stacks must have addresses from A1 to {last}, got {given(key)}")
        if not isinstance(pile, str) or not pile or set(pile) - set(letters):
            raise ValueError(f"stacks must be letters of {letters!r}, got {given(pile)} at {key}")
        if len(pile) > GOATS * len(players):
            raise ValueError(
                f"stacks must have at most {GOATS * len(players)} goats, got {len(pile)} at {key}"
            )
        cells[int(found[2]) - 1, ascii_uppercase.index(found[1])] = pile
    return cells


# -- Reachable positions ------------------------------------------------------------------


def set_placement(fields: dict[str, Any], max_plies: int, state: np.void) -> None:
    """Write the seat to move and the ply of a position during placement.

    Args:
        fields: as for `Game._position_from_dict`.
        max_plies: maximum number of plies of the game.
        state: record with stacks and order of play.

    Raises:
        ValueError: if placing goats in turn does not lead to the stacks, or `fields` differ.
    """
    order = state["order"].tolist()
    height, num_players = len(state["stacks"]), len(order)
    placed = sum(_goats(state))
    if state["stacks"][:, 1:].any():
        raise ValueError(
            "stacks must have goats only on the gate (column A) during placement, got others"
        )
    if placed >= GOATS * num_players:
        raise ValueError(
            f"decision must be 'sideways' or 'forward' after all {placed} goats are placed, "
            f"got 'place'"
        )
    heights = [len(stacks_of(state).get(address(r, 0), "")) for r in range(height)]
    if max(heights) - min(heights) > 1:
        raise ValueError(
            f"stacks of the gate must differ by at most one goat (level), got heights {heights}"
        )
    if wrong := _wrong_layer(state, placed):
        raise ValueError(wrong)
    to_move = order[placed % num_players]
    require_implied(fields, "here", die=0, last_die=0, ply=placed, to_move=to_move)
    if placed > max_plies:
        raise ValueError(f"stacks must have at most {max_plies} goats (max_plies), got {placed}")
    state["ply"] = placed
    state["to_move"] = to_move


def _wrong_layer(state: np.void, placed: int) -> str:
    """Return the message for a gate that placing in turn does not lead to, else ""."""
    height, num_players = len(state["stacks"]), len(state["order"])
    gate = [stacks_of(state).get(address(row, 0), "") for row in range(height)]
    for level in range(-(-placed // height)):
        plies = range(level * height, min((level + 1) * height, placed))
        due = sorted(LETTERS[state["order"][k % num_players]] for k in plies)
        layer = sorted(pile[level] for pile in gate if len(pile) > level)
        if layer != due:
            return (
                f"stacks must have the goats {''.join(due)}, placed in turn, in layer "
                f"{level + 1} of the gate, got {''.join(layer)}"
            )
    return ""


def set_race(fields: dict[str, Any], max_plies: int, state: np.void) -> None:
    """Write the seat to move and the ply of a position in the race.

    Args:
        fields: as for `Game._position_from_dict`.
        max_plies: maximum number of plies of the game.
        state: record with stacks and order of play.

    Raises:
        ValueError: if goats are missing, or play cannot lead to the stacks in that many plies.
    """
    goats = _goats(state)
    if goats != [GOATS] * len(goats):
        raise ValueError(f"stacks must hold {GOATS} goats of each player, got {goats}")
    if state["arrived"].max() > ARRIVALS or (state["arrived"] >= ARRIVALS).sum() > 1:
        raise ValueError(
            f"stacks must have at most {ARRIVALS} goats of one player in the Destination and "
            f"fewer of each other, got {state['arrived'].tolist()}"
        )
    steps = sum((ord(key[0]) - ord("A")) * len(pile) for key, pile in stacks_of(state).items())
    placed = GOATS * len(goats)
    # If all goats are on the gate, but not as placed, one of them moved sideways.
    fewest = placed + (steps or bool(_wrong_layer(state, placed)))
    ply = fields.get("ply", fewest)
    if not fewest <= ply <= max_plies:
        raise ValueError(
            f"ply must be at least {fewest} for these stacks and at most {max_plies} "
            f"(max_plies), got {ply}"
        )
    state["ply"] = ply
    state["to_move"] = fields.get("to_move", int(state["order"][0]))


def check_last_action(state: np.void) -> None:
    """Raise `ValueError` unless the last action, if any, fits the position of its goat."""
    height, width = state["stacks"].shape
    num_players = len(state["order"])
    action, last_die = int(state["last_action"]), int(state["last_die"])
    if (last_die > 0) != (action >= height):
        rule = "at least 1" if action >= height else "0"
        raise ValueError(f"last_die must be {rule} with last_action {action}, got {last_die}")
    placed = GOATS * num_players
    cells = last_cells(state)
    if not cells:
        fits = action < 0 or state["ply"] > placed
    elif len(cells) == 1:
        mover = state["order"][(state["ply"] - 1) % num_players]
        fits = 0 < state["ply"] <= placed and state["tops"][mover, action] & 1
    else:
        row, column = cells[1]
        fits = (
            0 <= row < height
            and column < width
            and state["ply"] > placed
            and state["stacks"][row, column] > 0
        )
    if not fits:
        raise ValueError(f"last_action must fit the goats on the board, got {action}")


def last_cells(record: np.void) -> list[tuple[int, int]]:
    """Return the `cells_of_action` of the last action; no cells without one."""
    height, width = record["stacks"].shape
    action = int(record["last_action"])
    return [] if action < 0 else cells_of_action(action, height, width, int(record["last_die"]))


def tops(record: np.void) -> list[str]:
    """Return a string for each row: the letter of the top goat, `X`, or a blank."""
    rows = []
    for stacks, blocked in zip(record["stacks"].tolist(), record["blocked"].tolist(), strict=True):
        letters = [LETTERS[(stack & 7) - 1] if stack else " " for stack in stacks]
        row = ("X" if blocked >> column & 1 else one for column, one in enumerate(letters))
        rows.append("".join(row))
    return rows
