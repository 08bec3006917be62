"""Connect four."""

import numpy as np

import boardenvs
from boardenvs.core.checks import whole_number
from boardenvs.core.symmetries import Symmetries


@boardenvs.register
class ConnectFour(boardenvs.Game):
    about = """
    Two players drop pieces into columns; four in a line win.

    - Rules: a piece falls to the lowest empty cell of its column. Four in a row, column or
      diagonal win; a full board is a draw.
    - Arguments: `rows=6`, `columns=7` (4 to 9 each), `max_plies=81`.
    - Observation: int8 (3, rows, columns): own pieces, the other's, empty cells.
    - Actions: Discrete(columns); as text `A`.
    """

    name = "connect_four"
    seat_names = ("X", "O")
    cell_symbols = " XO"

    def __init__(self, rows=6, columns=7, max_plies=81):
        self.rows = whole_number("rows", rows, 4, 9)
        self.columns = whole_number("columns", columns, 4, 9)
        super().__init__(
            params={"rows": self.rows, "columns": self.columns, "max_plies": max_plies},
            num_players=2,
            num_actions=self.columns,
            observation_shape=(3, self.rows, self.columns),
            fields=[("cells", np.int8, (self.rows * self.columns,))],
            constants={"rows": (np.int64, self.rows), "columns": (np.int64, self.columns)},
            board_shape=(self.rows, self.columns),
        )

    def symmetries(self):
        columns = np.arange(self.columns)
        seen = np.arange(self.observation_size).reshape(self.observation_shape)
        return Symmetries([columns, columns[::-1]], [seen.ravel(), seen[..., ::-1].ravel()])

    def board(self, state):
        cells = np.atleast_1d(state)["cells"][0]
        letters = np.array([*".XO?"])[cells.clip(-1, 3)]  # "?" for invalid values
        return ["".join(row) for row in letters.reshape(self.rows, self.columns)]

    def action_to_text(self, action, state=None):
        return "ABCDEFGHI"[whole_number("action", action, 0, self.num_actions - 1)]

    def action_from_text(self, text, state=None):
        column = "ABCDEFGHI"[: self.columns].find(text.strip().upper() or "?")
        if column < 0:
            raise ValueError(
                f"text must be a column from A to {'ABCDEFGHI'[self.columns - 1]}, got {text!r}"
            )
        return column
