"""Candidate cells of a position for the engine's searches, from the flags of each cell."""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from agents.games.gomoku.engine.inner import inner
from agents.games.gomoku.engine.patterns import (
    DOUBLE_THREE,
    FOUR,
    FOUR_KIND,
    FOUR_THREE,
    FOUR_TWO,
    THREE_KIND,
)
from agents.games.gomoku.engine.position import CAN_FOUR, CAN_OPEN_FOUR

__all__ = ["can_four", "can_three", "first_with", "list_defences", "list_with"]


@inner
def everywhere(flag, colour):
    """Return a word with a colour's flag in all eight bytes."""
    word = np.uint64(flag) << np.uint64(4 * colour)
    word |= word << np.uint64(8)
    word |= word << np.uint64(16)
    return word | word << np.uint64(32)


@inner
def first_with(s, flag, colour):
    """Return the first empty cell with a flag for a colour, or -1."""
    wanted = everywhere(flag, colour)
    for w in range(s.first >> 3, (s.end + 7) >> 3):
        found = s.marks[w] & wanted
        if found != np.uint64(0):
            cell = w << 3
            while found & np.uint64(255) == np.uint64(0):
                found >>= np.uint64(8)
                cell += 1
            return cell
    return -1


@inner
def can_four(s, colour):
    """Return whether a colour has a cell that makes a four, but not a five or an open four."""
    counts = s.counts
    return counts[colour, FOUR_KIND] + counts[colour, FOUR_TWO] + counts[colour, FOUR_THREE] > 0


@inner
def can_three(s, colour):
    """Return whether a colour has a cell that makes an open three."""
    counts = s.counts
    return (
        counts[colour, THREE_KIND] + counts[colour, DOUBLE_THREE] + counts[colour, FOUR_THREE] > 0
    )


@inner
def list_with(s, flags, colour):
    """Write the empty cells with any of some flags for a colour to `listed`, in board order.

    Returns:
        The number of cells.
    """
    num = 0
    wanted = everywhere(flags, colour)
    for w in range(s.first >> 3, (s.end + 7) >> 3):
        found = s.marks[w] & wanted
        cell = w << 3
        while found != np.uint64(0):
            if found & np.uint64(255) != np.uint64(0):
                s.listed[num] = cell
                num += 1
            found >>= np.uint64(8)
            cell += 1
    return num


@inner
def list_defences(s):
    """Write the moves against a threatened open four to `listed`: fours, and moves that prevent it.

    Returns:
        The number of moves; a cell may occur twice.
    """
    me = s.mover
    num = list_with(s, CAN_FOUR, me)
    threat = first_with(s, CAN_OPEN_FOUR, 1 - me)
    num = list_quiet(s, num, threat)
    for direction in range(4):
        if ((s.codes[threat, direction] >> (4 * (1 - me))) & 15) >= FOUR:
            step = s.steps[direction]
            for way in range(2):
                cell = threat
                for _ in range(s.reach):
                    cell += step if way == 0 else -step
                    if s.stones[cell] == 0:
                        num = list_quiet(s, num, cell)
                    elif s.stones[cell] != 2 - me:
                        break
    return num


@inner
def list_quiet(s, num, cell):
    """Add a cell to `listed` unless it makes a four, since fours are already in it."""
    if s.kinds[cell, s.mover] < FOUR_KIND:
        s.listed[num] = cell
        num += 1
    return num
