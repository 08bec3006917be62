"""The board of the engine `threats`, which tracks the patterns that a stone on each cell makes.

One record holds the position and the working memory of all searches, so compiled functions receive
one argument. For each empty cell it holds the windows in four directions, the patterns that a stone
of either colour makes (see `patterns`), and their values. For the whole board it holds the number
of cells of each kind. Placing or removing a stone updates the cells of its four lines within reach.

Cells lie row by row, with a border as wide as the reach of a window.
"""

# Compiled functions carry no annotations.
# ruff: noqa: ANN001, ANN201, ANN202
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.games.gomoku.engine.inner import inner
from agents.games.gomoku.engine.patterns import (
    FIVE_KIND,
    FOUR_KIND,
    FOUR_THREE,
    LONGEST,
    NUM_CODES,
    NUM_KINDS,
    OPEN_FOUR_KIND,
    THREE_KIND,
    both_codes,
    kinds_of_cells,
    reach_of,
)
from agents.games.gomoku.engine.settings import SETTINGS
from agents.games.gomoku.engine.worth import (
    CODE_WORTH,
    KIND_WORTH,
    MOVER_WORTH,
    OTHER_WORTH,
    THREAT_WORTH,
)
from boardenvs.gomoku import Gomoku
from boardenvs.kernels.kernel import cached_njit

__all__ = [
    "CAN_FIVE",
    "CAN_FOUR",
    "CAN_OPEN_FOUR",
    "CAN_THREE",
    "CELLS",
    "NEAR",
    "NUM_CHAIN",
    "NUM_CHILDREN",
    "NUM_FOURS",
    "NUM_LEVELS",
    "NUM_MOVES",
    "cell_of",
    "empty_position",
    "place",
    "set_up",
    "take_back",
]

_LARGEST = 26
CELLS = 1280
"""Number of cells of the largest board with its border."""
_OFF = 3  # value of `stones` on the border
NEAR = 2
"""Maximum distance, along a line, from a stone to a cell that the search tries."""
NUM_LEVELS = 96
"""Maximum depth of a search in plies."""
NUM_MOVES = 80
"""Maximum number of moves searched in one position."""

NUM_FOURS = 64
"""Maximum number of fours in a row of a victory."""

NUM_CHAIN = 64
"""Maximum number of plies of a victory by threats before its final victory by fours."""
NUM_CHILDREN = 96
"""Maximum number of moves of a position in the search for victories by threats."""

CAN_FIVE, CAN_OPEN_FOUR, CAN_FOUR, CAN_THREE = 1, 2, 4, 8
"""Flags of an empty cell for black; white's flags are four bits higher."""

