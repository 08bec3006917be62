"""An unregistered user-defined game that satisfies the contract."""

import numpy as np

from boardenvs.game112 import Game112


class Short112(Game112):
    """The 112 game on five positions, unknown to all other tests.

    - Rules: as in the 112 game.
    """

    name = "short112"

    def __init__(self, board_size: int = 5, max_plies: int = 9) -> None:
        super().__init__(board_size, max_plies)

    def info(self, state):
        return {"digits": state["cells"].copy(), "empty": np.int64((state["cells"] == 0).sum())}
