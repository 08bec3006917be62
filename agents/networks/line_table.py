"""All possible lines of a board, for networks that look up lines in a table.

If a cell shows at most one plane, as stones do, few lines are possible: about 43,900 for nine cells
and three planes, including the ends of the board. An exported network computes the features of all
lines when it is loaded. For a cell it then sums four rows of the table instead of multiplying.
Source: Z. Jin, H. Duan, Z. Hang, "Rapfi: Distilling efficient neural network for the game of
Gomoku", 2025.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boardenvs.envs.playout import plies
from boardenvs.game import Game

__all__ = ["all_lines", "has_line_table", "worths"]

_MOST = 2**19
"""Maximum number of possible lines, legal or not."""
_GAMES = 64


def worths(base: int, reach: int) -> npt.NDArray[np.int64]:
    """Return the kernel of a convolution that computes the number of each line from its digits.

    Args:
        base: number of digits; each cell of a line is one digit.
        reach: number of cells of a line on either side.

    Returns:
        A kernel of shape (4, 1, width, width): rows, columns, diagonals, antidiagonals.
    """
    width = 2 * reach + 1
    steps = np.arange(width)
    kernel = np.zeros((4, 1, width, width), np.int64)
    worth = base**steps
    kernel[0, 0, reach, steps] = worth
    kernel[1, 0, steps, reach] = worth
    kernel[2, 0, steps, steps] = worth
    kernel[3, 0, steps, steps[::-1]] = worth
    return kernel


def all_lines(planes: int, reach: int) -> npt.NDArray[np.int64]:
    """Return the numbers of all lines whose middle is on the board.

    Cells beyond the board show no plane. With two planes, cells on the board may also show no
    plane, so all lines are possible.

    Example:
        >>> from agents.networks.line_table import all_lines
        >>> len(all_lines(3, reach=4))
        43923
    """
    width = 2 * reach + 1
    base = planes + 1
    numbers = np.arange(base**width)
    if planes == 2:
        return numbers
    possible = numbers // base**reach % base > 0
    for side in (-1, 1):
        beyond = np.zeros(len(numbers), np.bool_)
        for step in range(1, reach + 1):
            nothing = numbers // base ** (reach + side * step) % base == 0
            possible &= nothing | ~beyond
            beyond |= nothing
    return numbers[possible]


def has_line_table(game: Game, reach: int) -> bool:
    """Return whether the lines of a game's board can be looked up in a table.

    Each cell of an observation must show at most one of two planes, or exactly one of three. This
    is tested on random games, which are the same in each call.
    """
    shape = game.observation_shape
    if len(shape) != 3 or shape[0] not in (2, 3) or (shape[0] + 1) ** (2 * reach + 1) > _MOST:
        return False
    rng = np.random.default_rng(0)
    states = game.new(_GAMES, 0)
    found = [True]

    def choose(part: npt.NDArray[np.void], _: object) -> npt.NDArray[np.int64]:
        for seat in range(game.num_players):
            seen = game.observe(part, np.full(len(part), seat))
            counts = seen.sum(1, dtype=np.int64)
            one = (counts == 1).all() if shape[0] == 3 else (counts <= 1).all()
            found[0] &= bool(one and ((seen == 0) | (seen == 1)).all())
        legal = game.legal(part)
        return np.argmax(rng.random(legal.shape) * legal, 1)

    for _ in plies(game, states, choose):
        if not found[0]:
            return False
    return found[0]
