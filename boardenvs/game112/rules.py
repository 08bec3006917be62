"""The rules of the 112 game: put a 1 or a 2 on an empty position, make 1, 1, 2 and win.

`s.cells` holds 0 for an empty position, else the value; positions past the board's
size stay empty.
"""

# Compiled functions carry no annotations.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from numba import njit

from boardenvs.outcome import end_in_draw, end_ply, end_with_winner, is_over


@njit
def has_112(cells, size):
    """Whether three neighbouring positions read 1, 1, 2."""
    found = False
    for i in range(size - 2):  # without a way out, so that LLVM takes several at once
        found |= (cells[i] == 1) & (cells[i + 1] == 1) & (cells[i + 2] == 2)
    return found


@njit
def is_full(cells, size):
    """Whether no position is empty."""
    full = True
    for i in range(size):
        full &= cells[i] != 0
    return full


@njit
def deal(s, p):
    """Nothing is left to chance."""


@njit
def legal(s, p, mask):
    """Either value on every empty position."""
    for i in range(p.positions):
        mask[2 * i] = s.cells[i] == 0
        mask[2 * i + 1] = s.cells[i] == 0


@njit
def judge(s, p):
    """See whether the move just made has ended the game."""
    if has_112(s.cells, p.positions):
        end_with_winner(s, 1 - s.to_move)
    elif is_full(s.cells, p.positions):
        end_in_draw(s)


@njit
def play(s, p, action):
    """Put value `action % 2 + 1` on position `action // 2`, counted from 0 at the left."""
    s.cells[action // 2] = action % 2 + 1
    s.to_move = 1 - s.to_move
    judge(s, p)
    end_ply(s, p, action)


@njit
def observe(s, p, seat, out):
    """Planes: ones, twos, empty positions; the same for both seats."""
    size = p.positions
    for i in range(size):
        out[i] = s.cells[i] == 1
        out[size + i] = s.cells[i] == 2
        out[2 * size + i] = s.cells[i] == 0


@njit
def redraw(s, p, seat, word):
    """Nothing is hidden; the stream is replaced all the same."""
    s.rng = word


@njit
def sound(s, p):
    """Whether each position is empty or holds a value, and as many are filled as plies played."""
    filled = 0
    for i in range(p.positions):
        if s.cells[i] < 0 or s.cells[i] > 2:
            return False
        filled += s.cells[i] != 0
    return filled == s.ply and (filled < p.positions or is_over(s))
