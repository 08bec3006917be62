"""The values of the patterns of Gomoku for the engine `threats`.

A difference of 400 multiplies the odds of a win by e. The values were fitted by logistic regression
to results of the engine's games against itself. The value of having the move is `to_move` in
`settings`.
"""

from __future__ import annotations

import numpy as np

__all__ = ["CODE_WORTH", "KIND_WORTH", "MOVER_WORTH", "OTHER_WORTH"]

CODE_WORTH = np.array([0, 0, 0, 13, 9, 16, 24, 39, 45, 53, 53, 53, 0, 0, 0, 0])
"""Value of an empty cell for each of its lines, by the code of the line."""
KIND_WORTH = np.array([0, 0, 4, 10, 60, 16, 30, 120, 150, 200, 0, 0, 0, 0, 0, 0])
"""Value of an empty cell, by its kind."""
MOVER_WORTH = np.array([0, -16, -16, 22, 377, -8, 102, 1103, 0, 0, 0, 0, 0, 0, 0, 0])
"""Additional value of a cell for the player to move, by its kind."""
OTHER_WORTH = np.array([0, 17, 18, 14, 55, -6, -80, -204, 0, 0, 0, 0, 0, 0, 0, 0])
"""Additional value of a cell for the other player, by its kind."""
