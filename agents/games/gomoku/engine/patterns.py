"""Tables of the patterns that a stone on a cell makes, for the engine `threats`.

A window is the cells on both sides of a cell, in one direction, that can be in a winning line with
it. For a colour, each of them is empty, its own, or blocked: the other colour's or off the board. A
stone of the colour on the cell makes one of these patterns:

- A five wins. (The names are for lines of five; with another `win_length` they shift.)
- A four is completed to a five by one cell, an open four by two cells.
- A three can become a four, an open three an open four, and so on down.

With `exact`, longer lines do not win, and windows are one cell longer on both sides. The tables are
computed from these definitions for all windows.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

__all__ = [
    "BUILDS",
    "CLOSED",
    "DEAD",
    "DOUBLE_THREE",
    "FIVE",
    "FIVE_KIND",
    "FOUR",
    "FOUR_KIND",
    "FOUR_THREE",
    "FOUR_TWO",
    "LONGEST",
    "NUM_CODES",
    "NUM_KINDS",
    "ONE",
    "OPEN_FOUR",
    "OPEN_FOUR_KIND",
    "OPEN_ONE",
    "OPEN_THREE",
    "OPEN_TWO",
    "QUIET",
    "SHORTEST",
    "THREE",
    "THREE_KIND",
    "TWO",
    "WIDE_THREE",
    "WIDE_TWO",
    "both_codes",
    "kinds_of_cells",
    "reach_of",
    "window_codes",
]

SHORTEST, LONGEST = 4, 6
"""Minimum and maximum length of winning lines with tables."""

DEAD, ONE, OPEN_ONE, TWO, OPEN_TWO, WIDE_TWO, THREE, OPEN_THREE, WIDE_THREE = range(9)
"""Codes of the pattern that a stone makes of one line, in ascending order. A wide pattern is open
in several ways."""
FOUR, OPEN_FOUR, FIVE = 9, 10, 11
NUM_CODES = 16
"""Number of values of a code, which has four bits."""

QUIET, BUILDS, CLOSED, THREE_KIND, DOUBLE_THREE, FOUR_KIND, FOUR_TWO, FOUR_THREE = range(8)
"""Kinds of the pattern that a stone makes of its four lines together, in ascending order."""
OPEN_FOUR_KIND = 8
"""An open four, or fours in two directions; two cells complete a five."""
FIVE_KIND = 9
NUM_KINDS = 16

_Bytes = npt.NDArray[np.uint8]


def reach_of(line: int, exact: bool) -> int:
    """Return the number of cells of a window on each side."""
    return line - 1 + exact


@functools.cache
def window_codes(line: int, exact: bool) -> _Bytes:
    """Return the code that a stone makes of each window, uint8 of shape (3 ** (2 * reach),).

    A window's index is the sum of 3 ** i for each own cell and 2 * 3 ** i for each blocked cell. i
    counts from the cell furthest back, without the middle cell, where the stone is.

    Args:
        line: length of a winning line.
        exact: whether longer lines do not win.
    """
    reach = reach_of(line, exact)
    powers = 3 ** np.arange(2 * reach)
    places = np.arange(3 ** (2 * reach))
    cells = (places[:, None] // powers % 3).astype(np.int8)

    def run(those: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the length of the run of `those` cells that includes the middle cell."""
        ahead = np.cumprod(those[:, reach:], axis=1).sum(1)
        behind = np.cumprod(those[:, reach - 1 :: -1], axis=1).sum(1)
        return np.asarray(1 + ahead + behind)

    def ways(good: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the number of cells on which a further stone makes a good window."""
        found = np.zeros(len(places), np.int64)
        for i, power in enumerate(powers):
            empty = np.flatnonzero(cells[:, i] == 0)
            found[empty] += good[empty + power]
        return found

    length = run(cells == 1)
    codes = np.where(length == line if exact else length >= line, FIVE, DEAD).astype(np.uint8)

    def name(code: int, those: npt.NDArray[np.bool_]) -> None:
        np.copyto(codes, np.uint8(code), where=those & (codes == DEAD))

    completed = ways(codes == FIVE)
    name(OPEN_FOUR, completed >= 2)
    name(FOUR, completed == 1)
    for above, wide, opened, closed in (
        (FOUR, WIDE_THREE, OPEN_THREE, THREE),
        (THREE, WIDE_TWO, OPEN_TWO, TWO),
        (TWO, OPEN_ONE, OPEN_ONE, ONE),
    ):
        to_open = ways((codes > above) & (codes < above + 3 - (above == FOUR)))
        to_any = ways((codes >= above) & (codes < above + 3))
        name(wide, to_open >= (2 if closed == THREE else 3))
        name(opened, to_open >= 1)
        name(closed, to_any >= 1)
    name(ONE, (run(cells != 2) >= line) & (length <= line))
    codes.setflags(write=False)
    return codes


@functools.cache
def both_codes(line: int, exact: bool) -> _Bytes:
    """Return the codes of both colours for each window, uint8 of shape (4 ** (2 * reach),).

    A window's index has two bits for each cell: 0 empty, 1 black, 2 white, 3 off the board. Black's
    code is in the low four bits, white's in the high four bits.
    """
    codes = window_codes(line, exact)
    black = np.zeros(1, np.int32)  # indices in `window_codes`
    white = np.zeros(1, np.int32)
    for i in range(2 * reach_of(line, exact)):
        power = 3**i
        black = np.concatenate([black + power * k for k in (0, 1, 2, 2)])
        white = np.concatenate([white + power * k for k in (0, 2, 1, 2)])
    both = np.asarray(codes[black] | codes[white] << 4)
    both.setflags(write=False)
    return both


@functools.cache
def kinds_of_cells() -> _Bytes:
    """Return the kind of each combination of four codes, uint8 of shape (2 ** 16,)."""
    packed = np.arange(1 << 16)
    codes = np.stack([packed >> 4 * k & 15 for k in range(4)])
    kinds = np.full(len(packed), QUIET, np.uint8)

    def number(*which: int) -> npt.NDArray[np.int64]:
        return np.asarray(np.isin(codes, which).sum(0))

    fours = number(FOUR)
    threes = number(OPEN_THREE, WIDE_THREE)
    builders = number(OPEN_TWO, WIDE_TWO)
    for kind, those in (
        (BUILDS, builders + number(TWO) > 0),
        (CLOSED, (number(THREE) > 0) | (builders > 1)),
        (THREE_KIND, threes > 0),
        (DOUBLE_THREE, threes > 1),
        (FOUR_KIND, fours > 0),
        (FOUR_TWO, (fours > 0) & (builders + number(THREE) > 0)),
        (FOUR_THREE, (fours > 0) & (threes > 0)),
        (OPEN_FOUR_KIND, (fours > 1) | (number(OPEN_FOUR) > 0)),
        (FIVE_KIND, number(FIVE) > 0),
    ):
        kinds[those] = kind
    kinds.setflags(write=False)
    return kinds
