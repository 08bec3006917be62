"""The values of the patterns of Gomoku for the engine `threats`.

A difference of 400 multiplies the odds of a win by e. The values of a cell were fitted by logistic
regression to results of the engine's games against itself. The other values were fitted to its own
values after 2,500 nodes, for 79,000 positions of such games with some random moves, on boards of
9, 15 and 19 rows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["CODE_WORTH", "KIND_WORTH", "MOVER_WORTH", "OTHER_WORTH", "THREAT_WORTH"]

CODE_WORTH = np.array([0, 0, 0, 13, 9, 16, 24, 39, 45, 53, 53, 53, 0, 0, 0, 0])
"""Value of an empty cell for each of its lines, by the code of the line."""
KIND_WORTH = np.array([0, 0, 4, 10, 60, 16, 30, 120, 150, 200, 0, 0, 0, 0, 0, 0])
"""Value of an empty cell, by its kind."""
MOVER_WORTH = np.array([0, -15, -12, 25, -86, 56, 192, 308, 0, 0, 0, 0, 0, 0, 0, 0])
"""Additional value of a cell for the player to move, by its kind."""
OTHER_WORTH = np.array([0, 16, 16, -1, 53, -69, -147, -478, -175, 0, 0, 0, 0, 0, 0, 0])
"""Additional value of a cell for the other player, by its kind."""

_TO_MOVE = 14
_PAIRS = np.array(
    [
        [195, 115, -242, 0, -514, 195, -221, 130, -267],
        [0, -200, 82, 202, 80, -60, 66, 82, 84],
        [0, 0, 60, 186, 605, -11, -38, -127, 136],
        [0, 0, 0, 202, -27, 113, 101, 130, 123],
        [0, 0, 0, 0, 605, -627, -9, -418, 145],
        [0, 0, 0, 0, 0, 292, -107, 100, -157],
        [0, 0, 0, 0, 0, 0, 125, 77, -62],
        [0, 0, 0, 0, 0, 0, 0, 100, -122],
        [0, 0, 0, 0, 0, 0, 0, 0, -62],
    ]
)
"""Value of each threat, on the diagonal, and additional value of each pair of threats.

The threats are: an open four of the other player; then a four, an open three, a four with an open
three, and two open threes of the player to move; then the same four of the other player.
"""


def _threat_worth() -> npt.NDArray[np.int64]:
    """Return the value of each combination of threats, by its index."""
    num = len(_PAIRS)
    threats = np.arange(1 << num)[:, None] >> np.arange(num)[::-1] & 1
    return np.asarray(_TO_MOVE + np.einsum("ki,ij,kj->k", threats, _PAIRS, threats))


THREAT_WORTH = _threat_worth()
"""Value for the player to move, by the possible threats of both players.

The index has one bit for each threat of `_PAIRS`, the first threat in the highest bit.
"""
