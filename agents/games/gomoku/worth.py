"""What patterns of Gomoku are worth to the engine `threats`."""

from __future__ import annotations

import numpy as np

__all__ = ["CODE_WORTH", "KIND_WORTH"]

CODE_WORTH = np.array([0, 1, 3, 6, 12, 16, 16, 40, 48, 48, 60, 60, 0, 0, 0, 0])
"""Of an empty cell, by what a stone makes there of a line."""
KIND_WORTH = np.array([0, 0, 4, 10, 60, 16, 30, 120, 150, 200, 0, 0, 0, 0, 0, 0])
"""Of an empty cell, by what a stone makes there of its four lines together."""