_BOARD = [
    ("side", np.int64),
    ("stride", np.int64),  # from a cell to the one below it
    ("reach", np.int64),
    ("first", np.int64),  # the cell in the top left corner
    ("end", np.int64),  # one past the cell in the bottom right corner
    ("limit", np.int64),  # number of stones at which the game ends
    ("num", np.int64),  # number of stones on the board
    ("mover", np.int64),  # 0 for black, 1 for white
    ("hash", np.uint64),
    ("steps", np.int64, (4,)),
    ("counts", np.int64, (2, NUM_KINDS)),  # number of empty cells of each kind, by colour
    ("total", np.int64, (2,)),  # sum of their values, by colour
    ("code_worth", np.int64, (NUM_CODES,)),
    ("kind_worth", np.int64, (NUM_KINDS,)),
    ("mover_worth", np.int64, (NUM_KINDS,)),
    ("other_worth", np.int64, (NUM_KINDS,)),
    ("threat_worth", np.int64, (len(THREAT_WORTH),)),
    ("flags_of", np.uint64, (NUM_KINDS,)),
    ("marks", np.uint64, (CELLS // 8,)),  # flags of eight cells in each word
    ("names", np.uint64, (CELLS, 2)),  # hash key of each cell and colour
    ("windows", np.uint32, (CELLS, 4)),
    ("worth", np.int32, (CELLS, 2)),
    ("packed", np.uint16, (CELLS, 2)),  # codes of four directions, by colour
    ("codes", np.uint8, (CELLS, 4)),  # codes of both colours, by direction
    ("kinds", np.uint8, (CELLS, 2)),
    ("stones", np.uint8, (CELLS,)),  # 0 empty, 1 black, 2 white, 3 off the board
    ("near", np.int8, (CELLS,)),  # number of stones within `NEAR`
    ("kinds_of", np.uint8, (1 << 16,)),
    ("listed", np.int16, (CELLS,)),  # output of `candidates`
]
_SEARCH = [
    # The alpha-beta search, by level; see `alpha_beta`.
    ("alphas", np.int64, (NUM_LEVELS,)),
    ("betas", np.int64, (NUM_LEVELS,)),
    ("depths", np.int64, (NUM_LEVELS,)),
    ("bests", np.int64, (NUM_LEVELS,)),
    ("best_cells", np.int64, (NUM_LEVELS,)),
    ("started_at", np.int64, (NUM_LEVELS,)),  # alpha at the start of the level
    ("static", np.int64, (NUM_LEVELS,)),
    ("stages", np.int64, (NUM_LEVELS,)),
    ("tried", np.int64, (NUM_LEVELS,)),
    ("num_moves", np.int64, (NUM_LEVELS,)),
    ("chosen", np.int64, (NUM_LEVELS,)),
    ("below", np.int64, (NUM_LEVELS,)),  # depth of the search below the chosen move
    ("is_forced", np.int64, (NUM_LEVELS,)),
    ("moves", np.int16, (NUM_LEVELS, NUM_MOVES)),
    ("scores", np.int32, (NUM_LEVELS, NUM_MOVES)),
    ("killers", np.int16, (NUM_LEVELS, 2)),
    ("lines", np.int16, (NUM_LEVELS, NUM_LEVELS)),  # best line from each level on
    ("lengths", np.int64, (NUM_LEVELS,)),
    ("history", np.int32, (2, CELLS)),
    ("level", np.int64),
    ("value", np.int64),  # value from the level below, or of the last search
    ("nodes", np.int64),
    ("generation", np.int64),
    ("reductions", np.int8, (32, NUM_MOVES)),
    # The search for victories by threats, by level; see `chains`.
    ("child_cells", np.int16, (NUM_CHAIN, NUM_CHILDREN)),
    ("child_proofs", np.int16, (NUM_CHAIN, NUM_CHILDREN)),
    ("child_disproofs", np.int16, (NUM_CHAIN, NUM_CHILDREN)),
    ("child_plies", np.int16, (NUM_CHAIN, NUM_CHILDREN)),
    ("child_num", np.int64, (NUM_CHAIN,)),
    ("child_chosen", np.int64, (NUM_CHAIN,)),
    ("proof_limits", np.int64, (NUM_CHAIN,)),
    ("disproof_limits", np.int64, (NUM_CHAIN,)),
    ("proof_here", np.int64, (NUM_CHAIN,)),
    ("disproof_here", np.int64, (NUM_CHAIN,)),
    ("proof_below", np.int64, (NUM_CHAIN,)),
    ("disproof_below", np.int64, (NUM_CHAIN,)),
    ("plies_here", np.int64, (NUM_CHAIN,)),
    ("cell_here", np.int64, (NUM_CHAIN,)),
    ("chain_cell", np.int64),
    ("chain_plies", np.int64),
    ("chain_nodes", np.int64),
    # Iterative deepening; see `thinking`.
    ("phase", np.int64),
    ("root_fours", np.int64),  # maximum number of fours tried at the root
    ("root_chain", np.int64),  # maximum number of positions in the search of chains at the root
    ("depth", np.int64),  # depth of the current search
    ("root_alpha", np.int64),  # its window
    ("root_beta", np.int64),
    ("margin", np.int64),  # distance of the window's ends from the expected value
    ("settled", np.int64),  # whether a win or loss was proved without a search of other moves
    ("best_cell", np.int64),
    ("best_value", np.int64),
    ("best_depth", np.int64),
    ("best_length", np.int64),
    ("best_line", np.int16, (NUM_LEVELS,)),
    # The search for victories by fours, by level; see `fours`.
    ("four_moves", np.int16, (NUM_FOURS, NUM_MOVES)),
    ("four_num", np.int64, (NUM_FOURS,)),
    ("four_next", np.int64, (NUM_FOURS,)),
    ("four_cells", np.int16, (NUM_FOURS,)),
    ("four_replies", np.int16, (NUM_FOURS,)),
    ("four_plies", np.int64),  # number of plies to the victory
    ("four_nodes", np.int64),
]


def empty_position(game: Gomoku) -> tuple[npt.NDArray[np.void], npt.NDArray[np.uint8]]:
    """Return the empty board of a game.

    Args:
        game: Gomoku with a `win_length` from `SHORTEST` to `LONGEST`.

    Returns:
        The record in an array of shape (1,), and the table of codes of `patterns.both_codes`.
    """
    dtype = np.dtype(_BOARD + _SEARCH + [(name, np.int64) for name in SETTINGS], align=True)
    records = np.zeros(1, np.dtype((np.record, dtype)))
    s: Any = records[0]
    side = s["side"] = game.board_size
    reach = s["reach"] = reach_of(game.win_length, game.exact)
    assert reach <= LONGEST
    stride = s["stride"] = side + reach
    first = s["first"] = reach * stride + reach
    s["end"] = first + (side - 1) * stride + side
    s["limit"] = min(game.max_plies, side * side)
    s["steps"] = 1, stride, stride + 1, stride - 1
    s["code_worth"] = CODE_WORTH
    s["kind_worth"] = KIND_WORTH
    s["mover_worth"] = MOVER_WORTH
    s["other_worth"] = OTHER_WORTH
    s["threat_worth"] = THREAT_WORTH
    s["kinds_of"] = kinds_of_cells()
    kinds = np.arange(NUM_KINDS)
    s["flags_of"] = (
        CAN_FIVE * (kinds == FIVE_KIND)
        + CAN_OPEN_FOUR * (kinds == OPEN_FOUR_KIND)
        + CAN_FOUR * ((kinds >= FOUR_KIND) & (kinds < FIVE_KIND))
        + CAN_THREE * ((kinds == THREE_KIND) | (kinds == THREE_KIND + 1) | (kinds == FOUR_THREE))
    )
    for name, value in SETTINGS.items():
        s[name] = value
    _set_reductions(s)
    s["names"] = np.random.default_rng(175).integers(1, 2**64, (CELLS, 2), np.uint64)
    s["stones"] = _OFF
    rows, columns = np.divmod(np.arange(side * side), side)
    s["stones"][first + rows * stride + columns] = 0
    codes = both_codes(game.win_length, game.exact).copy()  # writable, like all other arguments
    _start_empty(records, codes)
    return records, codes


def _start_empty(records: npt.NDArray[np.void], codes: npt.NDArray[np.uint8]) -> None:
    """Compute the patterns of all cells of the empty board."""
    s = records[0]
    reach, stones = int(s["reach"]), s["stones"]
    cells = np.flatnonzero(stones == 0)
    for direction, step in enumerate(s["steps"]):
        window = np.zeros(len(cells), np.uint32)
        for k in range(1, reach + 1):
            for there, bit in ((cells - k * step, reach - k), (cells + k * step, reach + k - 1)):
                off = (there < 0) | (there >= CELLS) | (stones[there % CELLS] == _OFF)
                window |= (3 * off.astype(np.uint32)) << np.uint32(2 * bit)
        s["windows"][cells, direction] = window
        s["codes"][cells, direction] = codes[window]
    both = s["codes"][cells].astype(np.int64)
    for colour in (0, 1):
        mine = both >> 4 * colour & 15
        packed = (mine << 4 * np.arange(4)).sum(1)
        kinds = s["kinds_of"][packed]
        worth = s["code_worth"][mine].sum(1) + s["kind_worth"][kinds]
        s["packed"][cells, colour] = packed
        s["kinds"][cells, colour] = kinds
        s["worth"][cells, colour] = worth
        s["counts"][colour] = np.bincount(kinds, minlength=NUM_KINDS)
        s["total"][colour] = worth.sum()
        flags = s["flags_of"][kinds] << np.uint64(4 * colour)
        for cell, flag in zip(cells.tolist(), flags, strict=True):
            s["marks"][cell // 8] |= flag << np.uint64(8 * (cell % 8))


def _set_reductions(s: Any) -> None:
    """Compute the reduction of late moves by depth and number of the move."""
    depth = np.log(np.maximum(1, np.arange(32)))[:, None]
    number = np.log(np.maximum(1, np.arange(NUM_MOVES)))
    less = s["reduction_base"] / 100 + depth * number / (s["reduction_slope"] / 100)
    s["reductions"] = less.astype(np.int8)


# -- Cells ----------------------------------------------------------------------------------


@njit
def cell_of(s, action):
    """Return the cell of an action."""
    row = action // s.side
    return s.first + row * s.stride + action - row * s.side


# -- Stones ---------------------------------------------------------------------------------


@cached_njit("Gomoku's engine", nogil=True)
def place(s, codes, cell):
    """Place a stone of the player to move."""
    stone = s.mover + 1
    for colour in range(2):
        s.counts[colour, s.kinds[cell, colour]] -= 1
        s.total[colour] -= s.worth[cell, colour]
    s.marks[cell >> 3] &= ~(np.uint64(255) << np.uint64((cell & 7) << 3))
    s.stones[cell] = stone
    s.hash ^= s.names[cell, s.mover]
    s.num += 1
    s.mover = 1 - s.mover
    touch(s, codes, cell, np.uint32(stone), 1)


@cached_njit("Gomoku's engine", nogil=True)
def take_back(s, codes, cell):
    """Remove the last stone, which is on `cell`."""
    s.mover = 1 - s.mover
    s.num -= 1
    s.hash ^= s.names[cell, s.mover]
    touch(s, codes, cell, np.uint32(s.mover + 1), -1)
    s.stones[cell] = 0
    flags = np.uint64(0)
    for colour in range(2):
        kind = s.kinds[cell, colour]
        s.counts[colour, kind] += 1
        s.total[colour] += s.worth[cell, colour]
        flags |= s.flags_of[kind] << np.uint64(4 * colour)
    s.marks[cell >> 3] |= flags << np.uint64((cell & 7) << 3)


@inner
def touch(s, codes, cell, stone, change):
    """Update the cells within reach after a stone was placed or removed."""
    reach = s.reach
    for direction in range(4):
        step = s.steps[direction]
        for way in range(2):
            there = cell
            for k in range(1, reach + 1):
                # In the window of the cell k steps back, this cell is k steps ahead.
                there += -step if way == 0 else step
                bit = 2 * (reach + k - 1 if way == 0 else reach - k)
                standing = s.stones[there]
                if standing == _OFF:
                    break
                if k <= NEAR:
                    s.near[there] += change
                window = s.windows[there, direction] ^ (stone << np.uint32(bit))
                s.windows[there, direction] = window
                if standing == 0:
                    new = np.int64(codes[window])
                    old = np.int64(s.codes[there, direction])
                    if new != old:
                        s.codes[there, direction] = new
                        if (new ^ old) & 15:
                            rename(s, there, direction, 0, old & 15, new & 15)
                        if (new ^ old) >> 4:
                            rename(s, there, direction, 1, old >> 4, new >> 4)


@inner
def rename(s, cell, direction, colour, old, new):
    """Update an empty cell for a new code of one of its lines."""
    packed = s.packed[cell, colour] ^ np.uint16((old ^ new) << (4 * direction))
    s.packed[cell, colour] = packed
    was = s.kinds[cell, colour]
    kind = s.kinds_of[packed]
    worth = s.code_worth[new] - s.code_worth[old]
    if kind != was:
        s.kinds[cell, colour] = kind
        s.counts[colour, was] -= 1
        s.counts[colour, kind] += 1
        worth += s.kind_worth[kind] - s.kind_worth[was]
        flags = s.flags_of[was] ^ s.flags_of[kind]
        s.marks[cell >> 3] ^= flags << np.uint64(((cell & 7) << 3) + 4 * colour)
    s.worth[cell, colour] += worth
    s.total[colour] += worth


@cached_njit("Gomoku's engine", nogil=True)
def set_up(s, codes, cells):
    """Place the stones of a game's position on the empty board."""
    for seat in range(2):
        for action in range(s.side * s.side):
            if cells[action] == seat + 1:
                s.mover = seat
                place(s, codes, cell_of(s, action))
    s.mover = s.num % 2
