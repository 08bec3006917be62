"""Values of patterns for the engine `threats`.

Of 400 more, a position wins by e times the odds. Fitted to the results of the engine's games
against itself by logistic regression; see `TO_MOVE` in `settings` for the share of the move.
"""

from __future__ import annotations

import numpy as np

__all__ = ["CODE_WORTH", "KIND_WORTH", "MOVER_WORTH", "OTHER_WORTH"]

CODE_WORTH = np.array([0, 0, 0, 13, 9, 16, 24, 39, 45, 53, 53, 53, 0, 0, 0, 0])
"""Values of an empty cell by the pattern of one line."""
KIND_WORTH = np.array([0, 0, 4, 10, 60, 16, 30, 120, 150, 200, 0, 0, 0, 0, 0, 0])
"""Values of an empty cell by the pattern of its four lines."""
MOVER_WORTH = np.array([0, -16, -16, 22, 377, -8, 102, 1103, 0, 0, 0, 0, 0, 0, 0, 0])
"""Values added for such a cell of the player to move."""
OTHER_WORTH = np.array([0, 17, 18, 14, 55, -6, -80, -204, 0, 0, 0, 0, 0, 0, 0, 0])
"""Values added for such a cell of the other player."""
